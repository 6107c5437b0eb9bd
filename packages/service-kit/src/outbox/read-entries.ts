import type { FailedWork } from '@iodine/contracts'
import type { QueueState } from '../observe/metrics.js'
import type { EntryDoc, EntryModel } from './entry.js'

/** Returns the state of each kind that is known to this process or has entries. */
export const readStates = async (
  model: EntryModel,
  kinds: readonly string[],
): Promise<Record<string, QueueState>> => {
  const since = { $ifNull: ['$since', '$created_at'] }
  const now = new Date()
  const isHandled = { $and: [{ $gt: ['$lease', null] }, { $gt: ['$due_at', now] }] }
  const isIdle = { $or: [{ $gt: ['$failed_at', null] }, { $gt: [since, now] }, isHandled] }
  const counts = await model.aggregate<{ _id: string; all: number; failed: number; oldest: Date }>([
    {
      $group: {
        _id: '$kind',
        all: { $sum: 1 },
        failed: { $sum: { $cond: [{ $gt: ['$failed_at', null] }, 1, 0] } },
        oldest: { $min: { $cond: [isIdle, null, since] } },
      },
    },
  ])
  const none = kinds.map(name => [name, { jobs: { waiting: 0, failed: 0 }, oldestSeconds: 0 }])
  const found = counts.map(({ _id, all, failed, oldest }) => {
    // Entries of an unknown kind belong to another version: this process leaves them.
    const jobs = kinds.includes(_id) ? { waiting: all - failed, failed } : { unknown: all }
    return [_id, { jobs, oldestSeconds: oldest ? (Date.now() - oldest.getTime()) / 1000 : 0 }]
  })
  return Object.fromEntries([...none, ...found])
}

/** Returns at most `limit` permanently failed entries, newest first. */
export const readFailed = async (model: EntryModel, limit: number): Promise<FailedWork[]> => {
  const docs = await model
    .find({ failed_at: { $exists: true } })
    .sort({ failed_at: -1 })
    .limit(limit)
    .lean<EntryDoc[]>()
  return docs.map(({ _id, kind, error = '', attempts, created_at, failed_at = created_at }) => ({
    id: _id.toHexString(),
    kind,
    error,
    attempts,
    created_at: created_at.toISOString(),
    failed_at: failed_at.toISOString(),
  }))
}
