import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { authConfigSchema, makeSignInToken } from '@iodine/auth'
import { LIMITS } from '@iodine/contracts'
import { demoAccounts, fillDemo } from '@iodine/demo'
import { readConfig } from '@iodine/service-kit'
import { spreadDates } from './demo-dates.js'
import { addDemoReport } from './demo-report.js'
import type { Stack } from './stack.js'

const DEMO_DAYS = 60

/** Returns the days over which `--demo` or `--demo=DAYS` spreads the demo's content; undefined without it. */
export const demoDaysIn = (args: readonly string[]): number | undefined => {
  const option = args.find(arg => /^--demo(?:=\d{1,3})?$/.test(arg))
  return option === undefined ? undefined : Number(option.split('=')[1] ?? DEMO_DAYS)
}

/**
 * Fills a stack with the demo's accounts and their data, once per data folder. Sends no mail, so that no made-up address
 * reaches an SMTP_URL. A failed step is reported and retried at the next start.
 * @param days over which its content is spread
 * @returns how to sign in, for the terminal
 */
export const addDemo = async (
  stack: Stack,
  say: (line: string) => void,
  days = DEMO_DAYS,
): Promise<string> => {
  const { url, inboxUrl, adminEmails, offlineAi, dataDir, parts } = stack
  const [adminEmail] = adminEmails
  if (!adminEmail) throw new Error('--demo requires an e-mail address in ADMIN_EMAILS')
  const auth = readConfig(authConfigSchema, parts.auth.env)
  const signInToken = (email: string) => makeSignInToken(auth, email)
  const done = join(dataDir, 'demo-filled')
  if (!existsSync(done)) {
    say('Filling in the demo: accounts and records …')
    try {
      const since = new Date()
      await fillDemo({ url, adminEmail, signInToken }, say)
      await spreadDates(stack, since, days)
      say('Filling in the demo: a published report …')
      await addDemoReport(stack, adminEmail, signInToken)
      writeFileSync(done, `${new Date().toISOString()}\n`)
    } catch (error) {
      say(`The demo is not complete: ${(error as Error).message}`)
    }
  }
  const lines = demoAccounts.map(
    ({ email, username }) => `  ${(email ?? adminEmail).padEnd(24)} @${username}`,
  )
  const [first] = demoAccounts
  const howTo = inboxUrl
    ? `sign in with one of these addresses, the link arrives in the inbox at ${inboxUrl}`
    : `mail goes to SMTP_URL, and only ${adminEmail} can read it. To sign in as @${first?.username}, open within ${LIMITS.magicLinkMs / 60_000} minutes
${auth.PUBLIC_URL}/magic-login?token=${await signInToken(first?.email ?? adminEmail)}`
  return `
Demo accounts: ${howTo}
${lines.join('\n')}
${adminEmail} is the administrator. ${
    offlineAi
      ? 'Texts are analyzed by rules on this machine, not by an AI model.'
      : 'Texts are analyzed by the provider of OPENAI_BASE_URL.'
  }

`
}
