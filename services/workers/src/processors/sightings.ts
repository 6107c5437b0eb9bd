import { recordsInternal } from '@iodine/contracts'
import { HttpError } from '@iodine/service-kit'
import { defineProcessor, postpone } from '../processor.js'

const RETRY_MS = 3_000
/** Batches after which a user's job goes to the end of the queue, so that many records do not hold others up. */
const STEPS = 10
/** For one batch: its signatures, and the answer of both services. */
const STEP_MS = 45_000

/** Has the collector tell the sightings service of a user's records. While either is down the job is postponed. */
export const sightingsProcessor = defineProcessor({
  queue: 'sightings',
  concurrency: 2,
  async create({ service: { peers } }) {
    return async (body, job) => {
      try {
        for (let step = 0; step < STEPS; step++) {
          const { more } = await peers.call('collector', recordsInternal.sightRecords, { body, ms: STEP_MS })
          if (!more) return
        }
      } catch (error) {
        if (!(error instanceof HttpError)) throw error
        await postpone(job, RETRY_MS)
      }
      await postpone(job, 0)
    }
  },
})
