import { constraintsOf } from '@iodine/canon'
import { DETAILS } from '@iodine/contracts'
import { conflict, notFound } from '@iodine/service-kit'
import { Types } from 'mongoose'
import type { Store } from '../../store.js'
import { arrange } from '../policies/arrange.js'
import { labelRules } from '../queries/label-rules.js'
import { nextRevision } from './decide-canon.js'
import { groupsWith, storeGroups } from './rearrange-clusters.js'

/** Maximum number of undone decisions in a user's history. */
const UNDONE_MAX = 500

/** Undoes a decision. @throws HttpError 404 for another user's decision, 409 for an undone one */
export const undoDecision = async (store: Store, userId: string, id: string): Promise<void> => {
  const { quotas, canonRules, canonDecisions } = store
  const user_id = new Types.ObjectId(userId)
  await quotas.settle(
    async (session, take) => {
      const own = { _id: id, user_id }
      const decision = await canonDecisions
        .findOneAndUpdate({ ...own, undone_at: null }, { $set: { undone_at: new Date() } }, { session })
        .lean()
      if (!decision)
        throw (await canonDecisions.exists(own).session(session))
          ? conflict(DETAILS.decisionUndone)
          : notFound()
      await nextRevision(store, user_id, session)
      const { deletedCount } = await canonRules.deleteMany({ user_id, decision: decision._id }, { session })
      const rules = await labelRules(store, user_id, session)
      // In reverse order: each change stores the clusters that the previous changes left.
      for (const { kind, before } of decision.changes.toReversed()) {
        if (!before) continue
        const known = new Set(before.flat())
        const now = await groupsWith(store, user_id, kind, [...known], session)
        // Keys that were added later stay together. The stored keys return to their earlier clusters.
        const others = now.map(keys => keys.filter(key => !known.has(key))).filter(keys => keys.length > 0)
        const groups = arrange([...before, ...others], constraintsOf(rules, kind))
        await storeGroups(store, user_id, kind, groups, session)
      }
      const surplus = await canonDecisions
        .find({ user_id, undone_at: { $ne: null } }, { _id: 1 }, { session })
        .sort({ created_at: -1, _id: -1 })
        .skip(UNDONE_MAX)
        .lean()
      if (surplus.length > 0)
        await canonDecisions.deleteMany({ _id: { $in: surplus.map(({ _id }) => _id) } }, { session })
      await take(user_id, { canon_rules: -deletedCount })
    },
    { retriesDuplicates: true },
  )
}
