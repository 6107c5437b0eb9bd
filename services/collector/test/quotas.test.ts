import {
  collectorApi,
  type IngestResult,
  personalDataInternal,
  type Source,
  usageInternal,
} from '@iodine/contracts'
import { readConfig, type StoreService } from '@iodine/service-kit'
import {
  type ApiClient,
  apiClient,
  type FixtureUser,
  type ServiceFixture,
  startServiceFixture,
  telegramPost,
  tiktokPost,
} from '@iodine/test-kit'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { collectorConfigSchema, createApp } from '../src/index.js'

const RECORDS = 20
const BYTES = 40_000
const CAPTURE_BYTES = 2 * 1024 ** 3

let fixture: ServiceFixture
let service: StoreService
let url: string
let ana: FixtureUser
let api: ApiClient

beforeAll(async () => {
  fixture = await startServiceFixture()
  const env = { ...fixture.env, QUOTA_RECORDS: String(RECORDS), QUOTA_RECORD_BYTES: String(BYTES) }
  service = await createApp(readConfig(collectorConfigSchema, env), fixture.deps)
  url = await fixture.listen(service)
})
afterAll(() => fixture?.stop())
beforeEach(async () => {
  ana = await fixture.user('ana')
  api = apiClient(url, ana.token)
})

const usage = () => fixture.internal(usageInternal.getUsage, { params: { id: ana.id } })
/** Counts the usage from scratch. */
const counted = async () => {
  const docs = (await service.mongo.collection('records').find().toArray()).filter(
    doc => String(doc.user_id) === ana.id,
  )
  const bytes = docs.reduce((sum, { data }) => sum + Buffer.byteLength(JSON.stringify(data)), 0)
  return {
    records: { used: docs.length, limit: RECORDS },
    record_bytes: { used: bytes, limit: BYTES },
    capture_bytes: { used: 0, limit: CAPTURE_BYTES },
  }
}
const ingest = async (records: unknown[], source: Source = 'tiktok', client = api): Promise<IngestResult[]> =>
  (await client.call(collectorApi.ingestRecords, { params: { source }, body: { records } })).results
const made = (results: IngestResult[]) =>
  results.map(result => ('status' in result ? result.status : 'refused'))
const idOf = (result: IngestResult | undefined) => (result && 'id' in result ? result.id : '')
const posts = (count: number) => Array.from({ length: count }, () => tiktokPost())
/** Returns the metadata of a record that was fetched this number of minutes from now. */
const later = (minutes: number) => ({
  collector_metadata: {
    fetch_timestamp: new Date(Date.now() + minutes * 60_000).toISOString(),
    source: 'test',
  },
})

describe('records', () => {
  it('are accepted up to the limit; each one beyond it is rejected with an error text', async () => {
    await ingest(posts(RECORDS - 3))
    const results = await ingest(posts(500))
    expect(made(results)).toEqual([...Array(3).fill('created'), ...Array(497).fill('refused')])
    expect(results.at(-1)).toEqual({
      error: [`You have 20 of 20 records: delete some in My data to make room`],
    })
    expect(await usage()).toEqual(await counted())
  })

  it('that are stored already, or newer versions of stored ones, need no quota', async () => {
    const known = posts(RECORDS)
    await ingest(known)
    const newer = { ...known[0], ...later(1) }
    const results = await ingest([known[1], newer, tiktokPost(), 'nonsense'])
    expect(made(results)).toEqual(['unchanged', 'updated', 'refused', 'refused'])
    expect(results[3]).not.toEqual(results[2])
  })

  it('exactly one of 50 concurrent records takes the last slot, across sessions and tokens', {
    tags: 'long',
  }, async () => {
    await ingest(posts(RECORDS - 1))
    const collector = apiClient(url, await fixture.token({ id: ana.id, scope: 'collector' }))
    const second = apiClient(url, await fixture.token({ id: ana.id }))
    const results = await Promise.all(
      Array.from({ length: 50 }, async (_, n) => {
        const client = [api, collector, second][n % 3]
        return n % 2 ? ingest([telegramPost()], 'telegram', client) : ingest([tiktokPost()], 'tiktok', client)
      }),
    )
    expect(results.flatMap(made).filter(each => each === 'created')).toHaveLength(1)
    expect(await usage()).toEqual(await counted())
  })

  it('free exactly their quota when they are deleted', async () => {
    const results = await ingest(posts(RECORDS))
    for (let round = 0; round < 3; round++) {
      await api.call(collectorApi.deleteRecord, { params: { source: 'tiktok', id: idOf(results[round]) } })
      expect(made(await ingest(posts(2)))).toEqual(['created', 'refused'])
    }
    expect((await api.send('DELETE', `/tiktok/data/${idOf(results[0])}`)).status).toBe(404)
    expect(await usage()).toEqual(await counted())
  })
})

describe('bytes of records', () => {
  const sized = (bytes: number, record = tiktokPost()) => ({
    ...record,
    main: { ...record.main, hashtags: Array(Math.ceil(bytes / 10_000)).fill('x'.repeat(9_990)) },
  })

  it('are bounded: a record that does not fit is rejected, a smaller one of the batch is stored', async () => {
    const results = await ingest([sized(30_000), sized(20_000), tiktokPost()])
    expect(made(results)).toEqual(['created', 'refused', 'created'])
    expect(results[1]).toEqual({
      error: [expect.stringMatching(/^Your records take .* of .* bytes, and this /)],
    })
    expect(await usage()).toEqual(await counted())
  })

  it('follow a record that grows and shrinks; growth past the limit keeps the old version', async () => {
    const record = tiktokPost()
    await ingest([record])
    const grown = { ...sized(30_000, record), ...later(1) }
    const tooLarge = { ...sized(50_000, record), ...later(2) }
    const shrunk = { ...record, ...later(3) }
    expect(made(await ingest([grown]))).toEqual(['updated'])
    expect(await usage()).toEqual(await counted())
    expect(made(await ingest([tooLarge]))).toEqual(['refused'])
    expect(await usage()).toEqual(await counted())
    expect(made(await ingest([shrunk]))).toEqual(['updated'])
    expect(await usage()).toEqual(await counted())
  })
})

describe('the usage', () => {
  it('is counted on first use, under 20 concurrent requests', async () => {
    const first = posts(5)
    await ingest(first)
    await service.mongo.collection<{ _id: string }>('usage').deleteOne({ _id: ana.id })
    const newer = first.map(record => ({ ...record, ...later(1) }))
    const [results] = await Promise.all([
      Promise.all(Array.from({ length: 18 }, () => ingest([tiktokPost()]))),
      ingest(newer),
      usage(),
    ])
    expect(results.flatMap(made).filter(each => each === 'created')).toHaveLength(15)
    expect(await usage()).toEqual(await counted())
    const page = await api.send('GET', '/tiktok/data?limit=1')
    expect(page.headers.get('x-total-count')).toBe(String(RECORDS))
  })

  it('is recounted daily if it is wrong, as after a restored backup; an aborted transaction changes nothing', async () => {
    const [result] = await ingest(posts(4))
    const failing = service.mongo.transaction(async session => {
      await service.mongo
        .collection<{ _id: string }>('usage')
        .updateOne({ _id: ana.id }, { $inc: { 'used.records': 7 } }, { session })
      throw new Error('the process is gone')
    })
    await expect(failing).rejects.toThrow('the process is gone')
    expect(await usage()).toEqual(await counted())
    // A write that bypasses the service.
    await service.mongo.collection('records').deleteMany({ key: { $exists: true }, source: 'tiktok' })
    expect(await usage()).not.toEqual(await counted())
    await service.mongo.collection('usage').updateMany({}, { $set: { checked_at: new Date(0) } })
    await service.tasks.run('usage')
    expect(await usage()).toEqual(await counted())
    expect(idOf(result)).not.toBe('')
  })

  it('is deleted with the account', async () => {
    await ingest(posts(2))
    await fixture.internal(personalDataInternal.eraseUser, { params: { id: ana.id } })
    const kept = await service.mongo.collection<{ _id: string }>('usage').findOne({ _id: ana.id })
    expect(kept).toBeNull()
  })
})
