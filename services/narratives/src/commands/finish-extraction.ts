import type { BodyOf, narrativesInternal } from '@iodine/contracts'
import { inTransaction, notFound } from '@iodine/service-kit'
import { type ClientSession, Types } from 'mongoose'
import { graphKeysOf, type NarrativeDoc } from '../models/narrative.js'
import type { Store } from '../store.js'
import { failNarrative } from './settle.js'
import { countInGraph } from './sync-graph.js'

/**
 * Stores an extraction's result, counts it in the graph in the same transaction, and answers the requests of
 * this process that wait for it. Idempotent: only an open narrative is changed; a repeated call returns the same count. Throws 404 when the narrative was deleted
 * meanwhile.
 */
export const finishExtraction = async (
  store: Store,
  id: string,
  result: BodyOf<typeof narrativesInternal.finishExtraction>,
): Promise<number> => {
  const { mongo, narratives, numbers, waits, changed } = store
  let narrative: NarrativeDoc | null = null
  if ('failure' in result) await failNarrative(store, id, result.failure, result.retry_after)
  else {
    const first = await numbers.take(result.triplets.length)
    const triplets = result.triplets.map((triplet, n) => ({ id: first + n, ...triplet }))
    const $set = { state: 'done', triplets, ...graphKeysOf(triplets) }
    const finish = async (session: ClientSession): Promise<NarrativeDoc | null> => {
      const done = await narratives
        .findOneAndUpdate(
          { _id: id, state: 'open' },
          { $set: { ...$set, graph: new Types.ObjectId() } },
          { session, returnDocument: 'after' },
        )
        .lean<NarrativeDoc>()
      if (!done) return done
      await countInGraph(store, done, 1, session)
      await changed.add({ id }, { session })
      return done
    }
    narrative = await inTransaction(mongo, finish, { retriesDuplicates: true })
  }
  narrative ??= await narratives.findById(id).lean<NarrativeDoc>()
  if (!narrative || narrative.state === 'deleted') throw notFound()
  waits.end(narrative)
  return narrative.triplets.length
}
