import { createServer, connect as dial, type Socket } from 'node:net'
import {
  authInternal,
  type BodyFor,
  type DomainEvent,
  type Extraction,
  narrativesInternal,
} from '@iodine/contracts'
import {
  createOutbox,
  createPartMetrics,
  readConfig,
  rebuildPart,
  type StoreService,
} from '@iodine/service-kit'
import {
  type ApiClient,
  apiClient,
  type FixtureUser,
  type ServiceFixture,
  startServiceFixture,
} from '@iodine/test-kit'
import { expect, vi } from 'vitest'
import { createApp, narrativesConfigSchema } from '../src/index.js'
import { createStore, type Store } from '../src/store.js'

export type Triplet = Extraction['triplets'][number]
export const triplet = (subject: string, verb = 'says', object = 'nothing'): Triplet => ({
  subject,
  verb,
  object,
})

/** The narratives service with stubs of the other services, and a Redis whose connection can be cut. */
export interface TestServer {
  fixture: ServiceFixture
  service: StoreService
  url: string
  /** The collections, for assertions on state that no endpoint returns. */
  store: Store
  user(username?: string): Promise<FixtureUser & { api: ApiClient }>
  /** Users without an AI key. */
  keyless: Set<string>
  /** Consumes the extraction queue from now on. */
  work(extract: (narrativeId: string) => Promise<unknown>): void
  /** Counts requests from now on. The returned function waits until `count` of them wait for an extraction. */
  joins(): (count: number) => Promise<void>
  /** Events that the stub of the community service received, oldest first. */
  events: DomainEvent[]
  /** Waits until the last change of a narrative is published. */
  published(id: string): Promise<void>
  /** Builds a user's sums, or folds changes into them, for a graph of any size. */
  sum(userId: string): Promise<void>
  /** Recomputes the graphs of all users. */
  rebuild(): Promise<void>
  /** Makes deleted narratives unrestorable, and processes all outbox entries. */
  clear(): Promise<void>
  internal: ServiceFixture['internal']
  finish(id: string, body: BodyFor<typeof narrativesInternal.finishExtraction>): Promise<number>
  /** Processes all outbox entries as if they were due. */
  drain(): Promise<void>
  redis: { cut(): Promise<void>; restore(): Promise<void> }
  stop(): Promise<void>
}

/** Starts a TCP proxy to Redis, whose connections can be cut while Redis is running. */
const startRedisProxy = async (to: string) => {
  const url = new URL(to)
  const { hostname, port } = url
  const open = new Set<Socket>()
  const server = createServer(client => {
    const behind = dial(Number(port), hostname)
    for (const [one, other] of [
      [client, behind],
      [behind, client],
    ] as const) {
      open.add(one)
      one.on('error', () => {})
      one.on('close', () => {
        open.delete(one)
        other.destroy()
      })
      one.pipe(other)
    }
  })
  const listen = (port: number) => new Promise<void>(resolve => server.listen(port, '127.0.0.1', resolve))
  await listen(0)
  const address = server.address() as { port: number }
  const cut = () =>
    new Promise<void>(resolve => {
      if (!server.listening) return resolve()
      server.close(() => resolve())
      for (const socket of open) socket.destroy()
    })
  url.host = `127.0.0.1:${address.port}`
  const restore = async () => {
    if (!server.listening) await listen(address.port)
  }
  return { url: url.href, cut, restore }
}

/**
 * Timeout for many concurrent requests whose transactions change the same documents: each conflict causes a retry.
 */
export const CROWD_MS = 180_000

export const startTestServer = async (env: Record<string, string> = {}): Promise<TestServer> => {
  const fixture = await startServiceFixture()
  const redis = await startRedisProxy(fixture.env.REDIS_URL ?? '')
  const config = readConfig(narrativesConfigSchema, {
    ...fixture.env,
    REDIS_URL: redis.url,
    // Prevents a 504 on a busy machine.
    EXTRACTION_WAIT_MS: String(CROWD_MS),
    ...env,
  })
  const service = await createApp(config, fixture.deps)
  const url = await fixture.listen(service)
  const keyless = new Set<string>()
  fixture.answer(authInternal.getSealedAiKey, ({ params }) => ({
    sealed: keyless.has(params.id) ? null : 'sealed',
  }))

  const { internal } = fixture
  let extract: (id: string) => Promise<unknown> = async () => {}
  let working = false
  // Simulates another process, whose outbox entries the service processes.
  const metrics = createPartMetrics('other')
  const outbox = createOutbox({ mongo: service.mongo, log: service.log, metrics })
  const store = createStore({ ...service, outbox, app: { addHook: () => {} } as never }, config)
  const entries = service.mongo.collection('outbox')
  const drained = (filter: object) =>
    vi.waitFor(
      async () => {
        service.outbox.wake()
        const atWork = { ...filter, $or: [{ due_at: { $lte: new Date() } }, { lease: { $exists: true } }] }
        expect(await entries.countDocuments(atWork)).toBe(0)
      },
      { timeout: 60_000, interval: 10 },
    )
  const drain = async (filter: object) => {
    await entries.updateMany({ ...filter, lease: { $exists: false } }, { $set: { due_at: new Date(0) } })
    await drained(filter)
  }
  return {
    fixture,
    service,
    url,
    store,
    keyless,
    events: fixture.events,
    internal,
    async clear() {
      await store.narratives.updateMany({ state: 'deleted' }, { $unset: { restore_until: 1 } })
      await drain({})
    },
    published: id => drained({ kind: 'narrative.changed', key: id }),
    async sum(userId) {
      await store.pendingSums.add({ id: userId })
      await vi.waitFor(
        async () => {
          service.outbox.wake()
          expect(await entries.countDocuments({ kind: 'sums', key: userId })).toBe(0)
        },
        { timeout: 60_000, interval: 10 },
      )
    },
    rebuild: () => rebuildPart('narratives', { ...service.config, NARRATIVES_URL: url }),
    drain: () => drain({}),
    redis,
    async user(username) {
      const user = await fixture.user(username)
      return { ...user, api: apiClient(url, user.token) }
    },
    work(how) {
      extract = how
      if (!working)
        service.queues.work('extraction', ({ narrative_id }) => extract(narrative_id), { concurrency: 50 })
      working = true
    },
    joins() {
      const add = vi.spyOn(service.queues, 'add')
      /** Number of extraction jobs that requests added. */
      const added = () =>
        add.mock.settledResults.filter(
          ({ type }, n) => type === 'fulfilled' && add.mock.calls[n]?.[0] === 'extraction',
        ).length
      const before = added()
      return count => vi.waitFor(() => expect(added() - before).toBeGreaterThanOrEqual(count), 60_000)
    },
    async finish(id, body) {
      const answer = await internal(narrativesInternal.finishExtraction, { params: { id }, body })
      return answer.triplets_extracted
    },
    async stop() {
      await redis.restore()
      metrics.close()
      await service.close()
      await redis.cut()
      await fixture.stop()
    },
  }
}
