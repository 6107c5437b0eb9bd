import { announceInternal } from '@iodine/contracts'
import { HttpError, isFinalRefusal, UnrecoverableError } from '@iodine/service-kit'
import { defineProcessor, postpone } from '../processor.js'

const RETRY_MS = 3_000
/** Timeout that includes the owner's call to the community. */
const PATIENCE_MS = 12_000

/**
 * Has owner services send new events to the community. While either is down, notices are retried. A notice
 * that the community refuses fails at once, and the owner's repair sends it again after a day.
 */
export const projectionsProcessor = defineProcessor({
  queue: 'projections',
  async create({ service }) {
    return async ({ owner, id }, job) => {
      try {
        await service.peers.call(owner, announceInternal.announce, { params: { id }, ms: PATIENCE_MS })
      } catch (error) {
        if (!(error instanceof HttpError)) throw error
        if (isFinalRefusal(error)) throw new UnrecoverableError(`refused with ${error.status}`)
        await postpone(job, RETRY_MS)
      }
    }
  },
})
