import { notFound } from '@iodine/service-kit'
import type { NarrativeDoc } from '../models/narrative.js'
import { givenBack, KEPT } from '../models/usage.js'
import type { Store } from '../store.js'
import { nextCheck, settle } from './settle.js'
import { countInGraph } from './sync-graph.js'

/**
 * Deletes a user's narrative; an extraction in progress is discarded when it finishes. Resolves once the
 * graph is updated. Throws 404 for another user's narrative, and for a failed or deleted one.
 */
export const deleteNarrative = async (store: Store, userId: string, id: string): Promise<void> => {
  const { narratives, quotas } = store
  const mine = { _id: id, user_id: userId }
  const deleted = await quotas.settle(async (session, take) => {
    const $set = { state: 'deleted' as const, text: '', graph: null, check_at: nextCheck() }
    const kept = await narratives
      .findOneAndUpdate({ ...mine, state: { $in: KEPT } }, { $set }, { session })
      .lean<NarrativeDoc>()
    if (!kept) return kept
    await take(kept.user_id, givenBack(kept))
    if (kept.graph !== null) await countInGraph(store, kept, -1, session)
    return { ...kept, ...$set }
  })
  // A deleted narrative that the graph still counts: a call of a version before stopped in between.
  const cutOff = { ...mine, state: 'deleted' as const, graph: { $ne: null } }
  const unsettled = deleted ?? (await narratives.findOne(cutOff).lean<NarrativeDoc>())
  if (!unsettled) throw notFound()
  await settle(store, unsettled)
}
