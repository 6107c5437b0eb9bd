import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Stack } from '@iodine/dev-stack'
import { COMMAND_TIMEOUT_MS, createPeers, type Peers } from '@iodine/service-kit'
import {
  type AiProvider,
  type ApiClient,
  apiClient,
  type MailCatcher,
  mongoContents,
  redisContents,
  type SignedInUser,
  shareTestRedis,
  signUp,
  startAiProvider,
  startMailCatcher,
  startTestMongo,
  temporaryFolder,
  uniquePrefix,
} from '@iodine/test-kit'

export interface TestApp extends Stack {
  mail: MailCatcher
  ai: AiProvider
  /** Calls the gateway without a session. */
  api: ApiClient
  /** URI of the database server: one database per service, `{prefix}_{service}`. */
  mongoUrl: string
  prefix: string
  /** Calls the services over their internal API. */
  peers: Peers
  /** Returns all contents of the databases and of Redis as text. */
  dump(): Promise<{ databases: string; redis: string }>
  /** Returns the log. */
  log(): string
  /** Signs a new user in by a mailed link. With a username of null, none is chosen. */
  signUp(email?: string, username?: string | null): Promise<SignedInUser>
}

/**
 * Starts the whole app for one test file: gateway, services and workers in this process on free ports, with separate
 * databases, mail catcher and AI provider. Rate limits are off. `env` sets any variable of the contract.
 */
export const startTestApp = async ({ env = {} }: { env?: Record<string, string> } = {}): Promise<TestApp> => {
  // Loaded lazily: tests of one service never load the others.
  const { startStack } = await import('@iodine/dev-stack')
  const folder = temporaryFolder()
  const prefix = uniquePrefix()
  const [mongo, redis, mail, ai] = await Promise.all([
    startTestMongo(),
    shareTestRedis(),
    startMailCatcher(),
    startAiProvider(),
  ])
  const stopServers = async () => {
    await Promise.all([mongo.stop(), redis.stop(), mail.stop(), ai.stop()])
    folder.remove()
  }
  const app = await startStack({
    prefix,
    env: {
      PORT: '0',
      DATA_DIR: join(folder.path, 'data'),
      LOG_LEVEL: 'warn',
      MONGODB_URI: mongo.url,
      REDIS_URL: redis.url,
      SMTP_URL: mail.url,
      OPENAI_BASE_URL: ai.url,
      RATE_LIMITS: 'off',
      ...env,
    },
  }).catch(async error => {
    await stopServers()
    throw error
  })
  const services = JSON.parse(readFileSync(join(app.dataDir, 'services.json'), 'utf8'))
  const peers = createPeers(services, undefined, COMMAND_TIMEOUT_MS)
  return {
    ...app,
    mongoUrl: mongo.url,
    prefix,
    peers,
    async dump() {
      const [databases, contents] = await Promise.all([mongoContents(mongo.url), redisContents(redis.url)])
      return { databases, redis: contents }
    },
    log: () => readFileSync(join(app.dataDir, 'iodine.log'), 'utf8'),
    mail,
    ai,
    api: apiClient(app.url),
    signUp: (email, username) => signUp({ url: app.url, mail }, email, username),
    async stop() {
      await peers.close()
      await app.stop()
      await stopServers()
    },
  }
}
