import { setTimeout as sleep } from 'node:timers/promises'
import { type BodyFor, narrativesInternal } from '@iodine/contracts'
import { HttpError, isNotFound, type Peers, UnrecoverableError } from '@iodine/service-kit'
import { mapAtOnce } from '../at-once.js'
import { createKeyOpener } from '../extraction/ai-key.js'
import { type CitedTriplet, citeTriplets } from '../extraction/cite.js'
import { createProvider, ProviderFailure } from '../extraction/provider.js'
import { mergeTriplets, splitText, type TextPart } from '../extraction/split.js'
import { createUserLimiter } from '../extraction/user-limiter.js'
import { defineProcessor } from '../processor.js'

/** Concurrent provider calls for the parts of one text. */
const PARTS_AT_ONCE = 3
/** Retries of a failed call within `RETRY_WITHIN_MS`: the user waits at most a minute. */
const PROVIDER_RETRIES = 2
const RETRY_WITHIN_MS = 10_000
const DELETED_CHECK_MS = 3_000
/** Backoff before the result, which was paid for, is delivered again. */
const DELIVERY_BACKOFF_MS = [0, 200, 1_000, 3_000, 6_000]

type Result = BodyFor<typeof narrativesInternal.finishExtraction>
const forPreviousVersion = (result: Result): Result =>
  'failure' in result
    ? { ...result, failure: result.failure === 'no_credit' ? 'rate_limited' : result.failure }
    : { triplets: result.triplets.map(({ cite: _, ...triplet }) => triplet) }

class Deleted extends Error {
  override name = 'Deleted'
}

const getWork = (peers: Peers, id: string) =>
  peers.call('narratives', narrativesInternal.getExtractionWork, { params: { id } }).catch(error => {
    throw isNotFound(error) ? new Deleted() : error
  })

const finish = async (peers: Peers, id: string, result: Result): Promise<void> => {
  let body = result
  for (const [n, pause] of DELIVERY_BACKOFF_MS.entries()) {
    if (n > 0) await sleep(pause)
    try {
      await peers.call('narratives', narrativesInternal.finishExtraction, {
        params: { id },
        body,
        ms: 10_000,
      })
      return
    } catch (error) {
      if (isNotFound(error)) throw new Deleted()
      // The previous version of narratives rejects citations, which it adds later, and unknown failures.
      if (error instanceof HttpError && error.status === 422) body = forPreviousVersion(result)
      if (n === DELIVERY_BACKOFF_MS.length - 1) throw error
    }
  }
}

/** Runs `work` with a signal that is aborted once the narrative is deleted. */
const whileWanted = async <T>(
  peers: Peers,
  id: string,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> => {
  const deleted = new AbortController()
  const watch = setInterval(() => {
    getWork(peers, id).catch(error => error instanceof Deleted && deleted.abort(error))
  }, DELETED_CHECK_MS)
  try {
    return await work(deleted.signal)
  } finally {
    clearInterval(watch)
  }
}

/**
 * Extracts the triplets of one narrative at the provider with its user's key, and sends them, or the reason
 * of a failure, to the narratives service. The key is decrypted in memory only during the call.
 */
export const extractionProcessor = defineProcessor({
  queue: 'extraction',
  concurrency: 16,
  // A killed worker's jobs restart within half a minute, any number of times.
  options: ({ EXTRACTION_LOCK_MS }) => ({
    lockDuration: EXTRACTION_LOCK_MS,
    stalledInterval: Math.ceil(EXTRACTION_LOCK_MS / 3),
    maxStalledCount: 20,
  }),
  async create({ config, service }) {
    const { peers } = service
    const provider = createProvider({ baseUrl: config.OPENAI_BASE_URL, model: config.OPENAI_MODEL })
    const limiter = createUserLimiter(service.redis, service.queues, config.REDIS_PREFIX)

    const openKey = createKeyOpener(config, service)

    const extractParts = (
      apiKey: string,
      parts: TextPart[],
      signal: AbortSignal,
      report: (done: number) => void,
    ): Promise<CitedTriplet[][]> => {
      let done = 0
      return mapAtOnce(parts, PARTS_AT_ONCE, signal, async (part, either) => {
        const cited = citeTriplets(part, await provider.extract(apiKey, part.text, either))
        report(++done)
        return cited
      })
    }

    return async ({ narrative_id: id, user_id }, job) =>
      limiter.run(user_id, job, async () => {
        const started = Date.now()
        try {
          const work = await getWork(peers, id)
          const apiKey = await openKey(work.user_id, work.sealed_key)
          if (apiKey === undefined) throw new ProviderFailure('missing_key')
          const parts = splitText(work.text)
          const report = (done: number) =>
            void job.updateProgress({ done, parts: parts.length }).catch(() => {})
          if (parts.length > 1) report(0)
          const results = await whileWanted(peers, id, signal => extractParts(apiKey, parts, signal, report))
          await finish(peers, id, { triplets: mergeTriplets(results) })
        } catch (error) {
          if (error instanceof Deleted) return
          if (!(error instanceof ProviderFailure)) throw error
          const { failure, retry, retryAfter } = error
          if (retry && job.attemptsMade < PROVIDER_RETRIES && Date.now() - started < RETRY_WITHIN_MS)
            throw error
          await finish(peers, id, { failure, ...(retryAfter && { retry_after: retryAfter }) }).catch(
            reason => {
              if (!(reason instanceof Deleted)) throw reason
            },
          )
          throw new UnrecoverableError(failure)
        }
      })
  },
})
