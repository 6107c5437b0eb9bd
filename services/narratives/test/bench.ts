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
import { type ApiClient, apiClient, type BedUser, type ServiceBed, startServiceBed } from '@iodine/test-kit'
import { expect, vi } from 'vitest'
import { createApp, narrativesConfigSchema } from '../src/index.js'
import { createStore, type Store } from '../src/store.js'

export type Triplet = Extraction['triplets'][number]
export const triplet = (subject: string, verb = 'says', object = 'nothing'): Triplet => ({
  subject,
  verb,
  object,
})

/** The narratives service alone, with a real Redis whose connection can be cut. */
export interface Bench {
  bed: ServiceBed
  service: StoreService
  url: string
  /** The collections, to check state that no endpoint shows. */
  store: Store
  user(username?: string): Promise<BedUser & { api: ApiClient }>
  /** Users without an AI key. */
  keyless: Set<string>
  /** Consumes the extraction queue from now on. */
  work(extract: (narrativeId: string) => Promise<unknown>): void
  /** Counts requests from now on; the function waits until so many of them wait for an extraction. */
  joins(): (count: number) => Promise<void>
  /** Events sent to the community, oldest first. */
  heard: DomainEvent[]
  /** Waits until the last change of a narrative is published. */
  published(id: string): Promise<void>
  /** Builds a user's sums, or folds changes into them, whatever the size of the graph. */
  sum(userId: string): Promise<void>
  /** Recomputes the graphs of all users. */
  rebuild(): Promise<void>
  /** Erases deleted narratives and does all work of the outbox. */
  clear(): Promise<void>
  internal: ServiceBed['internal']
  finish(id: string, body: BodyFor<typeof narrativesInternal.finishExtraction>): Promise<number>
  /** Does all work of the outbox as if it were due. */
  workOff(): Promise<void>
  redis: { cut(): Promise<void>; mend(): Promise<void> }
  stop(): Promise<void>
}

/** A TCP proxy to Redis whose connections can be cut while Redis keeps running. */
const startDoor = async (to: string) => {
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
  const mend = async () => {
    if (!server.listening) await listen(address.port)
  }
  return { url: url.href, cut, mend }
}

/**
 * Milliseconds for what many requests do at once, whose transactions change the same documents: each of the losers runs
 * its own again.
 */
export const CROWD_MS = 180_000

export const startBench = async (env: Record<string, string> = {}): Promise<Bench> => {
  const bed = await startServiceBed()
  const redis = await startDoor(bed.env.REDIS_URL ?? '')
  const config = readConfig(narrativesConfigSchema, {
    ...bed.env,
    REDIS_URL: redis.url,
    // A busy machine is no reason for an answer that a text is still worked on.
    EXTRACTION_WAIT_MS: String(CROWD_MS),
    ...env,
  })
  const service = await createApp(config, bed.deps)
  const url = await bed.listen(service)
  const keyless = new Set<string>()
  bed.answer(authInternal.getSealedAiKey, ({ params }) => ({
    sealed: keyless.has(params.id) ? null : 'sealed',
  }))

  const { internal } = bed
  let extract: (id: string) => Promise<unknown> = async () => {}
  let working = false
  // As another process has it: work that it adds is done by the service.
  const metrics = createPartMetrics('other')
  const outbox = createOutbox({ mongo: service.mongo, log: service.log, metrics })
  const store = createStore({ ...service, outbox, app: { addHook: () => {} } as never }, config)
  const entries = service.mongo.collection('outbox')
  const workedOff = (filter: object) =>
    vi.waitFor(
      async () => {
        service.outbox.wake()
        const atWork = { ...filter, $or: [{ due_at: { $lte: new Date() } }, { lease: { $exists: true } }] }
        expect(await entries.countDocuments(atWork)).toBe(0)
      },
      { timeout: 60_000, interval: 10 },
    )
  const workOff = async (filter: object) => {
    await entries.updateMany({ ...filter, lease: { $exists: false } }, { $set: { due_at: new Date(0) } })
    await workedOff(filter)
  }
  return {
    bed,
    service,
    url,
    store,
    keyless,
    heard: bed.events,
    internal,
    async clear() {
      await store.narratives.updateMany({ state: 'deleted' }, { $unset: { restore_until: 1 } })
      await workOff({})
    },
    published: id => workedOff({ kind: 'narrative.changed', key: id }),
    async sum(userId) {
      await store.wantedSums.add({ id: userId })
      await vi.waitFor(
        async () => {
          service.outbox.wake()
          expect(await entries.countDocuments({ kind: 'sums', key: userId })).toBe(0)
        },
        { timeout: 60_000, interval: 10 },
      )
    },
    rebuild: () => rebuildPart('narratives', { ...service.config, NARRATIVES_URL: url }),
    workOff: () => workOff({}),
    redis,
    async user(username) {
      const user = await bed.user(username)
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
      /** Jobs that requests have added; those of other queues are no requests. */
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
      await redis.mend()
      metrics.close()
      await service.close()
      await redis.cut()
      await bed.stop()
    },
  }
}
