import { randomBytes, type webcrypto } from 'node:crypto'
import {
  authInternal,
  type BodyOf,
  communityInternal,
  DONE,
  type DomainEvent,
  type InternalEndpoint,
  iodsInternal,
  LIMITS,
  type NotificationEvent,
  notificationsInternal,
  type ParamsOf,
  pathPattern,
  personalDataInternal,
  type QueryOf,
  type ResponseOf,
  SERVICE_NAMES,
  sightingsInternal,
  type UserCard,
} from '@iodine/contracts'
import {
  type Caller,
  createHttpApp,
  createLogger,
  faults,
  HttpError,
  invalid,
  newSigningKey,
  type Part,
  type ServiceDeps,
  signToken,
} from '@iodine/service-kit'
import { type CallInternal, internalClient } from './client.js'
import { shareTestRedis, startTestMongo, type TestServer, uniquePrefix } from './databases.js'

export interface FixtureUser extends UserCard {
  /** A session token; the fixture's `token({ scope: 'collector' })` creates others. */
  token: string
}

/** Fixture to test one service: real databases, and stubs of the other services. */
export interface ServiceFixture {
  /** Environment variables for the service's configuration; add its further settings. */
  env: Record<string, string>
  /** For createApp: the fixture's token keys, and a silent logger. */
  deps: Required<Omit<ServiceDeps, 'mongo' | 'redisTimeoutMs'>>
  /** The databases. The test files of a worker share Redis: a test of its outage starts a separate one. */
  mongo: TestServer
  redis: TestServer
  /** Creates a user known to the auth stub, with a token. Without a username: none chosen yet. */
  user(username?: string): Promise<FixtureUser>
  token(caller: Partial<Caller> & { id: string }, lifetimeMs?: number): Promise<string>
  /** Users of the auth stub: change a card's username to rename a user. */
  users: Map<string, UserCard>
  /** Events that the community stub received. */
  events: DomainEvent[]
  /** Events that the notifications stub received. */
  notified: NotificationEvent[]
  /** Ids of users that the other services were called to forget, once for each service. */
  forgotten: string[]
  /** Stubs another service's internal endpoint over HTTP, until it is stubbed again. */
  answer<E extends InternalEndpoint>(
    endpoint: E,
    handler: (call: {
      params: ParamsOf<E>
      query: QueryOf<E>
      body: BodyOf<E>
    }) => ResponseOf<E> | Promise<ResponseOf<E>>,
  ): void
  /** Starts the service, which stops with the fixture; resolves to its URL. */
  listen(service: Part): Promise<string>
  /** Calls an internal endpoint of the service started last; an error answer rejects with an ApiError. */
  internal: CallInternal
  stop(): Promise<void>
}

/** Poll interval of the outbox: tests of a restart wait for the next poll. */
const POLL_MS = 500

export const newId = () => randomBytes(12).toString('hex')

type Handler = (call: { params: unknown; query: unknown; body: unknown }) => unknown

/** Starts the server that answers the stubbed endpoints. */
const startStubs = async (logger: ReturnType<typeof createLogger>) => {
  const answers = new Map<string, { endpoint: InternalEndpoint; handler: Handler }>()

  const peers = createHttpApp({ logger })
  peers.all('/*', { config: { raw: true }, bodyLimit: LIMITS.importBytes }, async request => {
    for (const { endpoint, handler } of answers.values()) {
      const { method, path, query, body, raw } = endpoint
      const names = [...path.matchAll(/:(\w+)/g)].map(match => match[1] as string)
      const match = pathPattern(endpoint).exec(request.url.split('?')[0] ?? '')
      if (method !== request.method || !match) continue
      const params = Object.fromEntries(
        names.map((name, n) => [name, decodeURIComponent(match[n + 1] ?? '')]),
      )
      const parsed = body?.safeParse(request.body ?? {})
      if (parsed && !parsed.success) throw invalid(faults(parsed.error, 'body'))
      return handler({ params, query: query?.parse(request.query), body: raw ? request.body : parsed?.data })
    }
    throw new HttpError(404, 'Not found')
  })
  const url = await peers.listen({ host: '127.0.0.1', port: 0 })

  const answer: ServiceFixture['answer'] = (endpoint, handler) =>
    void answers.set(`${endpoint.method} ${endpoint.path}`, { endpoint, handler: handler as Handler })
  return { url, answer, stop: () => peers.close() }
}

type Received = Pick<ServiceFixture, 'events' | 'notified' | 'forgotten'>

/** Stubs the endpoints that every service calls. */
const stubServices = (
  answer: ServiceFixture['answer'],
  users: ReadonlyMap<string, UserCard>,
  { events, notified, forgotten }: Received,
): void => {
  answer(authInternal.lookupUsers, ({ body }) => body.ids.flatMap(id => users.get(id) ?? []))
  answer(authInternal.findUsers, ({ body }) => {
    const names = new Set(body.usernames.map(name => name.toLowerCase()))
    return [...users.values()].filter(({ username }) => username && names.has(username.toLowerCase()))
  })
  answer(communityInternal.applyEvents, ({ body }) => {
    events.push(...body.events)
    return DONE
  })
  answer(notificationsInternal.receiveEvents, ({ body }) => {
    notified.push(...body.events)
    return DONE
  })
  answer(notificationsInternal.receiveRecords, () => DONE)
  // Without an answer, the collector delivers each record alone.
  answer(sightingsInternal.putSightings, () => DONE)
  answer(iodsInternal.containIods, ({ body }) => body.entries.map(() => false))
  answer(personalDataInternal.eraseUser, ({ params }) => {
    forgotten.push(params.id)
    return DONE
  })
}

/**
 * Starts databases and stubs of the other services, exclusive to this test.
 * @param monitorCommands for `commandsOf`: the driver then decodes each reply twice
 */
export const startServiceFixture = async ({ monitorCommands = false } = {}): Promise<ServiceFixture> => {
  const [mongo, redis, keys] = await Promise.all([
    startTestMongo(),
    shareTestRedis(),
    crypto.subtle.generateKey('Ed25519', true, ['sign', 'verify']) as Promise<webcrypto.CryptoKeyPair>,
  ])
  const logger = createLogger('test', 'silent')
  const users = new Map<string, UserCard>()
  const { url, answer, stop: stopStubs } = await startStubs(logger)
  const received: Received = { events: [], notified: [], forgotten: [] }
  stubServices(answer, users, received)

  const token: ServiceFixture['token'] = (
    { id, sid = newId(), scope = 'full', ...rest },
    lifetimeMs = 3_600_000,
  ) => signToken({ kid: 'test', key: keys.privateKey }, { id, sid, scope, ...rest }, lifetimeMs)
  const serviceKey = randomBytes(24).toString('hex')
  let internal: CallInternal | undefined
  const started: Part[] = []
  return {
    env: {
      ...Object.fromEntries(SERVICE_NAMES.map(name => [`${name.toUpperCase()}_URL`, url])),
      LOG_LEVEL: 'silent',
      MONGODB_URI: `${mongo.url}&monitorCommands=${monitorCommands}`,
      MONGODB_PREFIX: uniquePrefix(),
      REDIS_URL: redis.url,
      REDIS_PREFIX: uniquePrefix(),
      SECRETS_KEY: randomBytes(32).toString('base64'),
      SEAL_PRIVATE_KEY: newSigningKey(),
      SERVICE_KEY: serviceKey,
    },
    deps: { logger, tokenKeys: async () => keys.publicKey, pollMs: POLL_MS },
    mongo,
    redis,
    users,
    ...received,
    answer,
    token,
    async listen(service) {
      started.push(service)
      const address = await service.listen()
      internal = internalClient(address, serviceKey)
      return address
    },
    internal(endpoint, ...input) {
      if (!internal) throw new Error('no service was started with listen')
      return internal(endpoint, ...input)
    },
    async user(username) {
      const card = { id: newId(), username: username ?? null, created_at: new Date().toISOString() }
      users.set(card.id, card)
      return { ...card, token: await token({ id: card.id }) }
    },
    async stop() {
      for (const service of started) await service.close()
      await stopStubs()
      await Promise.all([mongo.stop(), redis.stop()])
    },
  }
}
