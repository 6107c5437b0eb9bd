import type { BodyOf, narrativesInternal } from '@iodine/contracts'
import { notFound } from '@iodine/service-kit'
import { takeNumbers } from '../models/counter.js'
import { linkKeysOf, type NarrativeDoc } from '../models/narrative.js'
import type { Store } from '../store.js'
import { failNarrative, nextCheck, settle } from './settle.js'

/**
 * Stores an extraction's result. Idempotent: only an open narrative is changed; a repeated call completes
 * what the first one left undone and returns the same count. Throws 404 when the narrative was deleted
 * meanwhile.
 */
export const finishExtraction = async (
  store: Store,
  id: string,
  result: BodyOf<typeof narrativesInternal.finishExtraction>,
): Promise<number> => {
  const { narratives, counters } = store
  let narrative: NarrativeDoc | null = null
  if ('failure' in result) await failNarrative(store, id, result.failure, result.retry_after)
  else {
    const first = await takeNumbers(counters, 'triplets', result.triplets.length)
    const triplets = result.triplets.map((triplet, n) => ({ id: first + n, ...triplet }))
    narrative = await narratives
      .findOneAndUpdate(
        { _id: id, state: 'open' },
        { $set: { state: 'done', triplets, link_keys: linkKeysOf(triplets), check_at: nextCheck() } },
        { returnDocument: 'after' },
      )
      .lean<NarrativeDoc>()
  }
  narrative ??= await narratives.findById(id).lean<NarrativeDoc>()
  if (!narrative || narrative.state === 'deleted') throw notFound()
  if (narrative.state === 'done' && narrative.check_at) await settle(store, narrative)
  return narrative.triplets.length
}
