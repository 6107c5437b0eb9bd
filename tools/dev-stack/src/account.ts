import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { type AccountIo, accountUsage, type KeyStore, runAccount } from '@iodine/auth'
import { readStackConfig } from './config.js'
import { onServices } from './on-services.js'
import type { Env } from './parts.js'
import { KEY_FILES, replaceSecret } from './secrets.js'

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

/**
 * Runs the command `npm run account`.
 * @param env the same as for npm start
 * @returns the exit code
 */
export const account = async (args: string[], env: Env, io: AccountIo): Promise<number> => {
  const fault = accountUsage(args)
  if (fault === undefined)
    return onServices(env, io.say, peers => runAccount(peers, args, { ...io, keys: keyStore(env) }))
  io.say(fault)
  return 2
}
