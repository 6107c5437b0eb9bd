import type { personalDataInternal, QueryOf } from '@iodine/contracts'
import type { QueryFilter, Types } from 'mongoose'
import { type IodDoc, RAISED } from '../../iods/models/iod.js'
import type { IodModels } from '../../models.js'
import type { IodStore } from '../../store.js'
import { forgetCovotes } from './project-covotes.js'

type Models = Pick<IodStore, 'iods' | 'evidence' | 'comments' | 'quotas' | 'covotes' | 'covoteBuilds'>

/** IODs per update. An update has one `$$NOW`, which must not be long past when its last IOD is written. */
const BATCH = 500

/** Changes all matching IODs in batches. A changed IOD must not match the filter. */
const changeAll = async (
  iods: IodModels['iods'],
  filter: QueryFilter<IodDoc>,
  change: Record<string, unknown>,
): Promise<void> => {
  for (;;) {
    const found = await iods.find(filter, { _id: 1 }).limit(BATCH).lean<Pick<IodDoc, '_id'>[]>()
    if (found.length === 0) return
    await iods.updateMany(
      { ...filter, _id: { $in: found.map(({ _id }) => _id) } },
      [{ $set: { ...change, revision: RAISED } }],
      { updatePipeline: true },
    )
  }
}

/**
 * Removes a deleted user's id from their IODs, votes, evidence and comments. All remain, but count in no user's usage.
 * Comments are deleted if the user wished so.
 */
export const eraseUser = async (
  models: Models,
  userId: Types.ObjectId,
  wishes: QueryOf<typeof personalDataInternal.eraseUser>,
): Promise<void> => {
  const { iods, evidence, comments, quotas } = models
  // Both usages are counted before content changes owners, or a count in between would include it twice.
  for (const owner of [null, userId]) await quotas.used(owner)
  await changeAll(iods, { created_by: userId }, { created_by: null })
  const user_id = { $cond: [{ $eq: ['$$this.user_id', userId] }, null, '$$this.user_id'] }
  const votes = { $map: { input: '$votes', in: { $mergeObjects: ['$$this', { user_id }] } } }
  await changeAll(iods, { 'votes.user_id': userId }, { votes })
  // After the votes: a concurrent run of the projection rereads the votes that it counts.
  await forgetCovotes(models, userId)
  await evidence.updateMany({ created_by: userId }, { $set: { created_by: null } })
  await comments.forget(userId, wishes)
  await quotas.forget(userId, { left: true })
}
