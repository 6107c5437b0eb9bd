import { randomBytes, type webcrypto } from 'node:crypto'
import {
  authInternal,
  type BodyOf,
  type EndpointSpec,
  type ParamsOf,
  type ResponseOf,
  SERVICE_NAMES,
  type UserCard,
} from '@iodine/contracts'
import {
  type Caller,
  createHttpApp,
  createLogger,
  HttpError,
  type ServiceDeps,
  signToken,
} from '@iodine/service-kit'
import { startTestMongo, startTestRedis, type TestServer, uniquePrefix } from './databases.js'

export interface BedUser extends UserCard {
  /** A session token; `token({ scope: 'collector' })` of the bed makes others. */
  token: string
}

/** What one service needs around it to run alone: real databases, and answers in place of the other services. */
export interface ServiceBed {
  /** For the service's configuration; add what it reads besides. */
  env: Record<string, string>
  /** For createApp: the bed's token keys, and a log that keeps quiet. */
  deps: Required<ServiceDeps>
  /** The databases, for tests of an outage. */
  mongo: TestServer
  redis: TestServer
  /** Somebody whom the auth service knows, with a token. No username: has not chosen one yet. */
  user(username?: string): Promise<BedUser>
  token(caller: Partial<Caller> & { id: string }, lifetimeMs?: number): Promise<string>
  /** What the auth service tells of users: change a card's username here to rename somebody. */
  users: Map<string, UserCard>
  /** Answers another service's internal endpoint, over HTTP, until it is answered anew. */
  answer<E extends EndpointSpec>(
    endpoint: E,
    handler: (call: { params: ParamsOf<E>; body: BodyOf<E> }) => ResponseOf<E> | Promise<ResponseOf<E>>,
  ): void
  stop(): Promise<void>
}

export const newId = () => randomBytes(12).toString('hex')

/** Starts databases and a stand-in for the other services, all of this test's own. */
export const startServiceBed = async (): Promise<ServiceBed> => {
  const [mongo, redis, keys] = await Promise.all([
    startTestMongo(),
    startTestRedis(),
    crypto.subtle.generateKey('Ed25519', true, ['sign', 'verify']) as Promise<webcrypto.CryptoKeyPair>,
  ])
  const logger = createLogger('test', 'silent')
  const users = new Map<string, UserCard>()
  const answers = new Map<string, (call: { params: unknown; body: unknown }) => unknown>()

  const peers = createHttpApp({ logger })
  peers.all('/*', async request => {
    for (const [route, handler] of answers) {
      const [method, path = ''] = route.split(' ')
      const names = [...path.matchAll(/:(\w+)/g)].map(match => match[1] as string)
      const match = new RegExp(`^${path.replace(/:\w+/g, '([^/]+)')}$`).exec(request.url.split('?')[0] ?? '')
      if (method !== request.method || !match) continue
      const params = Object.fromEntries(
        names.map((name, n) => [name, decodeURIComponent(match[n + 1] ?? '')]),
      )
      return handler({ params, body: request.body ?? {} })
    }
    throw new HttpError(404, 'Not found')
  })
  const url = await peers.listen({ host: '127.0.0.1', port: 0 })

  const answer: ServiceBed['answer'] = (endpoint, handler) =>
    void answers.set(`${endpoint.method} ${endpoint.path}`, handler as (call: object) => unknown)
  answer(authInternal.lookupUsers, ({ body }) => body.ids.flatMap(id => users.get(id) ?? []))

  const token: ServiceBed['token'] = ({ id, sid = newId(), scope = 'full' }, lifetimeMs = 3_600_000) =>
    signToken(keys.privateKey, { id, sid, scope }, lifetimeMs)
  return {
    env: {
      ...Object.fromEntries(SERVICE_NAMES.map(name => [`${name.toUpperCase()}_URL`, url])),
      LOG_LEVEL: 'silent',
      MONGODB_URI: mongo.url,
      MONGODB_PREFIX: uniquePrefix(),
      REDIS_URL: redis.url,
      REDIS_PREFIX: uniquePrefix(),
      SECRETS_KEY: randomBytes(32).toString('base64'),
      SERVICE_KEY: randomBytes(24).toString('hex'),
    },
    deps: { logger, tokenKeys: async () => keys.publicKey },
    mongo,
    redis,
    users,
    answer,
    token,
    async user(username) {
      const card = { id: newId(), username: username ?? null, created_at: new Date().toISOString() }
      users.set(card.id, card)
      return { ...card, token: await token({ id: card.id }) }
    },
    async stop() {
      await peers.close()
      await Promise.all([mongo.stop(), redis.stop()])
    },
  }
}
