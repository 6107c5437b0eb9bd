import { communityInternal } from '@iodine/contracts'
import { DelayedError, HttpError, UnrecoverableError } from '@iodine/service-kit'
import { defineProcessor } from '../processor.js'

const RETRY_MS = 3_000

/** Hands domain events to the community's projection. While it is down they wait: none is ever given up. */
export const projectionsProcessor = defineProcessor({
  queue: 'projections',
  async create({ service }) {
    return async (event, job) => {
      try {
        await service.peers.call('community', communityInternal.applyEvent, { body: event, ms: 10_000 })
      } catch (error) {
        if (!(error instanceof HttpError)) throw error
        // Refused as it is, it would be refused for ever.
        if (error.status === 422) throw new UnrecoverableError('the projection refuses the event')
        await job.moveToDelayed(Date.now() + RETRY_MS, job.token)
        throw new DelayedError()
      }
    }
  },
})
