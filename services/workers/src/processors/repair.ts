import { repairInternal, servicesWith } from '@iodine/contracts'
import { addressOf, HttpError } from '@iodine/service-kit'
import { defineProcessor } from '../processor.js'

const REPAIRED = servicesWith(repairInternal.repair)

/** Has each service complete what a crash between a write and its event left undone. */
export const repairProcessor = defineProcessor({
  queue: 'repair',
  concurrency: 1,
  async create({ config, service }) {
    const services = REPAIRED.filter(name => addressOf(config, name))
    return async () => {
      await Promise.all(
        services.map(async name => {
          try {
            const { repaired } = await service.peers.call(name, repairInternal.repair, { ms: 10_000 })
            if (repaired > 0) service.log.info({ peer: name, repaired }, 'repaired')
          } catch (error) {
            // A service that is down is called again in a few seconds.
            if (!(error instanceof HttpError)) throw error
            service.log.debug({ peer: name, status: error.status }, 'not repaired')
          }
        }),
      )
    }
  },
})
