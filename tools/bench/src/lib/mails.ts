import type { ProcessApp } from '@iodine/harness'

const TRIES = 100
const LOOK_MS = 100

/** Returns the `waitForMail` that `signUp` needs, for a product with one process per part. */
export const mailsOf = (stack: Pick<ProcessApp, 'mails'>) => ({
  async waitForMail(to: string) {
    for (let left = TRIES; left > 0; left--) {
      const mail = stack.mails().findLast(each => each.to.includes(to))
      if (mail) return mail
      await new Promise(next => setTimeout(next, LOOK_MS))
    }
    throw new Error(`no mail to ${to}`)
  },
})
