import { coordinationInternal } from '@iodine/contracts'
import { HttpError } from '@iodine/service-kit'
import { defineProcessor, postpone } from '../processor.js'

const RETRY_MS = 3_000
/** Calls after which a run's job goes to the end of the queue. */
const STEPS = 10
/** One call waits for some seconds of the run. */
const STEP_MS = 30_000

/** Has the sightings service find accounts that share the same. While it is down the job is postponed. */
export const coordinationProcessor = defineProcessor({
  queue: 'coordination',
  concurrency: 2,
  async create({ service: { peers } }) {
    return async ({ run_id }, job) => {
      try {
        for (let step = 0; step < STEPS; step++) {
          const options = { params: { id: run_id }, ms: STEP_MS }
          const { more } = await peers.call('sightings', coordinationInternal.stepRun, options)
          if (!more) return
        }
      } catch (error) {
        if (!(error instanceof HttpError)) throw error
      }
      await postpone(job, RETRY_MS)
    }
  },
})
