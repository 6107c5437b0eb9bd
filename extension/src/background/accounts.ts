import { ApiError, parseUrl } from '@iodine/contracts'
import { Failure } from '../shared/failures'
import { callApi, endpoints } from './api'
import { type Account, type Database, readSetting, writeSetting } from './database'

const LOOPBACK = /^(localhost|127\.0\.0\.1)$/

/** Returns the origin of a server's URL. @throws Failure if no token may be sent to it */
export const serverOf = (address: string): string => {
  const text = address.trim()
  const url = parseUrl(text)
  const isSafe = url?.protocol === 'https:' || (url?.protocol === 'http:' && LOOPBACK.test(url.hostname))
  if (!url || !isSafe) throw new Failure('unsafeServer')
  if (url.username || url.password || url.pathname !== '/' || url.search || url.hash)
    throw new Failure('serverPath')
  return url.origin
}

/** Returns the server for sign-in: from the options, else the default of this build. */
export const readServer = async (database: Database): Promise<string> => {
  const chosen = await readSetting(database, 'server')
  if (chosen) return chosen
  const packed = await fetch(chrome.runtime.getURL('deployment.json'))
  const { server } = (await packed.json()) as { server: string }
  return serverOf(server)
}

/** Exchanges a code from the app's overview for a session; rejects with a message for the user. */
export const signIn = async (database: Database, server: string, code: string): Promise<void> => {
  const { access_token: token } = await callApi({ server }, endpoints.redeem, { body: { code: code.trim() } })
  const profile = await callApi({ server, token }, endpoints.profile)
  await writeSetting(database, 'account', {
    server,
    token,
    userId: profile.id,
    name: profile.username ? `@${profile.username}` : profile.email,
  })
  await clearRetryStates(database)
}

/** Deletes the retry states of the previous account. */
const clearRetryStates = async (database: Database): Promise<void> => {
  for (const setting of ['trouble', 'captureTrouble', 'leftOut'] as const)
    await writeSetting(database, setting, undefined)
}

/** Removes the account and ends its session on the server. Also works if the server is unreachable. */
export const signOut = async (database: Database): Promise<void> => {
  const account = await readSetting(database, 'account')
  await writeSetting(database, 'account', undefined)
  await clearRetryStates(database)
  if (!account?.token) return
  try {
    await callApi(account, endpoints.logout)
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
  }
}

/** Returns the signed-in account. @throws Failure if there is none or its session has ended */
export const requireAccount = async (database: Database): Promise<Account & { token: string }> => {
  const account = await readSetting(database, 'account')
  if (!account?.token) throw new Failure('signInFirst')
  return { ...account, token: account.token }
}

/** Ends a session that the server refused, unless the user has signed in again since. */
export const endSession = async (database: Database, token: string | undefined): Promise<void> => {
  const account = await readSetting(database, 'account')
  if (account?.token === undefined || account.token !== token) return
  const { token: _, ...ended } = account
  await writeSetting(database, 'account', ended)
}
