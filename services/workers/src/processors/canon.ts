import type { Cluster } from '@iodine/canon'
import { type BodyFor, canonInternal } from '@iodine/contracts'
import { isNotFound } from '@iodine/service-kit'
import { assignInThread } from '../canon/assign-in-thread.js'
import { defineProcessor } from '../processor.js'

/** Turns of a user who writes and decides meanwhile; the repair adds the job again after these. */
const TURNS = 5
/** For the texts of a version before, whose sentences are found first, and for storing many clusters. */
const CALL_MS = 60_000

/** Labels alone are not stored. */
const clustersOf = (clusters: readonly Cluster[]): BodyFor<typeof canonInternal.applyCanon>['entities'] =>
  clusters
    .filter(({ members }) => members.length > 1)
    .map(({ members }) => members.map(({ key, why, turned }) => ({ key, why, turned })))

/** Clusters the labels of a user's triplets, until they are those of the present texts and decisions. */
export const canonProcessor = defineProcessor({
  queue: 'canon',
  concurrency: 2,
  async create({ service: { peers } }) {
    return async ({ user_id }) => {
      const call = { params: { user_id }, ms: CALL_MS }
      for (let turn = 0; turn < TURNS; turn++) {
        const work = await peers.call('narratives', canonInternal.getCanonWork, call).catch(error => {
          // Nothing is to be done, or the user is gone.
          if (isNotFound(error)) return undefined
          throw error
        })
        if (!work) return
        const { revision, texts, triplets, rules } = work
        const { entities, verbs } = await assignInThread({ triplets, options: { rules } })
        await peers.call('narratives', canonInternal.applyCanon, {
          ...call,
          body: {
            revision,
            texts,
            method: 'offline',
            entities: clustersOf(entities),
            verbs: clustersOf(verbs),
          },
        })
      }
    }
  },
})
