import {
  type BodyOf,
  recordsInternal,
  type SharedAs,
  type SightingRecord,
  type SightingSearch,
  sightingsApi,
  sightingsInternal,
} from '@iodine/contracts'
import { quotesOf } from '@iodine/likeness'
import { readConfig, type StoreService } from '@iodine/service-kit'
import {
  apiClient,
  type FixtureUser,
  newId,
  type ServiceFixture,
  startServiceFixture,
} from '@iodine/test-kit'
import { expect, vi } from 'vitest'
import { createApp, sightingsConfigSchema } from '../src/index.js'

/** The sightings service with a stub of the collector, which contains the records of `put`. */
export interface TestServer {
  fixture: ServiceFixture
  service: StoreService
  url: string
  /** Indexes records of a user. Resolves to their ids. */
  put(user: FixtureUser, ...records: Partial<SightingRecord>[]): Promise<string[]>
  remove(user: FixtureUser, ...ids: string[]): Promise<void>
  /** Sharing of records according to the collector; the index may lag behind. */
  sharing: Map<string, SharedAs>
  /** Called before the collector's stub responds. */
  onOpen: () => unknown
  search(
    user: FixtureUser,
    question: Partial<SightingSearch>,
  ): Promise<import('@iodine/contracts').SightingResults>
  /** Takes the day's snapshot if it is due, and waits for it. */
  takeSnapshot(): Promise<void>
  /** Takes the next day's snapshot. */
  nextDay(): Promise<void>
  stop(): Promise<void>
}

let made = 0
/** Returns a record as the collector delivers it. */
export const aRecord = (given: Partial<SightingRecord> = {}): SightingRecord => {
  const n = ++made
  const posted_at = given.posted_at === undefined ? '2026-03-01T10:00:00.000Z' : given.posted_at
  return {
    id: newId(),
    source: 'telegram',
    key: `key-${n}`,
    account: 'open_eyes',
    url: `https://t.me/open_eyes/${n}`,
    posted_at,
    claimed_at: given.edited ? null : posted_at,
    fetched_at: '2026-04-01T10:00:00.000Z',
    edited: false,
    text: `Something that nobody else has said, number ${n}`,
    forwarded_from: null,
    links: [],
    media: [],
    shared: null,
    revision: 0,
    ...given,
  }
}

export const startTestServer = async (
  env: Record<string, string> = {},
  fixtureOptions: Parameters<typeof startServiceFixture>[0] = {},
): Promise<TestServer> => {
  const fixture = await startServiceFixture(fixtureOptions)
  fixture.answer(recordsInternal.redeliverRecords, () => ({ next: null }))
  const service = await createApp(readConfig(sightingsConfigSchema, { ...fixture.env, ...env }), fixture.deps)
  const url = await fixture.listen(service)
  const records = new Map<string, SightingRecord & { user_id: string }>()
  const sharing = new Map<string, SharedAs>()
  fixture.answer(recordsInternal.openRecords, async ({ body }) => {
    await server.onOpen()
    const { quoting } = body
    const words = quoting && ('text' in quoting ? quoting.text : records.get(quoting.record_id)?.text)
    const quotes = words === undefined ? () => null : quotesOf(words)
    return body.ids.flatMap(id => {
      const record = records.get(id)
      const shared = sharing.get(id) ?? null
      if (!record || (record.user_id !== body.user_id && !shared)) return []
      const { user_id, text } = record
      return [{ id, user_id, shared, excerpt: text.slice(0, body.excerpt), quotes: quotes(text) }]
    })
  })
  const putBody = (body: BodyOf<typeof sightingsInternal.putSightings>) =>
    fixture.internal(sightingsInternal.putSightings, { body })
  const server: TestServer = {
    fixture,
    service,
    url,
    sharing,
    onOpen() {},
    async put(user, ...given) {
      const indexed = given.map(aRecord)
      for (const record of indexed) {
        records.set(record.id, { ...record, user_id: user.id })
        if (record.shared) sharing.set(record.id, record.shared)
      }
      for (let at = 0; at < indexed.length; at += 50)
        await putBody({ user_id: user.id, records: indexed.slice(at, at + 50), removed: [] })
      return indexed.map(({ id }) => id)
    },
    async remove(user, ...ids) {
      for (const id of ids) records.delete(id)
      await putBody({ user_id: user.id, records: [], removed: ids })
    },
    search: (user, question) =>
      apiClient(url, user.token).call(sightingsApi.searchSightings, { body: question as SightingSearch }),
    async takeSnapshot() {
      await service.tasks.run('daily-snapshot')
      const pending = () => service.mongo.collection('outbox').countDocuments({ kind: 'snapshot' })
      await vi.waitFor(async () => expect(await pending()).toBe(0), 30_000)
    },
    async nextDay() {
      await server.takeSnapshot()
      await service.mongo.collection('snapshots').deleteMany({})
      await server.takeSnapshot()
    },
    stop: () => fixture.stop(),
  }
  return server
}
