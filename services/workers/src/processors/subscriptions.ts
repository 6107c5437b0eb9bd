import { LIMITS, type ResponseOf, subscriptionsInternal } from '@iodine/contracts'
import { feedSecretContext, HttpError, unseal } from '@iodine/service-kit'
import { z } from 'zod'
import { pullMisp } from '../feeds/misp.js'
import { createPublicFetch, FeedError } from '../feeds/public-fetch.js'
import { authorizationOf, type Pullers, type PullLimits } from '../feeds/pull.js'
import { pullTaxii } from '../feeds/taxii.js'
import { defineProcessor } from '../processor.js'

/** Limits of a run. The file needs some bytes in addition to the objects. */
const BOUNDS: PullLimits = {
  bytes: LIMITS.importBytes - 65_536,
  objects: LIMITS.importObjects,
  pages: 1_000,
  ms: 10 * 60_000,
  pauseMs: 30_000,
}
/** Interval at which a run extends its lease: a third of the lease. */
const EXTEND_MS = 10_000
/** Timeout for storing a file of maximum size. */
const STORE_MS = 120_000
const PULLERS: Pullers = { taxii: pullTaxii, misp: pullMisp }

const secretShape = z.object({ user: z.string(), key: z.string() })
type Pull = NonNullable<ResponseOf<typeof subscriptionsInternal.claimPull>['pull']>

/** Returns true if the run has ended or belongs to another worker: its result is discarded. */
const isLost = (error: unknown) => error instanceof HttpError && error.status === 409

/** Throws any error of a puller as a FeedError: an unexpected error fails this feed, and the next ones are pulled. */
const toFeedError = (error: unknown): never => {
  if (error instanceof FeedError) throw error
  throw new FeedError('The feed could not be read: unexpected error', { cause: error })
}

/**
 * Pulls feeds that are due and forwards their objects to the campaigns service, which imports them. The cursor moves
 * together with the objects, so that an interrupted run is repeated. Secrets are decrypted in memory only during a run.
 */
export const subscriptionsProcessor = defineProcessor({
  queue: 'subscriptions',
  concurrency: 2,
  async create({ config, service }) {
    const { peers, log } = service
    const { SECRETS_KEY, SUBSCRIPTIONS_ALLOW: allow, SUBSCRIPTIONS_CA: ca } = config

    const secretOf = ({ id, url, sealed }: Pull): string | undefined => {
      if (sealed === null) return undefined
      try {
        return authorizationOf(
          secretShape.parse(JSON.parse(unseal(SECRETS_KEY, feedSecretContext(id, url), sealed))),
        )
      } catch {
        // Sealed with another SECRETS_KEY.
        throw new FeedError('The stored key cannot be read: enter it again')
      }
    }

    const run = async (pull: Pull): Promise<void> => {
      const { id, token, url, kind, public_key: publicKey, cursor } = pull
      const params = { id }
      const ending = new AbortController()
      const timer = setInterval(() => {
        peers
          .call('campaigns', subscriptionsInternal.extendPull, { params, body: { token } })
          .catch(error => {
            if (isLost(error)) ending.abort()
          })
      }, EXTEND_MS)
      const fetch = createPublicFetch({ allow, ca })
      try {
        const request = { fetch, url, cursor, publicKey, bounds: BOUNDS, signal: ending.signal }
        const { file, ...staged } = await PULLERS[kind]({ ...request, authorization: secretOf(pull) }).catch(
          toFeedError,
        )
        const body = { token, ...staged }
        await peers.call('campaigns', subscriptionsInternal.stagePull, { params, body, ms: 10_000 })
        const { objects } = await peers.call('campaigns', subscriptionsInternal.storePull, {
          params,
          query: { token },
          body: file,
          ms: STORE_MS,
        })
        log.info({ subscription: id, objects }, 'feed pulled')
      } catch (error) {
        if (ending.signal.aborted || isLost(error)) return
        const isRefused = error instanceof HttpError && error.status < 500
        // The campaigns service failed: the run is retried once the lease has ended.
        if (!(error instanceof FeedError) && !isRefused) throw error
        const reason = error instanceof FeedError ? error.message : [error.detail].flat().join(' ')
        log.warn({ err: error, subscription: id }, 'feed not pulled')
        const retry_ms = (error instanceof FeedError && error.retryMs) || null
        await peers
          .call('campaigns', subscriptionsInternal.failPull, {
            params,
            body: { token, error: reason.slice(0, 500), retry_ms },
          })
          .catch(failed => {
            if (!isLost(failed)) throw failed
          })
      } finally {
        clearInterval(timer)
        await fetch.close()
      }
    }

    return async () => {
      for (;;) {
        const { pull } = await peers.call('campaigns', subscriptionsInternal.claimPull)
        if (!pull) return
        await run(pull)
      }
    }
  },
})
