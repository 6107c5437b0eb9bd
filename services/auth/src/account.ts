import { randomUUID } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { resolve } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { accountsInternal, auditInternal, email, KEY_SETTINGS, type KeySetting } from '@iodine/contracts'
import { HttpError, newAuditEntry, type Peers } from '@iodine/service-kit'
import { EXPORT_SERVICES, readPart, writeExport } from './accounts/queries/personal-data.js'
import { describeKeys, keysOf, nextStep, readKeyStates, settingOf, shortOf } from './key-settings.js'

const USAGE = `account delete|suspend|unsuspend|reset-passkeys EMAIL
account export EMAIL [FILE]     FILE: by default account-ID.json in this folder; - for standard output
account keys                    the keys that sign sessions and seal secrets, and how long each is needed
account rotate-keys [SETTING]   the next step of a rotation of JWT_PRIVATE_KEY, SECRETS_KEY, or both`
const ERASED_WITHIN_MS = 60_000
const EXPORT_MS = 600_000

/** Input and output of the account command. */
export interface AccountIo {
  /** Prints a line to the terminal. */
  say(line: string): void
  /** Target of an export to `-`. */
  stdout: NodeJS.WritableStream
  /** Base folder of relative file names. */
  folder: string
  /** Store of the deployment's keys; absent if the command cannot reach it. */
  keys?: KeyStore
}

/** Key settings as the services read them at their next start. */
export interface KeyStore {
  /** All services restart at the same time. */
  together: boolean
  read(setting: KeySetting): string
  /** Returns a function that stores the value for the next start; undefined if the deployer has to set it. */
  writer(setting: KeySetting): ((value: string) => void) | undefined
}

/** Records an action of the operator in the audit log. */
const record = (peers: Peers, what: Parameters<typeof newAuditEntry>[1]) =>
  peers.call('auth', auditInternal.appendAudit, { body: { entries: [newAuditEntry('operator', what)] } })

const exportTo = async (peers: Peers, id: string, name: string, { folder, stdout }: AccountIo) => {
  const pieces = Readable.from(
    writeExport({ id, at: new Date(), services: EXPORT_SERVICES }, service =>
      readPart(peers, service, id, EXPORT_MS),
    ),
  )
  if (name === '-') return pipeline(pieces, stdout, { end: false })
  const file = resolve(folder, name)
  const draft = `${file}.${randomUUID()}`
  try {
    await pipeline(pieces, createWriteStream(draft, { mode: 0o600, flags: 'wx' }))
    await rename(draft, file)
  } catch (error) {
    await rm(draft, { force: true })
    throw error
  }
  return file
}

const erased = async (peers: Peers, id: string): Promise<boolean> => {
  for (const deadline = Date.now() + ERASED_WITHIN_MS; Date.now() < deadline; await sleep(200)) {
    const state = await peers
      .call('auth', accountsInternal.getDeletion, { params: { id } })
      .catch(() => ({ erased: false }))
    if (state.erased) return true
  }
  return false
}

const run = async (peers: Peers, action: string, body: { email: string }, file: string, io: AccountIo) => {
  switch (action) {
    case 'suspend':
      await peers.call('auth', accountsInternal.suspendAccount, { body, ms: 30_000 })
      return io.say(`${body.email} is suspended: all sessions have ended, and sign-in is disabled.`)
    case 'unsuspend':
      await peers.call('auth', accountsInternal.unsuspendAccount, { body })
      return io.say(`${body.email} may sign in again.`)
    case 'reset-passkeys':
      await peers.call('auth', accountsInternal.resetPasskeys, { body, ms: 30_000 })
      return io.say(`${body.email}: all passkeys and sessions are removed. Sign-in is by mailed link.`)
    case 'delete': {
      const { id } = await peers.call('auth', accountsInternal.deleteAccount, { body, ms: 30_000 })
      const complete = await erased(peers, id)
      return io.say(
        complete
          ? `${body.email} is deleted: its data is removed; IODs, votes and campaigns no longer have an owner.`
          : `${body.email} is deleted, but a service that stores data of it is down: its data is erased once the service is up again.`,
      )
    }
    case 'export': {
      const { id } = await peers.call('auth', accountsInternal.findAccount, { body })
      await record(peers, { action: 'account.exported', subject: { kind: 'account', id } })
      const written = await exportTo(peers, id, file || `account-${id}.json`, io)
      return io.say(`Everything about ${body.email}${written ? ` is in ${written}` : ' is above'}.`)
    }
  }
}

/** Returns a line of an environment file. */
const lineOf = (setting: KeySetting, value: string) =>
  `${setting}=${value.includes('\n') ? JSON.stringify(value) : value}\n`

/** Performs the next step of a key rotation: stores the new value, or prints it. */
const rotateKeys = async (
  peers: Peers,
  settings: readonly KeySetting[],
  { keys: store, say, stdout }: AccountIo,
): Promise<void> => {
  if (!store) throw new Error('this command cannot access the keys')
  const known = await readKeyStates(peers)
  for (const setting of settings) {
    const { next, message } = await nextStep(
      setting,
      await keysOf(setting, store.read(setting)),
      known,
      store.together,
    )
    say(`${setting}: ${message}.`)
    if (!next) continue
    // Recorded before the change.
    await record(peers, { action: 'key.rotated', subject: { kind: 'key' }, detail: setting })
    const write = store.writer(setting)
    if (write) {
      write(settingOf(setting, next))
      say('  It is stored. Restart the app: sessions stay valid.')
      continue
    }
    stdout.write(lineOf(setting, settingOf(setting, next)))
    const parts = setting === 'SECRETS_KEY' ? 'auth and workers' : 'auth'
    say(
      store.together
        ? '  Set the line on standard output and restart the app.'
        : `  Set the line on standard output, restart ${parts} (all replicas), then run this command again.`,
    )
  }
}

const isKeySetting = (text: string): text is KeySetting => KEY_SETTINGS.some(setting => setting === text)

/** Runs an action on keys. Returns false for an action on an account. */
const runOnKeys = async (peers: Peers, [action, setting]: string[], io: AccountIo): Promise<boolean> => {
  if (action === 'keys') {
    const known = await readKeyStates(peers)
    for (const line of describeKeys(known)) io.say(line)
    for (const setting of io.keys ? KEY_SETTINGS : [])
      for (const { id } of await keysOf(setting, io.keys?.read(setting) ?? ''))
        if (known.every(key => key.id !== id))
          io.say(`${setting}: ${shortOf(id)} becomes active at the next start`)
  } else if (action === 'rotate-keys')
    await rotateKeys(peers, setting && isKeySetting(setting) ? [setting] : KEY_SETTINGS, io)
  else return false
  return true
}

const ACTIONS = ['delete', 'suspend', 'unsuspend', 'reset-passkeys', 'export']

/** Validates the arguments before any prompt or request. Returns the fault, if any. */
export const accountUsage = ([action = '', address = '', file, more]: string[]): string | undefined => {
  if (action === 'keys') return address ? USAGE : undefined
  if (action === 'rotate-keys')
    return file || (address && !isKeySetting(address))
      ? `SETTING: ${KEY_SETTINGS.join(' or ')}\n${USAGE}`
      : undefined
  if (!ACTIONS.includes(action) || (file && action !== 'export') || more) return USAGE
  return email.safeParse(address).success ? undefined : `${address || 'EMAIL'} is not an e-mail address`
}

/**
 * Runs the operator's account command: deletes, suspends or exports the account of an e-mail address, or rotates keys,
 * by calling the running services. Resolves to the exit code.
 */
export const runAccount = async (peers: Peers, args: string[], io: AccountIo): Promise<number> => {
  const fault = accountUsage(args)
  if (fault !== undefined) {
    io.say(fault)
    return 2
  }
  const [action = '', address = '', file = ''] = args
  try {
    if (!(await runOnKeys(peers, args, io)))
      await run(peers, action, { email: email.parse(address) }, file, io)
    return 0
  } catch (error) {
    if (error instanceof HttpError && error.status === 404) io.say(`There is no account of ${address}.`)
    else if (error instanceof HttpError) io.say(`A required service is down: try again. (${error.status})`)
    else io.say(`Failed: ${(error as Error).message}`)
    return 1
  }
}
