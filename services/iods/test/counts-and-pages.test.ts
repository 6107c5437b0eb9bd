import { IOD_SORTS, type IodFacets, iodsApi, type QueryFor, type QueryOf } from '@iodine/contracts'
import { readConfig, type StoreService } from '@iodine/service-kit'
import {
  apiClient,
  type FixtureUser,
  facetsOf,
  iodInput,
  plansOf,
  type ServiceFixture,
  startServiceFixture,
} from '@iodine/test-kit'
import { Types } from 'mongoose'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { createApp, iodsConfigSchema, newIodDoc } from '../src/index.js'

let fixture: ServiceFixture
let service: StoreService
let ana: FixtureUser
let url: string
let api: ReturnType<typeof apiClient>

const SOURCE = 'https://example.org/before'
const IODS = 450
const HASHTAGS = 1_000
const iodOf = (n: number) => {
  const isTag = n >= IODS
  const [value, category] = isTag
    ? ([`many${n}`, 'HASHTAGS'] as const)
    : ([`Before ${n}`, n % 2 ? 'URL' : 'TITLE'] as const)
  const source = n % 4 ? null : SOURCE
  const input = iodInput({ value, category, description: '', source_type: 'BLOG', source })
  return {
    ...newIodDoc(new Types.ObjectId(ana.id), input),
    created_at: new Date(Date.UTC(2026, 0, 1, 0, n)),
    votes_total: isTag ? 0 : n % 3,
    votes_disputed: isTag ? 0 : n % 2,
  }
}

/** Starts a replica whose tasks run only on request. */
const start = () => createApp(readConfig(iodsConfigSchema, { ...fixture.env, ROLE: 'api' }), fixture.deps)

beforeAll(async () => {
  fixture = await startServiceFixture()
  ana = await fixture.user('ana')
  service = await start()
  const iods = Array.from({ length: IODS + HASHTAGS }, (_, n) => iodOf(n))
  await service.mongo.collection('iods').insertMany(iods)
  url = await fixture.listen(service)
  api = apiClient(url, ana.token)
})
afterAll(() => fixture?.stop())

type Query = QueryOf<typeof iodsApi.listIods>
const list = (query: QueryFor<typeof iodsApi.listIods> = {}) => api.call(iodsApi.listIods, { query })
const facets = (): Promise<IodFacets> => api.call(iodsApi.getIodFacets)
/** Counts of all IODs, from a scan. */
const scanned = async (): Promise<IodFacets> => facetsOf(await list())
const tallies = () => service.mongo.collection('tallies')

describe('counts', () => {
  it('are corrected by the recount, once when replicas find the same difference', async () => {
    const other = await start()
    for (const wrong of [[], [{ category: 'URL', source_type: 'BLOG', n: 3 }]]) {
      if (wrong.length > 0) await tallies().insertMany(wrong)
      else await tallies().deleteMany({})
      expect(await facets()).not.toEqual(await scanned())
      await Promise.all([service, other].map(({ tasks }) => tasks.run('recount')))
      expect(await facets()).toEqual(await scanned())
    }
    await other.close()
  })

  it('stay correct when replicas merge tallies while IODs are created', async () => {
    const other = await start()
    onTestFinished(() => other.close())
    const kind = { category: 'URL', source_type: 'BLOG' }
    const pairs = Array.from({ length: 150 }, () => [
      { ...kind, n: 1 },
      { ...kind, n: -1 },
    ])
    await tallies().insertMany(pairs.flat())
    const creating = Array.from({ length: 10 }, (_, n) =>
      api.send('POST', '/iods', iodInput({ value: `merged ${n}` })),
    )
    await Promise.all([...creating, ...[service, other].map(({ tasks }) => tasks.run('tallies'))])
    expect(await tallies().countDocuments()).toBeLessThan(100)
    expect(await facets()).toEqual(await scanned())
  })

  it('equal a scan after concurrent creations, some of them rejected', { tags: 'long' }, async () => {
    const users = await Promise.all(Array.from({ length: 8 }, () => fixture.user()))
    const inputs = Array.from({ length: 60 }, (_, n) =>
      iodInput({ value: `many ${n >> 1}`, category: 'DOMAIN' }),
    )
    const answers = await Promise.all(
      inputs.map((input, n) => apiClient(url, users[n % 8]?.token).send('POST', '/iods', input)),
    )
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(30)
    expect(await facets()).toEqual(await scanned())
  })
})

describe('a page reads an index in its order', () => {
  const FILTERS: Query[] = [
    {},
    { category: ['URL'] },
    { category: ['URL', 'TITLE'], source_type: ['BLOG'] },
    { source_type: ['BLOG', 'MANUAL'] },
    { created_by: ['ana'] },
    { created_by: ['ana'], category: ['URL'] },
    { q: 'fore', created_by: ['ana'] },
    { q: 'before' },
    { q: 'e', category: ['URL'] },
    { source: SOURCE },
    { source: SOURCE, q: 'fore', category: ['TITLE'] },
    { source: SOURCE, created_by: ['ana'] },
  ]
  const LIMIT = 20

  it.each(
    FILTERS.flatMap(filters => IOD_SORTS.map(sort => [JSON.stringify(filters), sort, filters] as const)),
  )('%s by %s', async (_, sort, filters) => {
    const plans = await plansOf(service.mongo, 'iods', async () => {
      const query = new URLSearchParams({ limit: String(LIMIT), sort })
      for (const [name, values] of Object.entries(filters))
        for (const value of [values].flat()) query.append(name, String(value))
      const first = await api.send('GET', `/iods?${query}`)
      query.set('cursor', first.headers.get('x-next-cursor') ?? '')
      expect((await api.send('GET', `/iods?${query}`)).body).toHaveLength(LIMIT)
    })
    expect(plans.length).toBeGreaterThanOrEqual(2)
    for (const { stages } of plans) {
      expect(stages).toContain('IXSCAN')
      // Few matches that a gram finds are sorted in memory.
      if ('q' in filters && !('created_by' in filters || 'source' in filters) && sort !== 'created')
        expect(stages[0]).toBe('SORT')
      else expect(stages).not.toContain('SORT')
    }
  })
})

it('a page of a source has its order regardless of the length of other sources', async () => {
  const source = 'https://example.org/'.padEnd(10_000, 'x')
  const created = await api.send('POST', '/iods', iodInput({ source, value: 'of a long source' }))
  expect(created.status).toBe(201)
  for (const sort of IOD_SORTS) {
    const [plan] = await plansOf(service.mongo, 'iods', () => list({ source: SOURCE, sort, limit: '5' }))
    expect(plan).toMatchObject({ returned: 6, docsExamined: 6 })
    expect(plan?.stages).not.toContain('SORT')
  }
})

describe('a search with more than 1,000 matches', () => {
  const insert = (term: string, from: number, to: number, year: number) =>
    service.mongo.collection('iods').insertMany(
      Array.from({ length: to - from }, (_, n) => ({
        ...iodOf(0),
        ...newIodDoc(
          new Types.ObjectId(ana.id),
          iodInput({ value: `${term} ${from + n}`, category: 'HASH' }),
        ),
        created_at: new Date(Date.UTC(year, 0, 1, 0, from + n)),
        votes_total: (from + n) % 7,
      })),
    )
  const page = async (term: string) => {
    const { headers } = await api.send('GET', `/iods?limit=2&q=${term}`)
    return [headers.get('x-total-count'), headers.get('x-total-relation')]
  }
  const count = (q: string) => api.call(iodsApi.getIodFacets, { query: { q } })

  it('has lower bounds of its counts, one with 1,000 exact counts', async () => {
    await insert('bounded', 0, 1_000, 2025)
    expect(await page('bounded')).toEqual(['1000', null])
    const exact = { total: 1_000, categories: { HASH: 1_000 }, source_types: { MANUAL: 1_000 } }
    expect(await count('bounded')).toEqual(exact)
    await insert('bounded', 1_000, 1_001, 2025)
    expect(await page('bounded')).toEqual(['1000', 'gte'])
    expect(await count('bounded')).toMatchObject({ total: 1_000, exact: false })
  })

  it.each([
    ['the newest IODs', 'latest', 2030, false],
    ['old IODs', 'earliest', 2020, true],
  ])('is sorted by votes if %s match', async (_, term, year, isSorted) => {
    await insert(term, 0, 1_010, year)
    // A new replica, whose sample has these IODs.
    const replica = await start()
    onTestFinished(() => replica.close())
    const client = apiClient(await fixture.listen(replica), ana.token)
    let found: (string | undefined)[] = []
    const [plan] = await plansOf(replica.mongo, 'iods', async () => {
      const iods = await client.call(iodsApi.listIods, { query: { q: term, sort: 'votes', limit: '200' } })
      found = iods.map(({ value }) => value)
    })
    const numbers = Array.from({ length: 1_010 }, (_, n) => n).sort((a, b) => (b % 7) - (a % 7) || b - a)
    expect(found).toEqual(numbers.slice(0, 200).map(n => `${term} ${n}`))
    expect(plan?.stages.includes('SORT')).toBe(isSorted)
  })
})
