import { keyOf } from '@iodine/canon'
import { canonInternal, isFilled, type ResponseOf } from '@iodine/contracts'
import { ifFound } from '@iodine/service-kit'
import { assignInThread } from '../canon/assign-in-thread.js'
import { createEmbedder } from '../canon/embed-labels.js'
import { createKeyOpener } from '../extraction/ai-key.js'
import { ProviderFailure } from '../extraction/provider.js'
import { defineProcessor } from '../processor.js'

/** Maximum runs of one job while its user changes texts. Afterwards the outbox of narratives adds another job. */
const RUNS = 5
/** Timeout of a call: many clusters are stored. */
const CALL_MS = 60_000

type Work = ResponseOf<typeof canonInternal.getCanonWork>

/** Number of the most frequent labels of each kind that are compared by meaning. */
const EMBEDDED_MAX = 6_000

const labelsOf = (triplets: Work['triplets']): string[] => {
  const most = (labels: string[]) => {
    const counts = new Map<string, number>()
    for (const label of labels) counts.set(label, (counts.get(label) ?? 0) + 1)
    return [...counts]
      .sort(([a, n], [b, m]) => m - n || (a < b ? -1 : 1))
      .slice(0, EMBEDDED_MAX)
      .map(([label]) => label)
  }
  const entities = most(triplets.flatMap(({ subject, object }) => [keyOf(subject), keyOf(object)]))
  const verbs = most(triplets.map(({ verb }) => keyOf(verb)))
  // A provider refuses empty texts.
  return [...new Set([...entities, ...verbs])].filter(isFilled)
}

/**
 * Clusters the labels of a user's triplets until the result matches the present texts and decisions. If the user has
 * requested it, sends the labels to the provider, with the user's key, for their vectors.
 */
export const canonProcessor = defineProcessor({
  queue: 'canon',
  concurrency: 2,
  async create({ config, service }) {
    const { peers } = service
    const openKey = createKeyOpener(config, service)
    const embed = createEmbedder({
      baseUrl: config.OPENAI_BASE_URL,
      model: config.OPENAI_EMBEDDINGS_MODEL,
      timeoutMs: config.EMBEDDINGS_TIMEOUT_MS,
    })

    /** Returns the vectors of a user's labels, or the reason why there are none. */
    const vectorsOf = async (userId: string, triplets: Work['triplets']) => {
      try {
        const apiKey = await openKey(userId)
        if (apiKey === undefined) return { failure: 'missing_key' as const }
        return { embeddings: await embed(apiKey, labelsOf(triplets)), failure: null }
      } catch (error) {
        if (error instanceof ProviderFailure) return { failure: error.failure }
        throw error
      }
    }

    return async ({ user_id }) => {
      const call = { params: { user_id }, ms: CALL_MS }
      for (let run = 0; run < RUNS; run++) {
        const work = await ifFound(peers.call('narratives', canonInternal.getCanonWork, call))
        // No work is pending, or the user is deleted.
        if (!work) return
        const { revision, texts, triplets, rules, alike = [], compare = false } = work
        const compared = compare ? await vectorsOf(user_id, triplets) : undefined
        const options = { rules, alike, embeddings: compared?.embeddings }
        const { entities, verbs } = await assignInThread({ triplets, options })
        const byMeaning = compared ? compared.failure === null : alike.length > 0
        await peers.call('narratives', canonInternal.applyCanon, {
          ...call,
          body: {
            revision,
            texts,
            method: byMeaning ? 'embeddings' : 'offline',
            ...(compared && { compared: { failure: compared.failure } }),
            entities,
            verbs,
          },
        })
      }
    }
  },
})
