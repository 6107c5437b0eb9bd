import type { BodyOf, notificationsApi } from '@iodine/contracts'
import { Types } from 'mongoose'
import type { Models } from '../../models.js'

/** Marks notifications of a user as read: some, or all up to a time. Idempotent. */
export const markRead = async (
  { notifications }: Models,
  userId: string,
  body: BodyOf<typeof notificationsApi.markRead>,
): Promise<void> => {
  const which =
    'ids' in body
      ? { _id: { $in: body.ids.map(id => new Types.ObjectId(id)) } }
      : { created_at: { $lte: new Date(body.until) } }
  await notifications.updateMany(
    { user_id: new Types.ObjectId(userId), read_at: null, ...which },
    { $set: { read_at: new Date() } },
  )
}
