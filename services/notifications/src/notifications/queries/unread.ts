import { LIMITS, type UnreadState } from '@iodine/contracts'
import { Types } from 'mongoose'
import type { Models } from '../../models.js'
import type { NotificationDoc } from '../models/notification.js'

/** Returns the state of a user's bell. Reads only an index: each open page polls it. */
export const findUnread = async ({ notifications }: Models, userId: string): Promise<UnreadState> => {
  // The driver reads: Mongoose would take most of the time.
  const docs = await notifications.collection
    .find({ user_id: new Types.ObjectId(userId), read_at: null } as never)
    .hint('unread')
    .sort({ created_at: -1, _id: -1 })
    .limit(LIMITS.unreadCounted)
    .project<Pick<NotificationDoc, 'created_at'>>({ _id: 0, created_at: 1 })
    .toArray()
  return { unread: docs.length, latest: docs[0]?.created_at.toISOString() ?? null }
}
