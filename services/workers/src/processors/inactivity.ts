import { accountsInternal } from '@iodine/contracts'
import { defineProcessor } from '../processor.js'

/** Has auth warn the owners of inactive accounts, and delete accounts whose owners did not return, or asked for it. */
export const inactivityProcessor = defineProcessor({
  queue: 'inactivity',
  concurrency: 1,
  async create({ service: { peers, log } }) {
    return async () => {
      for (;;) {
        const { warned, deleted, more } = await peers.call('auth', accountsInternal.expireAccounts, {
          ms: 60_000,
        })
        if (warned + deleted > 0) log.info({ warned, deleted }, 'inactive accounts')
        if (!more || warned + deleted === 0) return
      }
    }
  },
})
