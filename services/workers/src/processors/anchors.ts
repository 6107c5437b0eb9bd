import { capturesInternal } from '@iodine/contracts'
import { timestampOf } from '../anchors/authority.js'
import { defineProcessor } from '../processor.js'

/** Requests a timestamp of the seal log from the authority, if one is configured and the log has grown. */
export const anchorsProcessor = defineProcessor({
  queue: 'anchors',
  concurrency: 1,
  async create({ service: { peers, log }, config: { TSA_URL } }) {
    return async () => {
      if (TSA_URL === undefined) return
      const { due } = await peers.call('collector', capturesInternal.getDueAnchor)
      if (!due) return
      const token = Buffer.from(await timestampOf(TSA_URL, due.text)).toString('base64')
      const { origin, pathname } = new URL(TSA_URL)
      const body = { size: due.size, tsa: origin + pathname, token }
      await peers.call('collector', capturesInternal.storeAnchor, { body })
      log.info({ size: due.size }, 'seal log timestamped')
    }
  },
})
