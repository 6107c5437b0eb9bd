import type { Types } from 'mongoose'
import type { Models } from '../../models.js'

/** Deletes the data of a deleted user, the watches and notifications about them, and their id from other notifications. */
export const forgetUser = async (models: Models, user_id: Types.ObjectId): Promise<void> => {
  const { watches, notifications, people, deliveries } = models
  await watches.deleteMany({ user_id })
  await watches.deleteMany({ kind: 'person', subject_id: user_id })
  await notifications.deleteMany({ user_id })
  await notifications.deleteMany({ subject_kind: 'person', subject_id: user_id })
  await notifications.updateMany({ actor: user_id }, { $set: { actor: null } })
  await deliveries.deleteMany({ user_id })
  await people.deleteOne({ _id: user_id })
}
