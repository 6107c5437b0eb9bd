import { setTimeout as sleep } from 'node:timers/promises'
import { authApi, profileApi } from '@iodine/contracts'
import { linkIn } from '@iodine/test-kit'
import { Analyst, type AnalystContext, RETRY_PAUSE_MS } from './analyst.js'
import { Register, type UserEntry } from './ledger.js'

const MAIL_WAIT_MS = 90_000
let addresses = 0

/** Requests a sign-in link. Resolves to the token in a new mail. */
const mailedToken = async (around: AnalystContext, email: string): Promise<string | undefined> => {
  const { client, ledger, mails } = around
  const mine = () => mails().filter(({ to }) => to.includes(email))
  const before = new Set(mine().map(({ messageId }) => messageId))
  const asked = ledger.mails.get(email) ?? { acknowledged: 0, unknown: 0 }
  ledger.mails.set(email, asked)
  const outcome = await client.call(authApi.requestMagicLink, { body: { email } })
  ledger.note('ask for a link', outcome)
  if (outcome.kind === 'unknown') asked.unknown++
  if (outcome.kind !== 'done') return undefined
  asked.acknowledged++
  for (const deadline = Date.now() + MAIL_WAIT_MS; Date.now() < deadline; await sleep(200)) {
    const mail = mine().find(({ messageId }) => !before.has(messageId))
    if (mail) return new URL(linkIn(mail)).searchParams.get('token') ?? ''
  }
  return undefined
}

/** Requests a sign-in link. Resolves to whether its mail arrives. */
export const receivesLink = async (around: AnalystContext): Promise<boolean> =>
  (await mailedToken(around, `canary${++addresses}@${around.run}.example`)) !== undefined

/**
 * Signs a new member in by a mailed link, with retries, and chooses a username. Resolves to undefined if `isOver` is
 * true first.
 */
export const registerAnalyst = async (
  around: AnalystContext,
  isOver: () => boolean,
): Promise<Analyst | undefined> => {
  const { client, ledger } = around
  const email = `person${++addresses}@${around.run}.example`
  const insist = async <T>(attempt: () => Promise<T | undefined>): Promise<T | undefined> => {
    while (!isOver()) {
      const result = await attempt()
      if (result !== undefined) return result
      await sleep(RETRY_PAUSE_MS)
    }
    return undefined
  }
  const token = await insist(async () => {
    const mailed = await mailedToken(around, email)
    if (mailed === undefined) return undefined
    const outcome = await client.call(authApi.verifyMagicLink, { body: { token: mailed } })
    ledger.note('sign in', outcome)
    return outcome.kind === 'done' ? outcome.body.access_token : undefined
  })
  if (token === undefined) return undefined
  const { call } = client.as(token)
  const id = await insist(async () => {
    const profile = await call(profileApi.getProfile)
    ledger.note('first profile', profile)
    if (profile.kind === 'done') return profile.body.id
    return profile.kind === 'refused' ? null : undefined
  })
  if (!id) return undefined
  const entry: UserEntry = {
    id,
    email,
    token,
    username: new Register(''),
    records: new Map(),
    campaigns: [],
    narratives: [],
    captures: [],
  }
  ledger.users.push(entry)
  const analyst = new Analyst(around, entry)
  await insist(async () => (await analyst.rename()) || undefined)
  return insist(async () => {
    const key = await call(profileApi.updateOpenaiKey, { body: { api_key: 'sk-chaos' } })
    return key.kind === 'done' ? analyst : undefined
  })
}
