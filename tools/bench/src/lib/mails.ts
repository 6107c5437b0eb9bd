import type { ProcessStack } from '@iodine/harness'

const TRIES = 100
const LOOK_MS = 100

/** Waits for mails of a product with a process a part, as `signUp` needs it. */
export const mailsOf = (stack: Pick<ProcessStack, 'mails'>) => ({
  async waitForMail(to: string) {
    for (let left = TRIES; left > 0; left--) {
      const mail = stack.mails().findLast(each => each.to.includes(to))
      if (mail) return mail
      await new Promise(next => setTimeout(next, LOOK_MS))
    }
    throw new Error(`no mail to ${to}`)
  },
})
