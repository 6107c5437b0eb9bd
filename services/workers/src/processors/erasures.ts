import { accountsInternal, personalDataInternal, servicesWith } from '@iodine/contracts'
import { addressOf, HttpError } from '@iodine/service-kit'
import { defineProcessor, postpone } from '../processor.js'

const RETRY_MS = 3_000
/** Long timeout: a service may have much data to remove. */
const PATIENCE_MS = 120_000
const SERVICES = servicesWith(personalDataInternal.forgetUser)

/** Has every service erase a deleted user, then tells auth. While a service is down the job is retried. */
export const erasuresProcessor = defineProcessor({
  queue: 'erasures',
  concurrency: 2,
  options: () => ({ lockDuration: 60_000 }),
  async create({ config, service: { peers, queues } }) {
    const services = SERVICES.filter(name => addressOf(config, name))
    return async ({ user_id: id }, job) => {
      const started = Date.now()
      const ended = await Promise.allSettled(
        services.map(name =>
          peers.call(name, personalDataInternal.forgetUser, { params: { id }, ms: PATIENCE_MS }),
        ),
      )
      try {
        for (const each of ended) if (each.status === 'rejected') throw each.reason
        await queues.forgetUser(id)
        const body = { elapsed_ms: Date.now() - started }
        await peers.call('auth', accountsInternal.confirmErasure, { params: { id }, body })
      } catch (error) {
        if (!(error instanceof HttpError)) throw error
        await postpone(job, RETRY_MS)
      }
    }
  },
})
