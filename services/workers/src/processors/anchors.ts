import { capturesInternal } from '@iodine/contracts'
import { defineProcessor } from '../processor.js'

/** Has the collector service ask a time-stamping authority to witness the log of seals, if one is set. */
export const anchorsProcessor = defineProcessor({
  queue: 'anchors',
  concurrency: 1,
  async create({ service: { peers, log } }) {
    return async () => {
      const { size } = await peers.call('collector', capturesInternal.anchorLog, { ms: 30_000 })
      if (size !== null) log.info({ size }, 'log of seals time-stamped')
    }
  },
})
