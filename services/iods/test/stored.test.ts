import {
  IOD_SORTS,
  type IodFacets,
  iodsApi,
  type QueryFor,
  type QueryOf,
  repairInternal,
} from '@iodine/contracts'
import { connectMongo, gramsOf, hashOf, readConfig, type StoreService } from '@iodine/service-kit'
import {
  apiClient,
  type BedUser,
  facetsOf,
  iodInput,
  plansOf,
  type ServiceBed,
  startServiceBed,
} from '@iodine/test-kit'
import { Types } from 'mongoose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createApp, iodsConfigSchema } from '../src/index.js'
import { hashtagsWithoutSign } from '../src/migrations/0003-hashtags-without-sign.js'
import { caseFolding } from '../src/migrations/0004-case-folding.js'
import { GRAM_LENGTHS } from '../src/models/iod.js'

let bed: ServiceBed
let service: StoreService
let ana: BedUser
let url: string
let api: ReturnType<typeof apiClient>

const SOURCE = 'https://example.org/before'
/** An IOD as the version before searches were answered by the database stored it. */
const ofBefore = (n: number) => ({
  _id: new Types.ObjectId(),
  value: `Before ${n}`,
  category: n % 2 ? 'URL' : 'TITLE',
  description: n === 7 ? 'Lighthouse' : '',
  source_type: 'BLOG',
  source: n % 4 ? null : SOURCE,
  source_id: null,
  created_by: new Types.ObjectId(ana.id),
  created_at: new Date(Date.UTC(2026, 0, 1, 0, n)),
  votes: [
    ...(n % 3
      ? [{ _id: new Types.ObjectId(), user_id: null, vote_type: 'POSITIVE', created_at: new Date() }]
      : []),
    ...(n % 5
      ? [{ _id: new Types.ObjectId(), user_id: null, vote_type: 'NEGATIVE', created_at: new Date() }]
      : []),
  ],
  fold_key: `key ${n}`,
  announced: true,
})
const BEFORE = 450
/** The same as the version before sparse grams stored it: tallied, with grams in another field. */
const ofVersionWithTallies = (n: number) => ({
  ...ofBefore(n),
  value: `Tallied ${n}`,
  search: `tallied ${n}\0`,
  grams: [1, 2, 3],
  votes_total: 2,
  votes_disputed: 1,
})
const TALLIED = 250
/** Hashtags as the versions stored them that told them apart by their sign. */
const TAGS = ['#Alone', 'both', '#both', ' ##Both ', '#']
const HASHTAGS = 1_000 + TAGS.length
const ofVersionWithSigns = (value: string, n: number) => ({
  ...ofVersionWithTallies(n),
  value,
  category: 'HASHTAGS',
  votes: [],
  votes_total: 0,
  votes_disputed: 0,
  search: `${value}\0`,
  fold_key: hashOf(value.trim().toLowerCase()),
})

beforeAll(async () => {
  bed = await startServiceBed()
  ana = await bed.user('ana')
  const { MONGODB_URI = '', MONGODB_PREFIX = '' } = bed.env
  const before = await connectMongo(MONGODB_URI, `${MONGODB_PREFIX}_iods`)
  await before.collection('iods').insertMany(Array.from({ length: BEFORE }, (_, n) => ofBefore(n)))
  await before
    .collection('iods')
    .insertMany(Array.from({ length: TALLIED }, (_, n) => ofVersionWithTallies(1_000 + n)))
  await before.collection('tallies').insertMany([
    { category: 'URL', source_type: 'BLOG', n: TALLIED / 2 },
    { category: 'TITLE', source_type: 'BLOG', n: TALLIED / 2 },
    { category: 'HASHTAGS', source_type: 'BLOG', n: HASHTAGS },
  ])
  const tags = [...TAGS, ...Array.from({ length: 1_000 }, (_, n) => `#many${n}`)]
  await before.collection('iods').insertMany(tags.map((value, n) => ofVersionWithSigns(value, 10_000 + n)))
  await before.collection('forgotten').insertOne({ at: new Date() })
  await before.close()
  service = await createApp(readConfig(iodsConfigSchema, bed.env), bed.deps)
  url = await bed.listen(service)
  api = apiClient(url, ana.token)
})
afterAll(() => bed?.stop())

type Query = QueryOf<typeof iodsApi.listIods>
const list = (query: QueryFor<typeof iodsApi.listIods> = {}) => api.call(iodsApi.listIods, { query })
const facets = (): Promise<IodFacets> => api.call(iodsApi.getIodFacets)
/** Counts of all IODs, from a scan. */
const scanned = async (): Promise<IodFacets> => facetsOf(await list())

describe('IODs that an earlier version stored', () => {
  it('are searched, sorted and counted after the start', async () => {
    expect(await facets()).toEqual({
      total: BEFORE + TALLIED + HASHTAGS,
      categories: { HASHTAGS, TITLE: (BEFORE + TALLIED) / 2, URL: (BEFORE + TALLIED) / 2 },
      source_types: { BLOG: BEFORE + TALLIED + HASHTAGS },
    })
    expect(await facets()).toEqual(await scanned())
    expect(await list({ q: 'tallied' })).toHaveLength(TALLIED)
    expect(await service.mongo.collection('iods').countDocuments({ grams: { $exists: true } })).toBe(0)
    expect((await list({ q: 'LIGHTHOUSE' })).map(({ value }) => value)).toEqual(['Before 7'])
    const disputed = await list({ sort: 'disputed' })
    expect(disputed[0]?.votes).toHaveLength(2)
    expect(disputed.at(-1)?.votes.length).toBeLessThan(2)
    expect(await service.mongo.listCollections()).not.toContainEqual(
      expect.objectContaining({ name: 'forgotten' }),
    )
  })

  it('are hashtags whatever their sign; what was doubled is kept, and found', async () => {
    const create = (value: string) => api.send('POST', '/iods', iodInput({ value, category: 'HASHTAGS' }))
    const found = async (...values: string[]) =>
      (await api.call(iodsApi.lookupIods, { body: { values } })).map(({ value }) => value).sort()
    for (const value of ['alone', '#ALONE', 'both', '#both', '##both', '#', '#many999', 'many0'])
      expect([value, (await create(value)).status]).toEqual([value, 409])
    expect(await found('alone')).toEqual(['#Alone'])
    expect(await found('#alone', 'alone')).toEqual(['#Alone'])
    expect(await found('both')).toEqual(['both'])
    expect(await found('#both')).toEqual(['#both', 'both'])
    expect(await found('#')).toEqual(['#'])
    expect(await found('many500')).toEqual(['#many500'])
    // It may run again.
    const keys = () => service.mongo.collection('iods').find({ category: 'HASHTAGS' }).toArray()
    const before = await keys()
    await hashtagsWithoutSign.up(service.mongo)
    expect(await keys()).toEqual(before)
  })

  it('get the keys and searched texts of case folding; of two with one key now, both stay', async () => {
    const lower = (text: string) => text.trim().normalize('NFC').toLowerCase()
    const stored = (value: string, n: number) => ({
      ...ofVersionWithTallies(20_000 + n),
      value,
      category: 'COMPANY',
      search: `${lower(value)}\0`,
      ngrams: gramsOf([lower(value)], GRAM_LENGTHS),
      fold_key: hashOf(lower(value)),
    })
    const values = ['ΟΔΟΣ', 'οδοσ', 'Straße 9', '\u200bzero', 'plain']
    const collection = service.mongo.collection('iods')
    await collection.insertMany(values.map(stored))
    await service.mongo.collection('tallies').insertOne({ category: 'COMPANY', source_type: 'BLOG', n: 5 })
    const found = async (value: string) =>
      (await api.call(iodsApi.lookupIods, { body: { values: [value] } })).map(each => each.value)
    const all = () => collection.find({ category: 'COMPANY' }).sort({ _id: 1 }).toArray()
    expect(await found('STRASSE 9')).toEqual([])
    await caseFolding.up(service.mongo)
    const migrated = await all()
    await caseFolding.up(service.mongo)
    expect(await all()).toEqual(migrated)
    expect(migrated.map(({ value }) => value)).toEqual(values)
    expect(migrated.map(({ revision }) => revision instanceof Date)).toEqual([
      false,
      false,
      true,
      true,
      false,
    ])
    for (const value of ['STRASSE 9', 'strasse 9']) expect(await found(value)).toEqual(['Straße 9'])
    expect(await found('zero\u200e')).toEqual(['\u200bzero'])
    expect(await found('ΟΔΟΣ')).toEqual(['οδοσ'])
    for (const value of ['ΟΔΟς', 'STRASSE 9', 'Zero', 'Plain'])
      expect((await api.send('POST', '/iods', iodInput({ value, category: 'COMPANY' }))).status).toBe(409)
    expect((await list({ q: 'οδος' })).map(({ value }) => value).sort()).toEqual(['ΟΔΟΣ', 'οδοσ'])
    expect((await list({ q: 'RASSE' })).map(({ value }) => value)).toEqual(['Straße 9'])
    // Nothing visible is no search.
    expect((await list({ q: '\u200b' })).length).toBe((await list()).length)
  })

  it('while this one runs are found and counted after the next repair', async () => {
    const { total } = await facets()
    await service.mongo.collection('iods').insertOne({ ...ofBefore(500), value: 'a straggler' })
    await service.mongo
      .collection('iods')
      .insertOne({ ...ofVersionWithTallies(2_000), value: 'a second one' })
    await service.mongo.collection('tallies').insertOne({ category: 'TITLE', source_type: 'BLOG', n: 1 })
    expect(await list({ q: 'straggler' })).toEqual([])
    for (let times = 0; times < 2; times++) await bed.internal(repairInternal.repair)
    expect(await list({ q: 'straggler' })).toHaveLength(1)
    expect(await list({ q: 'second one' })).toHaveLength(1)
    expect(await facets()).toEqual(await scanned())
    expect((await facets()).total).toBe(total + 2)
  })
})

it('counts are corrected by a recount, once a day', async () => {
  await service.mongo.collection('tallies').insertMany([
    { category: 'URL', source_type: 'BLOG', n: 3 },
    { category: 'HASH', source_type: 'MANUAL', n: -1 },
  ])
  await bed.internal(repairInternal.repair)
  expect(await facets()).not.toEqual(await scanned())
  await service.mongo.collection('recounts').updateMany({}, { $set: { at: new Date(0) } })
  expect(await bed.internal(repairInternal.repair)).toEqual({ repaired: 2 })
  expect(await facets()).toEqual(await scanned())
})

it('counts stay those of a scan when many IODs are created at once, some refused', {
  tags: 'long',
}, async () => {
  const users = await Promise.all(Array.from({ length: 8 }, () => bed.user()))
  const inputs = Array.from({ length: 60 }, (_, n) =>
    iodInput({ value: `many ${n >> 1}`, category: 'DOMAIN' }),
  )
  const answers = await Promise.all(
    inputs.map((input, n) => apiClient(url, users[n % 8]?.token).send('POST', '/iods', input)),
  )
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(30)
  expect(await facets()).toEqual(await scanned())
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
      // Few matches are sorted in memory where they are found by a gram.
      if ('q' in filters && !('created_by' in filters || 'source' in filters) && sort !== 'created')
        expect(stages[0]).toBe('SORT')
      else expect(stages).not.toContain('SORT')
    }
  })
})

it('a page of a source has its order whatever lengths other sources have', async () => {
  const source = 'https://example.org/'.padEnd(10_000, 'x')
  const created = await api.send('POST', '/iods', iodInput({ source, value: 'of a long source' }))
  expect(created.status).toBe(201)
  for (const sort of IOD_SORTS) {
    const [plan] = await plansOf(service.mongo, 'iods', () => list({ source: SOURCE, sort, limit: '5' }))
    expect(plan).toMatchObject({ returned: 6, docsExamined: 6 })
    expect(plan?.stages).not.toContain('SORT')
  }
})
