import { notFound } from '@iodine/service-kit'
import type { NarrativeDoc } from '../models/narrative.js'
import { givenBack, KEPT } from '../models/usage.js'
import type { Store } from '../store.js'
import { nextCheck, settle } from './settle.js'

/**
 * Deletes a user's narrative, also one whose extraction is under way: what that brings finds nothing to end. Resolves
 * once the graph shows it. Throws 404 for another's, and for one that nobody sees.
 */
export const deleteNarrative = async (store: Store, userId: string, id: string): Promise<void> => {
  const { narratives, quotas } = store
  const mine = { _id: id, user_id: userId }
  const deleted = await quotas.settle(async (session, take) => {
    const $set = { state: 'deleted' as const, text: '', check_at: nextCheck() }
    const kept = await narratives
      .findOneAndUpdate({ ...mine, state: { $in: KEPT } }, { $set }, { session })
      .lean<NarrativeDoc>()
    if (kept) await take(kept.user_id, givenBack(kept))
    return kept && { ...kept, ...$set }
  })
  // One that the graph still counts: an earlier call was cut off before it had settled.
  const cutOff = { ...mine, state: 'deleted' as const, graph: { $ne: null } }
  const unsettled = deleted ?? (await narratives.findOne(cutOff).lean<NarrativeDoc>())
  if (!unsettled) throw notFound()
  await settle(store, unsettled)
}
