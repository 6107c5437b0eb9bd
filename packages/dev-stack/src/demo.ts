import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { demoAccounts, fillDemo } from '@iodine/demo'
import type { Stack } from './stack.js'

/**
 * Fills a stack with the demo's accounts and their work, once for its data folder, and tells how to sign in. What the
 * product refuses is said and tried again at the next start.
 */
export const addDemo = async (
  { url, inboxUrl, takeLink, adminEmails, offlineAi, dataDir }: Stack,
  say: (line: string) => void,
): Promise<string> => {
  const [adminEmail] = adminEmails
  if (!takeLink || !adminEmail)
    throw new Error('--demo needs the embedded inbox and an address in ADMIN_EMAILS')
  const done = join(dataDir, 'demo-filled')
  if (!existsSync(done)) {
    say('Filling in the demo: accounts and records …')
    try {
      await fillDemo({ url, adminEmail, mailedLink: takeLink }, say)
      writeFileSync(done, `${new Date().toISOString()}\n`)
    } catch (error) {
      say(`The demo is not complete: ${(error as Error).message}`)
    }
  }
  const addresses = demoAccounts.map(
    ({ email, username }) => `  ${(email ?? adminEmail).padEnd(24)} @${username}`,
  )
  return `
Demo accounts: sign in with one of these addresses, the link arrives in the inbox at ${inboxUrl}
${addresses.join('\n')}
${adminEmail} is the administrator. ${
    offlineAi
      ? 'Texts are analyzed by rules on this machine, not by an AI model.'
      : 'Texts are analyzed by the provider of OPENAI_BASE_URL.'
  }

`
}
