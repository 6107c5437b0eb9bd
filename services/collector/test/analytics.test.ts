import {
  collectorApi,
  iodsInternal,
  offsetOf,
  type QueryFor,
  type RecordAnalysis,
  recordAnalyticsApi,
  SOURCES,
  type Source,
} from '@iodine/contracts'
import { HttpError, readConfig, type StoreService } from '@iodine/service-kit'
import {
  type ApiClient,
  apiClient,
  blogArticle,
  type FixtureUser,
  platformPost,
  type ServiceFixture,
  startServiceFixture,
  telegramPost,
  tiktokPost,
} from '@iodine/test-kit'
import { isLongTier, propertyRuns } from '@iodine/test-kit/runs'
import fc from 'fast-check'
import { Types } from 'mongoose'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { collectorConfigSchema, createApp } from '../src/index.js'
import { facts } from '../src/migrations/0001-facts.js'
import { novelty } from '../src/migrations/0002-novelty.js'

let fixture: ServiceFixture
let service: StoreService
let url: string
let ana: FixtureUser
let api: ApiClient
/** Whether the iods service is out of order. */
let isOut = false

const COUNT = 60
const FIRST = Date.UTC(2026, 2, 20)
const HOUR_MS = 3_600_000
const timeOf = (n: number) => new Date(FIRST + 7 * HOUR_MS * n)
const posted = (n: number) => new Date(timeOf(n).getTime() - (n % 9) ** 4 * HOUR_MS)
const records: Record<Source, (n: number) => unknown> = {
  tiktok: n => {
    const post = tiktokPost({
      hashtags: [`Tag${n % 3}`],
      description: `see #more and https://site${n % 2}.example.co.uk/x`,
      create_time: n % 4 ? Math.floor(posted(n).getTime() / 1_000) : null,
    })
    return { ...post, stats: { play_count: 10 ** (n % 5) - 1 } }
  },
  telegram: n => ({
    ...telegramPost(),
    context: { posted_at: posted(n).toISOString(), metrics: { views: n } },
  }),
  blog: () => blogArticle(),
  post: n => platformPost({ platform: n % 2 ? 'x' : 'bluesky', language: n % 3 ? 'fr-FR' : 'en' }),
}

beforeAll(async () => {
  fixture = await startServiceFixture()
  ana = await fixture.user('ana')
  fixture.answer(iodsInternal.containIods, ({ body }) => {
    if (isOut) throw new HttpError(503, 'down')
    return body.entries.map(({ texts }) => texts.some(text => text.includes('site1')))
  })
  service = await createApp(readConfig(collectorConfigSchema, fixture.env), fixture.deps)
  url = await fixture.listen(service)
  api = apiClient(url, ana.token)
  const bo = apiClient(url, (await fixture.user('bo_2')).token)
  for (const source of SOURCES) {
    const all = Array.from({ length: COUNT }, (_, n) => records[source](n))
    const send = async (client: ApiClient, records: unknown[]) =>
      (await client.call(collectorApi.ingestRecords, { params: { source }, body: { records } })).results
    for (const [n, result] of (await send(api, all)).entries()) {
      const _id = new Types.ObjectId('id' in result ? result.id : '')
      await service.mongo.collection('records').updateOne({ _id }, { $set: { created_at: timeOf(n) } })
    }
    // Another member's private records, which no number includes.
    for (const result of await send(bo, all.slice(0, 20)))
      await service.mongo
        .collection('records')
        .updateOne(
          { _id: new Types.ObjectId('id' in result ? result.id : '') },
          { $set: { created_at: timeOf(3) } },
        )
  }
  await compare()
})
afterAll(() => fixture?.stop())

/** Waits until no record is pending. */
const compare = () =>
  vi.waitFor(
    async () => {
      const entries = service.mongo.collection('outbox')
      await entries.updateMany({ lease: { $exists: false } }, { $set: { due_at: new Date(0) } })
      service.outbox.wake()
      const ofBoth = { kind: { $in: ['records.changed', 'records.compared'] } }
      expect(await entries.countDocuments(ofBoth)).toBe(0)
    },
    { timeout: 60_000 },
  )

type Query = QueryFor<typeof recordAnalyticsApi.analyzeRecords>
const dayAt = (n: number) => new Date(FIRST + n * 24 * HOUR_MS).toISOString().slice(0, 10)
const PERIOD = { from: dayAt(-1), to: dayAt(20) }
const query: fc.Arbitrary<Query> = fc
  .record({
    start: fc.integer({ min: -3, max: 18 }),
    days: fc.integer({ min: 1, max: 20 }),
    zone: fc.constantFrom('UTC', 'Europe/Paris', 'Asia/Kathmandu', 'America/St_Johns'),
    source: fc.option(fc.subarray([...SOURCES], { minLength: 1 }), { nil: undefined }),
  })
  .map(({ start, days, ...filters }) => ({
    from: dayAt(start),
    to: dayAt(start + days - 1),
    compare: 'true' as const,
    ...filters,
  }))

type Filters = NonNullable<QueryFor<typeof collectorApi.listRecords>>
const rows = async (source: Source, filters: Filters) =>
  (await api.call(collectorApi.listRecords, { params: { source }, query: filters })).length
const analyze = (given: Query) => api.call(recordAnalyticsApi.analyzeRecords, { query: given })
const scan = ({ from, to, zone = 'UTC', source = [...SOURCES] }: Query): number => {
  const isIn = (time: Date) => {
    const day = new Date(time.getTime() + offsetOf(time.getTime(), zone)).toISOString().slice(0, 10)
    return day >= from && day <= to
  }
  return [source].flat().length * Array.from({ length: COUNT }, (_, n) => timeOf(n)).filter(isIn).length
}

/** The marks of an analysis with the filters of the rows behind their links. */
const marksOf = (
  analysis: RecordAnalysis,
): { sources: Partial<Record<Source, number>>; filters: Filters }[] => [
  ...analysis.days.map(({ day, sources }) => ({ sources, filters: { from: day, to: day } })),
  ...analysis.hours.map(({ weekday, hour, sources }) => ({
    sources,
    filters: { weekday: String(weekday), hour: String(hour) },
  })),
  ...analysis.accounts.map(({ value, sources }) => ({ sources, filters: { account: value } })),
  ...analysis.hashtags.map(({ value, sources }) => ({ sources, filters: { hashtag: value } })),
  ...analysis.domains.map(({ value, sources }) => ({ sources, filters: { domain: value } })),
  ...analysis.languages.map(({ value, sources }) => ({ sources, filters: { language: value } })),
  ...analysis.ages.map(({ age, sources }) => ({ sources, filters: { age } })),
  ...analysis.novelties.map(({ novelty, sources }) => ({ sources, filters: { novelty } })),
  ...analysis.reach.flatMap(({ platform, source, classes }) =>
    classes.map(({ reach, n }) => ({ sources: { [source]: n }, filters: { platform, reach } })),
  ),
]

describe('analyses of records', () => {
  it(
    'have marks that equal the rows behind their links and a scan, for random filters',
    { timeout: 600_000 },
    () =>
      fc.assert(
        fc.asyncProperty(query, fc.integer({ min: 0 }), async (given, chosen) => {
          const analysis = await analyze(given)
          expect(analysis.total).toBe(scan(given))
          const { from, to, zone } = given
          const marks = marksOf(analysis)
          for (let n = 0; n < 6; n++) {
            const mark = marks[(chosen + n * 17) % marks.length]
            for (const [source, count] of Object.entries(mark?.sources ?? {}))
              expect([
                mark?.filters,
                await rows(source as Source, { from, to, zone, ...mark?.filters }),
              ]).toEqual([mark?.filters, count])
          }
          expect(analysis.days.reduce((sum, { total }) => sum + total, 0)).toBe(analysis.total)
          expect(analysis.ages.reduce((sum, { n }) => sum + n, 0)).toBe(analysis.total)
          expect(analysis.novelties.reduce((sum, { n }) => sum + n, 0)).toBe(analysis.total)
          expect(analysis.days_before?.reduce((sum, n) => sum + n, 0)).toBe(analysis.previous)
        }),
        propertyRuns(isLongTier ? 1_000 : 160),
      ),
  )

  it('count folded values: accounts by platform, hashtags of fields and texts, domains below a suffix', async () => {
    const analysis = await analyze(PERIOD)
    const values = (marks: { value: string; n: number }[]) => marks.map(({ value, n }) => `${value} ${n}`)
    expect(values(analysis.hashtags)).toEqual(expect.arrayContaining(['more 60', 'tag0 20', 'numbers 60']))
    expect(values(analysis.domains)).toEqual(expect.arrayContaining(['example.co.uk 60', 'example.org 120']))
    expect(values(analysis.accounts)).toEqual(expect.arrayContaining(['night.watch 60', 'night_desk (x) 30']))
    expect(values(analysis.languages)).toEqual(['fr 40', 'en 20'])
  })

  it('follow a newer version and a deletion of a record', async () => {
    const today = new Date().toISOString().slice(0, 10)
    const query = { from: today, to: today }
    const record = tiktokPost({ hashtags: ['before'] })
    const send = (records: unknown[]) =>
      api.call(collectorApi.ingestRecords, { params: { source: 'tiktok' }, body: { records } })
    const { results } = await send([record])
    expect((await analyze(query)).hashtags.map(({ value }) => value)).toContain('before')
    const fetch_timestamp = new Date(Date.now() + 1_000).toISOString()
    await send([
      {
        ...record,
        collector_metadata: { ...record.collector_metadata, fetch_timestamp },
        main: { ...record.main, hashtags: ['after'] },
      },
    ])
    expect((await analyze(query)).hashtags.map(({ value }) => value)).toContain('after')
    const id = results[0] && 'id' in results[0] ? results[0].id : ''
    await api.call(collectorApi.deleteRecord, { params: { source: 'tiktok', id } })
    expect((await analyze(query)).total).toBe(0)
  })

  it('tell records with an IOD that was known when they were stored, also after an outage and of earlier versions', async () => {
    const count = async () =>
      (await analyze(PERIOD)).novelties.map(({ novelty, n, sources }) => [novelty, n, sources.tiktok ?? 0])
    const before = await count()
    expect(before).toEqual([
      ['known', 30, 30],
      ['new', 210, 30],
      ['pending', 0, 0],
    ])
    isOut = true
    const today = new Date().toISOString().slice(0, 10)
    const stored = async () => (await analyze({ from: today, to: today })).novelties.map(({ n }) => n)
    const description = 'see https://site1.example.co.uk/x'
    const body = { records: [tiktokPost({ description })] }
    await api.call(collectorApi.ingestRecords, { params: { source: 'tiktok' }, body })
    await vi.waitFor(async () => {
      service.outbox.wake()
      const failed = { kind: 'records.compared', attempts: { $gt: 0 }, lease: { $exists: false } }
      expect(await service.mongo.collection('outbox').countDocuments(failed)).toBeGreaterThan(0)
    }, 20_000)
    expect(await stored()).toEqual([0, 0, 1])
    isOut = false
    await compare()
    expect(await stored()).toEqual([1, 0, 0])
    await service.mongo.collection('records').updateMany({}, { $unset: { novelty: 1 } })
    await novelty.up(service.mongo)
    await compare()
    expect(await count()).toEqual(before)
  })

  it('contain records of earlier versions once the migration ran', async () => {
    const before = await analyze(PERIOD)
    const collection = service.mongo.collection('records')
    await collection.updateMany({}, { $unset: { facts: 1, changed_at: 1 } })
    await facts.up(service.mongo)
    expect(await analyze(PERIOD)).toEqual(before)
  })

  it.each([
    [{ from: PERIOD.to, to: PERIOD.from }],
    [{ from: '1926-01-01', to: PERIOD.to }],
    [{ ...PERIOD, zone: 'Mars/Olympus' }],
    [{ ...PERIOD, source: 'nothing' }],
  ])('refuse %j', async bad => expect(analyze(bad as Query)).rejects.toMatchObject({ status: 422 }))
})
