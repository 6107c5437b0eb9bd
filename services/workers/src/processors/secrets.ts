import { type ResponseOf, secretsInternal, servicesWith } from '@iodine/contracts'
import { addressOf } from '@iodine/service-kit'
import { defineProcessor } from '../processor.js'

const OWNERS = servicesWith(secretsInternal.reseal)

/**
 * Has the services seal what they store with the present key of SECRETS_KEY. What is sealed with it already costs
 * nothing, so that a run that was cut off is simply followed by another.
 */
export const secretsProcessor = defineProcessor({
  queue: 'secrets',
  concurrency: 1,
  async create({ config, service: { peers, log } }) {
    const owners = OWNERS.filter(name => addressOf(config, name))
    return async () => {
      for (const peer of owners) {
        const sum = { resealed: 0, unreadable: 0 }
        let cursor: string | null = null
        do {
          const step: ResponseOf<typeof secretsInternal.reseal> = await peers.call(
            peer,
            secretsInternal.reseal,
            { body: { cursor }, ms: 30_000 },
          )
          sum.resealed += step.resealed
          sum.unreadable += step.unreadable
          cursor = step.cursor
        } while (cursor !== null)
        if (sum.unreadable > 0) log.error({ peer, ...sum }, 'no key of SECRETS_KEY opens some secrets')
        else if (sum.resealed > 0) log.info({ peer, ...sum }, 'secrets sealed with the present key')
      }
    }
  },
})
