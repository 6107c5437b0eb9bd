import { importsInternal } from '@iodine/contracts'
import { defineProcessor } from '../processor.js'

/** Steps after which an import goes to the end of the queue, so that a large one does not hold others up. */
const STEPS = 10
/** For one step: some thousand objects and their IODs. */
const STEP_MS = 60_000

/** Has the campaigns service plan and apply imported files, part by part. */
export const importsProcessor = defineProcessor({
  queue: 'imports',
  concurrency: 2,
  async create({ service: { peers, queues } }) {
    return async ({ import_id }) => {
      for (let step = 0; step < STEPS; step++) {
        const options = { params: { id: import_id }, ms: STEP_MS }
        const { more } = await peers.call('campaigns', importsInternal.stepImport, options)
        if (!more) return
      }
      await queues.add('imports', { import_id })
    }
  },
})
