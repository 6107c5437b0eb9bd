import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { localUrl, lockHolder } from '@iodine/local-servers'
import { type Peers, withPeers } from '@iodine/service-kit'
import { readStackConfig, type StackConfig } from './config.js'
import type { Env } from './parts.js'
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

/**
 * Runs an operator's command on the services that run on DATA_DIR, or starts them for its duration.
 * @param env the same as for npm start
 * @param say prints a line
 * @returns the exit code
 */
export const onServices = async (
  env: Env,
  say: (line: string) => void,
  command: (peers: Peers) => Promise<number>,
): Promise<number> => {
  const config = readStackConfig(env)
  const dataDir = resolve(config.DATA_DIR)
  const holder = lockHolder(dataDir)
  let temporary: Stack | undefined
  if (holder === undefined) {
    const reason = obstacle(config, dataDir)
    if (reason !== undefined) {
      say(reason)
      return 1
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
      return 1
    }
    return await withPeers(services, command)
  } finally {
    await temporary?.stop()
  }
}
