import { LIMITS, type UnreadState } from '@iodine/contracts'
import { Types } from 'mongoose'
import type { Models } from '../../models.js'

/** Returns the state of a user's bell. Reads only an index: each open page polls it. */
export const findUnread = async ({ notifications }: Models, userId: string): Promise<UnreadState> => {
  const [state] = await notifications.collection
    .aggregate<{ unread: number; latest: Date }>(
      [
        { $match: { user_id: new Types.ObjectId(userId), read_at: null } },
        { $sort: { created_at: -1, _id: -1 } },
        { $limit: LIMITS.unreadCounted },
        { $group: { _id: null, unread: { $sum: 1 }, latest: { $max: '$created_at' } } },
      ],
      { hint: 'unread' },
    )
    .toArray()
  return { unread: state?.unread ?? 0, latest: state?.latest.toISOString() ?? null }
}
