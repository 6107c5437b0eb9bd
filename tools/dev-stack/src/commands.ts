import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import {
  type AccountIo,
  accountUsage,
  auditLogUsage,
  type KeyStore,
  runAccount,
  runAuditLog,
} from '@iodine/auth'
import { evidenceUsage, runEvidence } from '@iodine/collector'
import { localUrl, lockHolder } from '@iodine/local-servers'
import { type Peers, type RebuiltPart, rebuildPart, withPeers } from '@iodine/service-kit'
import { readStackConfig, type StackConfig } from './config.js'
import type { Env } from './parts.js'
import { KEY_FILES, replaceSecret } from './secrets.js'
import { keptServices } from './services.js'
import { type Stack, startStack } from './stack.js'

/** Returns why the product can't be started for the command; undefined if it can. */
const obstacle = (config: StackConfig, dataDir: string): string | undefined => {
  const has = (name: string) => existsSync(join(dataDir, name))
  if (!config.MONGODB_URI && !has('embedded-mongo') && !has('mongod'))
    return `${dataDir} holds no data: set DATA_DIR as for npm start`
  // Without the original keys, queued mails and AI keys in the data could not be decrypted.
  if (config.MONGODB_URI && !config.SECRETS_KEY && !has('secrets-key'))
    return `Neither SECRETS_KEY nor DATA_DIR ${dataDir} contains the keys of that database: set the same variables as for npm start`
  return undefined
}

interface CommandOptions {
  /** The same as for npm start. */
  env: Env
  /** Prints a line. */
  say: (line: string) => void
  /** Fault of the arguments. */
  usage: string | undefined
  /** Exit code if the services can't be used. */
  unavailable?: number
}

/**
 * Runs an operator's command on the services that run on DATA_DIR, or starts them for its duration.
 * @returns the command's exit code; 2 for a fault of the arguments
 */
const onServices = async (
  { env, say, usage, unavailable = 1 }: CommandOptions,
  command: (peers: Peers) => Promise<number>,
): Promise<number> => {
  if (usage !== undefined) {
    say(usage)
    return 2
  }
  const config = readStackConfig(env)
  const dataDir = resolve(config.DATA_DIR)
  const holder = lockHolder(dataDir)
  let temporary: Stack | undefined
  if (holder === undefined) {
    const reason = obstacle(config, dataDir)
    if (reason !== undefined) {
      say(reason)
      return unavailable
    }
    say(`No product runs on ${dataDir}: starting it for this command …`)
    const PUBLIC_URL = config.PUBLIC_URL ?? localUrl(config.HOST, config.PORT)
    // Random loopback ports, unknown to any client.
    const onFreePorts = { ...env, HOST: '127.0.0.1', PORT: '0', INBOX_PORT: '0', PUBLIC_URL }
    temporary = await startStack({ env: onFreePorts, progress: say })
  }
  try {
    const services = keptServices(dataDir)
    if (!services) {
      say(`Process ${holder} is starting or stopping on ${dataDir}: try again`)
      return unavailable
    }
    return await withPeers(services, command)
  } finally {
    await temporary?.stop()
  }
}

/** Returns the store of the keys of `npm start`: files in DATA_DIR, unless the environment sets them. */
const keyStore = (env: Env): KeyStore => {
  const config = readStackConfig(env)
  const fileOf = (setting: keyof typeof KEY_FILES) => join(resolve(config.DATA_DIR), KEY_FILES[setting])
  return {
    together: true,
    read: setting => config[setting] ?? readFileSync(fileOf(setting), 'utf8').trim(),
    writer: setting =>
      config[setting] === undefined ? value => replaceSecret(fileOf(setting), value) : undefined,
  }
}

/** Runs the command `npm run account`. Resolves to the exit code. */
export const account = (args: string[], env: Env, io: AccountIo): Promise<number> =>
  onServices({ env, say: io.say, usage: accountUsage(args) }, peers =>
    runAccount(peers, args, { ...io, keys: keyStore(env) }),
  )

/** Runs `npm run audit-log`. Resolves to the exit code: 1 if the chain is broken, 2 if it was not checked. */
export const auditLog = (args: string[], env: Env, say: (line: string) => void): Promise<number> =>
  onServices({ env, say, usage: auditLogUsage(args), unavailable: 2 }, peers =>
    runAuditLog(peers, args, { say }),
  )

/** Runs the command `npm run evidence`. Resolves to the exit code. */
export const evidence = (args: string[], env: Env, say: (line: string) => void): Promise<number> =>
  onServices({ env, say, usage: evidenceUsage(args) }, peers => runEvidence(peers, args, { say }))

/** Rebuilds the projection of a service, in the product that runs on DATA_DIR; false if no product runs there. */
export const rebuild = async (part: RebuiltPart, env: Env): Promise<boolean> => {
  const services = keptServices(resolve(readStackConfig(env).DATA_DIR))
  if (services) await rebuildPart(part, services)
  return services !== undefined
}
