import { randomBytes } from 'node:crypto'
import { SERVICE_NAMES } from '@iodine/contracts'
import { newSigningKey } from '@iodine/service-kit'
import { NO_LIMITS } from '@iodine/test-kit'
import type { OwnPart, ProcessName } from './names.js'

interface EnvironmentOptions {
  /** Prefix of databases and Redis keys. */
  prefix: string
  /** Returns the port at which a part reaches another process. */
  link: (from: OwnPart, to: ProcessName) => Promise<number>
  /** Returns the port that a part listens on. */
  portOf: (name: OwnPart) => number
  redisUrl: () => string
  /** Further settings for every part. */
  env: Record<string, string>
}

/** Creates the function that returns a part's environment. Rate limits are off. */
export const createEnvironment = ({ prefix, link, portOf, redisUrl, env }: EnvironmentOptions) => {
  const keys = {
    SERVICE_KEY: randomBytes(24).toString('hex'),
    SECRETS_KEY: randomBytes(32).toString('base64'),
    JWT_PRIVATE_KEY: newSigningKey(),
    SEAL_PRIVATE_KEY: newSigningKey(),
  }
  return async (name: OwnPart): Promise<Record<string, string>> => {
    const at = async (to: ProcessName) => `127.0.0.1:${await link(name, to)}`
    const redis = new URL(redisUrl())
    redis.host = await at('redis')
    const peers = name === 'gateway' ? [...SERVICE_NAMES, 'workers' as const] : SERVICE_NAMES
    const urls = await Promise.all(
      peers
        .filter(peer => peer !== name)
        .map(async peer => [`${peer.toUpperCase()}_URL`, `http://${await at(peer)}`]),
    )
    return {
      NODE_ENV: 'production',
      LOG_LEVEL: 'warn',
      ...NO_LIMITS,
      MONGODB_PREFIX: prefix,
      REDIS_PREFIX: prefix,
      PUBLIC_URL: 'http://iodine.example',
      ...keys,
      ...Object.fromEntries(urls),
      // A part connects to itself without a link.
      ...(name !== 'workers' &&
        name !== 'gateway' && { [`${name.toUpperCase()}_URL`]: `http://127.0.0.1:${portOf(name)}` }),
      MONGODB_URI: `mongodb://${await at('database')}/?directConnection=true`,
      REDIS_URL: redis.toString(),
      SMTP_URL: `smtp://${await at('smtp')}`,
      OPENAI_BASE_URL: `http://${await at('ai')}/v1`,
      ...env,
      HOST: '127.0.0.1',
      PORT: String(portOf(name)),
    }
  }
}
