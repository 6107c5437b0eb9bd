import { accountsInternal } from '@iodine/contracts'
import { HttpError } from '@iodine/service-kit'
import { defineProcessor, postpone } from '../processor.js'

/** When a service that is down is asked again. */
const RETRY_MS = 3_000
/** For the part of one service, which may be large. */
const STEP_MS = 280_000

/**
 * Has auth gather a user's data from one service after another. After each part the job goes to the end of the queue,
 * so that one member's data does not hold others' up; while a service is down it waits.
 */
export const exportsProcessor = defineProcessor({
  queue: 'exports',
  concurrency: 2,
  async create({ service: { peers } }) {
    return async ({ export_id: id }, job) => {
      let more: boolean
      try {
        ;({ more } = await peers.call('auth', accountsInternal.stepExport, { params: { id }, ms: STEP_MS }))
      } catch (error) {
        if (!(error instanceof HttpError)) throw error
        return postpone(job, RETRY_MS)
      }
      if (more) await postpone(job, 0)
    }
  },
})
