import {
  collectorApi,
  type IngestResult,
  LIMITS,
  personalDataInternal,
  type RecordImport,
  recordImportsApi,
  type Source,
  type TiktokRecord,
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
import { Types } from 'mongoose'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { collectorConfigSchema, createApp } from '../src/index.js'

const QUOTA = 2_000
const FILE_TIME = '2026-11-20T09:00:00.000Z'
const TIMED = '2026-11-19T09:00:00.000Z'

let fixture: ServiceFixture
let service: StoreService
let url: string
let ana: FixtureUser
let api: ApiClient

beforeAll(async () => {
  fixture = await startServiceFixture()
  const env = { ...fixture.env, QUOTA_RECORDS: String(QUOTA) }
  service = await createApp(readConfig(collectorConfigSchema, env), fixture.deps)
  url = await fixture.listen(service)
})
afterAll(() => fixture?.stop())
beforeEach(async () => {
  ana = await fixture.user('ana')
  api = apiClient(url, ana.token)
})

const stated = { format: 'zeeschuimer', file_name: 'export.ndjson', file_sha256: 'ab'.repeat(32) }
const begin = (total: number, more = {}, client = api): Promise<RecordImport> =>
  client.call(recordImportsApi.createRecordImport, {
    body: { ...stated, file_time: FILE_TIME, total, ...more },
  })
interface Position {
  import_id?: string
  offset?: number
}
const ingest = async (
  records: unknown[],
  position: Position = {},
  source: Source = 'tiktok',
  client = api,
): Promise<IngestResult[]> =>
  (await client.call(collectorApi.ingestRecords, { params: { source }, body: { records, ...position } }))
    .results
const statuses = (results: IngestResult[]) =>
  results.map(result => ('status' in result ? result.status : result.error))
const list = (source: Source = 'tiktok', query = {}) =>
  api.call(collectorApi.listRecords, { params: { source }, query })
const find = (id: string) => api.call(recordImportsApi.getRecordImport, { params: { id } })
const imports = () => api.call(recordImportsApi.listRecordImports, { query: {} })
const usage = () => fixture.internal(usageInternal.getUsage, { params: { id: ana.id } })
/** Undoes an import and waits until it is gone. */
const undo = async (id: string) => {
  await api.call(recordImportsApi.undoRecordImport, { params: { id } })
  await expect.poll(async () => (await imports()).map(each => each.id)).not.toContain(id)
}

const imported = (main: Partial<TiktokRecord['main']> = {}, time = TIMED, more = {}) => ({
  ...tiktokPost(main),
  collector_metadata: { fetch_timestamp: time, source: 'import:zeeschuimer' },
  ...more,
})
const posts = (count: number) => Array.from({ length: count }, () => imported())

describe('an import', () => {
  it('receives batches of several sources, counts their outcomes, and is listed', async () => {
    const [known] = posts(1) as [TiktokRecord]
    await ingest([known])
    const { id } = await begin(5)
    const first = await ingest([...posts(2), known, { main: {} }], { import_id: id, offset: 0 })
    expect(statuses(first).slice(0, 3)).toEqual(['created', 'created', 'unchanged'])
    const post = { ...telegramPost(), collector_metadata: imported().collector_metadata }
    await ingest([post], { import_id: id, offset: 4 }, 'telegram')
    const [listed] = await imports()
    expect(listed).toEqual({
      ...stated,
      id,
      state: 'open',
      total: 5,
      received: 5,
      created: 3,
      merged: 0,
      unchanged: 1,
      refused: [{ reason: expect.stringContaining('collector_metadata'), count: 1 }],
      created_at: expect.any(String),
      undo_until: expect.any(String),
    })
    expect(await find(id)).toEqual(listed)
    expect(await list('tiktok', { import_id: id, limit: 10 })).toHaveLength(2)
    expect(await list('telegram', { import_id: id, limit: 10 })).toHaveLength(1)
  })

  it('counts a repeated batch once, and continues where it was', async () => {
    const { id } = await begin(4)
    const [first, second] = [posts(2), posts(2)]
    await ingest(first, { import_id: id, offset: 0 })
    expect(statuses(await ingest(first, { import_id: id, offset: 0 }))).toEqual(['unchanged', 'unchanged'])
    expect(await find(id)).toMatchObject({ received: 2, created: 2, unchanged: 0 })
    await ingest(second, { import_id: id })
    expect(await find(id)).toMatchObject({ received: 4, created: 4, unchanged: 0 })
  })

  it('receives as many batches of one record as its total, also sent twice and at once', async () => {
    const total = 100
    const { id } = await begin(total)
    const refused: unknown[] = []
    for (let offset = 0; offset < total; offset++) {
      const batch = posts(1)
      const sent = await Promise.allSettled([1, 2].map(() => ingest(batch, { import_id: id, offset })))
      refused.push(...sent.flatMap(each => (each.status === 'rejected' ? [each.reason.status] : [])))
    }
    // Refused if the other one was counted first.
    expect(new Set(refused)).toBeOneOf([new Set(), new Set([409])])
    expect(await find(id)).toMatchObject({ received: total, created: total, unchanged: 0, refused: [] })
    await expect(ingest(posts(1), { import_id: id })).rejects.toMatchObject({ status: 422 })
    const stored = await service.mongo.collections.imports?.findOne({ _id: new Types.ObjectId(id) })
    expect(JSON.stringify(stored).length).toBeLessThan(500)
  })

  it('fills only gaps with records that have the time of the file', async () => {
    const collected = tiktokPost({ hashtags: [] })
    await ingest([collected])
    const { main, stats, author } = collected
    const { id } = await begin(2)
    const untimed = imported({ ...main, description: 'other', hashtags: ['new'] }, FILE_TIME, {
      stats: { ...stats, play_count: 1 },
      author,
    })
    expect(statuses(await ingest([untimed], { import_id: id }))).toEqual(['updated'])
    expect((await list())[0]).toMatchObject({
      main: { description: main.description, hashtags: ['new'] },
      stats,
      collector_metadata: collected.collector_metadata,
    })
    const time = new Date(Date.parse(collected.collector_metadata.fetch_timestamp) + 60_000).toISOString()
    const timed = imported(main, time, { stats: { ...stats, play_count: 99_999 } })
    expect(statuses(await ingest([timed], { import_id: id }))).toEqual(['updated'])
    expect((await list())[0]).toMatchObject({ stats: { ...stats, play_count: 99_999 } })
    expect(await find(id)).toMatchObject({ merged: 2, received: 2 })
  })
})

describe('undoing', () => {
  it('deletes records that came by the import alone, and restores the others', async () => {
    const collected = tiktokPost({ hashtags: [] })
    await ingest([collected, tiktokPost()])
    const before = [await list(), await usage()]
    const { id } = await begin(600)
    const results = await ingest([imported({ ...collected.main, hashtags: ['new'] }), ...posts(400)], {
      import_id: id,
    })
    expect(statuses(results)).toEqual(['updated', ...Array.from({ length: 400 }, () => 'created')])
    expect(await list()).toHaveLength(402)
    await undo(id)
    expect([await list(), await usage()]).toEqual(before)
    const { records } = service.mongo.collections
    expect(
      await records?.countDocuments({ layers: { $exists: true }, user_id: new Types.ObjectId(ana.id) }),
    ).toBe(0)
  })

  it('keeps what another import or the collector saw', async () => {
    const [twice, visited, once] = posts(3) as [TiktokRecord, TiktokRecord, TiktokRecord]
    const [first, second] = [await begin(3), await begin(2)]
    await ingest([twice, visited, once], { import_id: first.id })
    expect(statuses(await ingest([twice], { import_id: second.id }))).toEqual(['unchanged'])
    const { stats, ...seen } = tiktokPost(visited.main)
    await ingest([seen])
    await undo(first.id)
    const left = await list()
    expect(left.map(({ id, ...record }) => record)).toEqual(expect.arrayContaining([twice, seen]))
    expect(left).toHaveLength(2)
    await undo(second.id)
    expect(await list()).toHaveLength(1)
  })

  it('is refused after 30 days, and then its records are the user’s for good', async () => {
    const { id } = await begin(1)
    const [record] = posts(1) as [TiktokRecord]
    await ingest([record], { import_id: id })
    const days = (n: number) => new Date(Date.now() - n * 24 * 3_600_000)
    const { imports: models } = service.mongo.collections
    const set = (created_at: Date) =>
      models?.updateOne({ _id: new Types.ObjectId(id) }, { $set: { created_at } })
    await set(days(31))
    await expect(api.call(recordImportsApi.undoRecordImport, { params: { id } })).rejects.toMatchObject({
      status: 409,
      detail: 'This import can no longer be undone',
    })
    expect(await list()).toHaveLength(1)
    await set(days(29))
    await undo(id)
    expect(await list()).toEqual([])
  })

  it('stops its own import: a batch under way is refused, and nothing of it stays', async () => {
    const { id } = await begin(2_000)
    const sending = Promise.allSettled(
      Array.from({ length: 4 }, () => ingest(posts(100), { import_id: id, offset: 0 })),
    )
    await api.call(recordImportsApi.undoRecordImport, { params: { id } })
    await sending
    await expect.poll(async () => (await imports()).length).toBe(0)
    await expect.poll(async () => (await list()).length).toBe(0)
    await expect(ingest(posts(1), { import_id: id })).rejects.toMatchObject({ status: 404 })
  })
})

describe('is refused', () => {
  it('for the import of another user, and one that does not exist', async () => {
    const bob = await fixture.user('bob')
    const { id } = await begin(1, {}, apiClient(url, bob.token))
    for (const import_id of [id, new Types.ObjectId().toHexString()]) {
      await expect(ingest(posts(1), { import_id })).rejects.toMatchObject({ status: 404 })
      await expect(find(import_id)).rejects.toMatchObject({ status: 404 })
      await expect(
        api.call(recordImportsApi.undoRecordImport, { params: { id: import_id } }),
      ).rejects.toMatchObject({ status: 404 })
    }
    expect(await list()).toEqual([])
  })

  it('for more records than stated, and for another position than the next', async () => {
    const { id } = await begin(3)
    await ingest(posts(2), { import_id: id })
    await expect(ingest(posts(2), { import_id: id })).rejects.toMatchObject({
      status: 422,
      detail: ['records: the import has 3, this would be 4'],
    })
    await expect(ingest(posts(1), { import_id: id, offset: 1 })).rejects.toMatchObject({
      status: 409,
      detail: 'offset: must be 2',
    })
    expect(await find(id)).toMatchObject({ received: 2, created: 2 })
  })

  it('for a record that does not say it is imported', async () => {
    const { id } = await begin(1)
    expect(statuses(await ingest([tiktokPost()], { import_id: id }))).toEqual([
      ['collector_metadata.source: must begin with import:'],
    ])
    expect((await find(id)).refused).toEqual([
      { reason: 'collector_metadata.source: must begin with import:', count: 1 },
    ])
  })

  it('before the first batch if its new records exceed the quota', async () => {
    await expect(begin(QUOTA + 1)).rejects.toMatchObject({ status: 413 })
    await expect(begin(10, { new_records: 11 })).rejects.toMatchObject({ status: 422 })
    expect(await begin(QUOTA + 1, { new_records: 1 })).toMatchObject({ total: QUOTA + 1 })
  })

  it('with the maximum of imports that can be undone; the oldest other one makes room', async () => {
    const { imports: models } = service.mongo.collections
    const { id } = await begin(1)
    const doc = await models?.findOne({ _id: new Types.ObjectId(id) })
    const copies = Array.from({ length: LIMITS.recordImportsMax - 1 }, () => ({
      ...doc,
      _id: new Types.ObjectId(),
    }))
    await models?.insertMany(copies)
    await expect(begin(1)).rejects.toMatchObject({
      status: 409,
      detail: 'You have 1000 imports: undo some of them',
    })
    await models?.updateOne({ _id: new Types.ObjectId(id) }, { $set: { created_at: new Date(0) } })
    expect(await begin(1)).toMatchObject({ received: 0 })
    await expect(find(id)).rejects.toMatchObject({ status: 404 })
  })
})

it('tells which natural keys the user has a record of', async () => {
  const [own, other] = [tiktokPost(), tiktokPost()]
  await ingest([own])
  const bob = await fixture.user('bob')
  await ingest([other], {}, 'tiktok', apiClient(url, bob.token))
  const keys = [other, own].map(({ main }) => main.video_id)
  expect(await api.call(collectorApi.knownRecords, { params: { source: 'tiktok' }, body: { keys } })).toEqual(
    [false, true],
  )
})

it('imports are part of the export of the user’s data, and erased with the account', async () => {
  const { id } = await begin(1)
  const exported = () => fixture.internal(personalDataInternal.exportUser, { params: { id: ana.id } })
  expect(JSON.stringify(await exported())).toContain(id)
  await fixture.internal(personalDataInternal.eraseUser, { params: { id: ana.id } })
  expect(await imports()).toEqual([])
})
