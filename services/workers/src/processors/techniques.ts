import { type BodyFor, techniquesInternal } from '@iodine/contracts'
import { ifFound } from '@iodine/service-kit'
import { createKeyOpener } from '../extraction/ai-key.js'
import { ProviderFailure } from '../extraction/provider.js'
import { defineProcessor } from '../processor.js'
import { createTechniqueNamer } from '../techniques/name-techniques.js'

/** Retries of a failed call. */
const PROVIDER_RETRIES = 2
/** Timeout of both calls together. */
const TIMEOUT_MS = 60_000
/** Timeout of calls to the campaigns service. */
const CALL_MS = 10_000

/**
 * Asks the provider, with the user's key, which techniques of DISARM the sentences of a text describe, and sends the
 * answer, or the reason of a failure, to the campaigns service.
 */
export const techniquesProcessor = defineProcessor({
  queue: 'techniques',
  async create({ config, service }) {
    const { peers } = service
    const { OPENAI_BASE_URL: baseUrl, OPENAI_MODEL: model } = config
    const openKey = createKeyOpener(config, service)
    const nameTechniques = createTechniqueNamer({ baseUrl, model, timeoutMs: TIMEOUT_MS })

    const finish = (pid: string, body: BodyFor<typeof techniquesInternal.finishProposals>) =>
      // Not found: the campaign or the account was deleted.
      ifFound(
        peers.call('campaigns', techniquesInternal.finishProposals, { params: { pid }, body, ms: CALL_MS }),
      )

    return async ({ proposal_id: pid }, job) => {
      const work = await ifFound(
        peers.call('campaigns', techniquesInternal.getProposalWork, { params: { pid }, ms: CALL_MS }),
      )
      if (!work) return
      try {
        const apiKey = await openKey(work.user_id)
        if (apiKey === undefined) throw new ProviderFailure('missing_key')
        const { pairs, dropped } = await nameTechniques(
          apiKey,
          work.sentences,
          AbortSignal.timeout(TIMEOUT_MS),
        )
        await finish(pid, { model, items: pairs, dropped })
      } catch (error) {
        const isLate = error instanceof DOMException && error.name === 'TimeoutError'
        const failed = isLate ? new ProviderFailure('provider_failed') : error
        if (!(failed instanceof ProviderFailure)) throw error
        if (failed.retry && job.attemptsMade < PROVIDER_RETRIES) throw failed
        await finish(pid, { failure: failed.failure })
      }
    }
  },
})
