import {
  AGREEMENTS,
  CATEGORIES,
  campaignsInternal,
  type Iod,
  iodAnalyticsApi,
  iodsApi,
  offsetOf,
  type QueryFor,
  SOURCE_TYPES,
  THIRD_VOTES,
  VALUE_KINDS,
} from '@iodine/contracts'
import { hashOf, notFound, readConfig, type StoreService } from '@iodine/service-kit'
import {
  apiClient,
  type FixtureUser,
  iodInput,
  isLongTier,
  propertyRuns,
  type ServiceFixture,
  startServiceFixture,
} from '@iodine/test-kit'
import fc from 'fast-check'
import { Types } from 'mongoose'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { IodColumns } from '../src/analytics/queries/iod-columns.js'
import { createColumnReader } from '../src/analytics/queries/read-columns.js'
import { createApp, iodsConfigSchema, newIodDoc } from '../src/index.js'
import type { IodModel } from '../src/iods/models/iod.js'
import { terms } from '../src/migrations/0001-terms.js'

let fixture: ServiceFixture
let service: StoreService
let ana: FixtureUser
let api: ReturnType<typeof apiClient>
let all: Iod[]
let url: string
const CAMPAIGN = new Types.ObjectId().toHexString()
const GONE = new Types.ObjectId().toHexString()
let members: string[]

const COUNT = 400
/** 20 runs under `npm test`. */
const RUNS = propertyRuns(isLongTier ? 1_000 : 160)
const FIRST = Date.UTC(2026, 2, 20)
const HOUR_MS = 3_600_000
/** An IOD every two hours, around a change of clocks in Europe. */
const iodOf = (creators: Types.ObjectId[], n: number) => {
  const category = CATEGORIES[(n * 7) % CATEGORIES.length] ?? 'TITLE'
  const value = { URL: `https://site${n % 5}.example.co.uk/${n}`, USERNAME: `@night_${n}` }[
    category as string
  ]
  const input = iodInput({
    value: value ?? `Value ${n}`,
    category,
    description: n % 3 ? `see #Tag${n % 4} by @desk${n % 6} at https://paper${n % 2}.example.org/a#b` : '',
    source_type: SOURCE_TYPES[n % SOURCE_TYPES.length] ?? 'MANUAL',
  })
  const created_at = new Date(FIRST + 2 * HOUR_MS * n)
  const votes = Array.from({ length: n % 8 }, (_, vote) => ({
    _id: new Types.ObjectId(),
    user_id: new Types.ObjectId(),
    vote_type: vote < n % 5 ? 'POSITIVE' : 'NEGATIVE',
    created_at: new Date(created_at.getTime() + vote * (n % 7) * 12 * HOUR_MS),
  }))
  const positive = votes.filter(vote => vote.vote_type === 'POSITIVE').length
  return {
    ...newIodDoc(creators[n % creators.length] as Types.ObjectId, input),
    created_at,
    votes,
    votes_total: votes.length,
    votes_disputed: Math.min(positive, votes.length - positive),
  }
}

beforeAll(async () => {
  fixture = await startServiceFixture()
  ana = await fixture.user('ana')
  const bo = await fixture.user('bo_2')
  service = await createApp(readConfig(iodsConfigSchema, fixture.env), fixture.deps)
  url = await fixture.listen(service)
  api = apiClient(url, ana.token)
  const creators = [ana, bo].map(({ id }) => new Types.ObjectId(id))
  const docs = Array.from({ length: COUNT }, (_, n) => iodOf(creators, n))
  await service.mongo.collection('iods').insertMany(docs as never)
  all = await api.call(iodsApi.listIods)
  members = docs.flatMap(({ _id }, n) => (n % 3 === 0 ? _id.toHexString() : []))
  fixture.answer(campaignsInternal.getMembers, ({ body: { ids } }) => {
    if (ids.includes(GONE)) throw notFound()
    return members
  })
})
afterAll(() => fixture?.stop())

type Query = QueryFor<typeof iodAnalyticsApi.analyzeIods>
const ZONES = ['UTC', 'Europe/Paris', 'Asia/Kathmandu', 'America/St_Johns', 'Pacific/Kiritimati']
const dayAt = (n: number) => new Date(FIRST + n * 24 * HOUR_MS).toISOString().slice(0, 10)
const localDay = (time: string, zone: string) =>
  new Date(Date.parse(time) + offsetOf(Date.parse(time), zone)).toISOString().slice(0, 10)

const someOf = <T>(values: readonly T[]) =>
  fc.option(fc.subarray([...values], { minLength: 1 }), { nil: undefined })
const query: fc.Arbitrary<Query> = fc
  .record({
    start: fc.integer({ min: -3, max: 36 }),
    days: fc.integer({ min: 1, max: 40 }),
    zone: fc.constantFrom(...ZONES),
    category: someOf(CATEGORIES),
    source: someOf(SOURCE_TYPES),
    campaign: fc.constantFrom(undefined, undefined, CAMPAIGN),
    mine: fc.constantFrom('true' as const, 'false' as const),
  })
  .map(({ start, days, ...filters }) => ({
    from: dayAt(start),
    to: dayAt(start + days - 1),
    compare: 'true' as const,
    ...filters,
  }))

/** Filters of the list of IODs for the same selection as that of an analysis. */
const listed = ({ from, to, zone, category, source, campaign, mine }: Query) => ({
  from,
  to,
  zone,
  category,
  source_type: source,
  campaign,
  ...(mine === 'true' && { created_by: ana.id }),
})
const rows = async (filters: QueryFor<typeof iodsApi.listIods>) =>
  api.call(iodsApi.listIods, { query: filters })
/** The IODs that an analysis selects, by a scan of all. */
const scan = ({ from, to, zone = 'UTC', category, source, campaign, mine }: Query) =>
  all.filter(iod => {
    const day = localDay(iod.created_at, zone)
    return (
      day >= from &&
      day <= to &&
      (!category || [category].flat().includes(iod.category)) &&
      (!source || [source].flat().includes(iod.source_type)) &&
      (!campaign || members.includes(iod.id)) &&
      (mine !== 'true' || iod.created_by_id === ana.id)
    )
  })
const idsOf = (iods: readonly { id: string }[]) => iods.map(({ id }) => id).sort()

// Some 10,000 requests in the long tier.
describe('marks equal the rows behind their links and a scan, for random filters:', {
  timeout: 600_000,
}, () => {
  it('days, categories and sources', () =>
    fc.assert(
      fc.asyncProperty(query, async given => {
        const expected = scan(given)
        const analysis = await api.call(iodAnalyticsApi.analyzeIods, { query: given })
        expect(analysis.total).toBe(expected.length)
        expect(idsOf(await rows(listed(given)))).toEqual(idsOf(expected))
        const byDay = new Map<string, number>()
        for (const { created_at } of expected) {
          const day = localDay(created_at, given.zone ?? 'UTC')
          byDay.set(day, (byDay.get(day) ?? 0) + 1)
        }
        expect(analysis.days.map(({ day, total }) => [day, total])).toEqual(
          analysis.days.map(({ day }) => [day, byDay.get(day) ?? 0]),
        )
        const [busiest] = analysis.days.toSorted((a, b) => b.total - a.total)
        for (const [category, n] of Object.entries(busiest?.categories ?? {}))
          expect(
            await rows({
              ...listed(given),
              from: busiest?.day,
              to: busiest?.day,
              category: category as (typeof CATEGORIES)[number],
            }),
          ).toHaveLength(n ?? 0)
        expect(analysis.days_before?.reduce((sum, n) => sum + n, 0)).toBe(analysis.previous)
      }),
      RUNS,
    ))

  it('domains, hashtags and accounts', () =>
    fc.assert(
      fc.asyncProperty(query, async given => {
        for (const { kind, values, distinct } of await api.call(iodAnalyticsApi.analyzeValues, {
          query: given,
        })) {
          expect(values.length).toBe(Math.min(50, distinct))
          for (const { value, n } of values.slice(0, 3))
            expect(await rows({ ...listed(given), [kind]: value })).toHaveLength(n)
        }
      }),
      RUNS,
    ))

  it('agreement and time to the third vote', () =>
    fc.assert(
      fc.asyncProperty(query, async given => {
        const votes = await api.call(iodAnalyticsApi.analyzeVotes, { query: given })
        expect(votes.total).toBe(scan(given).length)
        for (const { agreement, n } of votes.agreements)
          expect(await rows({ ...listed(given), agreement })).toHaveLength(n)
        for (const { third_vote, n } of votes.third_votes)
          expect(await rows({ ...listed(given), third_vote })).toHaveLength(n)
        const disputed = await rows({ ...listed(given), sort: 'disputed', limit: '50' })
        expect(votes.disputed.map(({ id }) => id)).toEqual(
          disputed.flatMap(({ id, votes }) =>
            new Set(votes.map(vote => vote.vote_type)).size > 1 ? id : [],
          ),
        )
      }),
      RUNS,
    ))
})

it('columns have the same contents for any order of insertion and repetition', () => {
  const creator = new Types.ObjectId()
  const docs = Array.from({ length: 300 }, (_, n) => {
    const doc = iodOf([creator], n)
    // Several have the same time.
    return { ...doc, created_at: new Date(FIRST + Math.floor(n / 3)) }
  })
  const contents = (given: typeof docs) => {
    const columns = new IodColumns()
    columns.put(given)
    columns.put(given.slice(0, 50))
    expect(columns.size).toBe(docs.length)
    expect(docs.every(({ fold_key }) => columns.keys.mayContain(fold_key))).toBe(true)
    const others = Array.from({ length: 1_000 }, (_, n) => hashOf(`other ${n}`))
    expect(others.filter(key => columns.keys.mayContain(key)).length).toBeLessThan(3)
    return docs.map(doc => {
      const row = columns.find(doc) ?? -1
      const terms = [...columns.termsAt(row)].map(term => columns.names[term])
      return [columns.idAt(row), columns.timeAt(row), columns.kindAt(row), columns.votesAt(row), terms]
    })
  }
  const shuffled = docs.toSorted((a, b) => (a.fold_key < b.fold_key ? -1 : 1))
  expect(contents(shuffled)).toEqual(contents(docs))
})

const PERIOD = { from: dayAt(0), to: dayAt(40) }

describe('analyses of IODs', () => {
  it('count values in their folded form: domains below a public suffix, hashtags and accounts without signs', async () => {
    const found = await api.call(iodAnalyticsApi.analyzeValues, { query: PERIOD })
    expect(found.map(({ kind }) => kind)).toEqual([...VALUE_KINDS])
    const values = Object.fromEntries(found.map(each => [each.kind, each.values.map(({ value }) => value)]))
    expect(values.domain?.toSorted()).toEqual(['example.co.uk', 'example.org'])
    expect(values.hashtag).toEqual(expect.arrayContaining(['tag0', 'tag1', 'tag2', 'tag3']))
    expect(values.account).toContain('desk1')
  })

  it('contain every class, also empty ones', async () => {
    const votes = await api.call(iodAnalyticsApi.analyzeVotes, {
      query: { from: '2020-01-01', to: '2020-01-02' },
    })
    expect(votes.agreements.map(({ agreement }) => agreement)).toEqual([...AGREEMENTS])
    expect(votes.third_votes.map(({ third_vote }) => third_vote)).toEqual([...THIRD_VOTES])
    expect(votes).toMatchObject({ total: 0, majority: null, disputed: [] })
  })

  it('include the creation and the votes that were answered before', async () => {
    const today = new Date().toISOString().slice(0, 10)
    const period = { from: today, to: today, mine: 'true' as const }
    const created = await api.call(iodsApi.createIod, { body: iodInput({ value: 'just now' }) })
    expect((await api.call(iodAnalyticsApi.analyzeIods, { query: period })).total).toBe(1)
    for (const vote_type of ['POSITIVE', 'POSITIVE', 'NEGATIVE'] as const)
      await apiClient(url, (await fixture.user()).token).call(iodsApi.voteIod, {
        params: { id: created.id },
        body: { vote_type },
      })
    const votes = await api.call(iodAnalyticsApi.analyzeVotes, { query: period })
    expect(votes.agreements.find(({ n }) => n > 0)?.agreement).toBe('mixed')
    expect(votes.third_votes.find(({ n }) => n > 0)?.third_vote).toBe('hour')
    expect(votes.disputed).toMatchObject([{ id: created.id, positive: 2, negative: 1 }])
  })

  it('find IODs of earlier versions by their values once the migration ran', async () => {
    const found = await rows({ domain: 'example.org' })
    expect(found.length).toBeGreaterThan(0)
    await service.mongo.collection('iods').updateMany({}, { $unset: { terms: 1 } })
    expect(await rows({ domain: 'example.org' })).toEqual([])
    await terms.up(service.mongo)
    expect(await rows({ domain: 'example.org' })).toEqual(found)
  })

  it.each([
    [{ ...PERIOD, campaign: GONE }, 404],
    [{ from: PERIOD.to, to: PERIOD.from }, 422],
    [{ from: '1926-01-01', to: PERIOD.to }, 422],
    [{ ...PERIOD, zone: 'Mars/Olympus' }, 422],
    [{ ...PERIOD, category: 'NONSENSE' }, 422],
    [{ from: '2026-02-30', to: PERIOD.to }, 422],
  ])('refuse %j with %i', async (bad, status) => {
    for (const endpoint of Object.values(iodAnalyticsApi))
      await expect(api.call(endpoint, { query: bad as Query })).rejects.toMatchObject({ status })
  })
})

describe('the first read', () => {
  /** Returns a reader whose read of all IODs waits until it is released. */
  const heldReader = () => {
    let release = () => {}
    const isReleased = new Promise<void>(resolve => {
      release = resolve
    })
    const model = service.mongo.model('Iod') as unknown as IodModel
    const find = (filter: { created_at?: { $gte?: Date } }, options?: object) => {
      const cursor = model.collection.find(filter as never, options as never)
      if (filter.created_at?.$gte?.getTime() !== 0) return cursor
      const toArray = cursor.toArray.bind(cursor)
      return Object.assign(cursor, { toArray: () => isReleased.then(toArray) })
    }
    const collection = new Proxy(model.collection, {
      get: (target, name) => {
        if (name === 'find') return find
        const value = Reflect.get(target, name)
        return typeof value === 'function' ? value.bind(target) : value
      },
    })
    const iods = Object.create(model, { collection: { value: collection } }) as IodModel
    const recentMs = Date.now() - FIRST - 200 * HOUR_MS
    return { release, ...createColumnReader({ mongo: service.mongo, iods }, { firstMs: 20, recentMs }) }
  }
  const whole = () => createColumnReader({ mongo: service.mongo, iods: service.mongo.model('Iod') as never })

  it('answers for recent IODs while all are read, and 503 for others', async () => {
    // Later reads of changes would add the others.
    const revision = new Date(Date.now() - 24 * HOUR_MS)
    await service.mongo.collection('iods').updateMany({}, { $set: { revision } })
    const { read, release } = heldReader()
    const from = FIRST + 201 * HOUR_MS
    const columns = await vi.waitFor(() => read(from), 30_000)
    const complete = await whole().read(0)
    const rowsSince = (each: IodColumns) => each.size - each.rowOf(from)
    expect(rowsSince(columns)).toBeGreaterThan(200)
    expect(columns.size).toBeLessThan(complete.size)
    expect(rowsSince(columns)).toBe(rowsSince(complete))
    const last = [columns, complete].map(each =>
      Array.from({ length: rowsSince(each) }, (_, n) => {
        const row = each.rowOf(from) + n
        return [each.idAt(row), each.thirdVoteAt(row), each.agreementAt(row), each.termsAt(row).length]
      }),
    )
    expect(last[0]).toEqual(last[1])
    await expect(read(FIRST)).rejects.toMatchObject({ status: 503 })
    release()
    await expect
      .poll(async () => (await read(FIRST).catch(() => undefined))?.size, { timeout: 30_000 })
      .toBe(complete.size)
  })

  it('is repeated once IODs have another time of creation', async () => {
    const { read } = whole()
    const before = (await read(0)).size
    const [doc] = await service.mongo.collection('iods').find().sort({ created_at: 1 }).limit(1).toArray()
    const change = { created_at: new Date(FIRST + 5), revision: new Date() }
    await service.mongo.collection('iods').updateOne({ _id: doc?._id }, { $set: change })
    await expect.poll(async () => (await read(0)).size).toBe(before)
    const columns = await read(0)
    expect(columns.find({ _id: doc?._id as never, created_at: change.created_at })).toBe(0)
    expect(columns.timeAt(0)).toBe(FIRST + 5)
  })
})
