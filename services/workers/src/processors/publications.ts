import { publicationsInternal } from '@iodine/contracts'
import { defineProcessor, postpone } from '../processor.js'

/** For one step: the campaign is written as its files are, and compared. */
const STEP_MS = 60_000
/** When a campaign that waits for another one of its creator is looked at again. */
const BUSY_MS = 1_000

/**
 * Has the campaigns service bring feeds in line. What takes longer than a step, or waits for its turn, goes to the end of
 * the queue, so that one member's campaigns do not hold others' up.
 */
export const publicationsProcessor = defineProcessor({
  queue: 'publications',
  concurrency: 4,
  async create({ service: { peers } }) {
    return async ({ campaign_id }, job) => {
      const options = { params: { id: campaign_id }, ms: STEP_MS }
      const { more, busy } = await peers.call('campaigns', publicationsInternal.stepPublication, options)
      if (more) await postpone(job, busy ? BUSY_MS : 0)
    }
  },
})
