import {
  CATEGORIES,
  campaignAnalyticsApi,
  campaignsApi,
  collectorApi,
  iodAnalyticsApi,
  iodsApi,
  narrativeAnalyticsApi,
  narrativesApi,
  profileApi,
  type QueryFor,
  recordAnalyticsApi,
  SOURCE_TYPES,
  SOURCES,
} from '@iodine/contracts'
import {
  blogArticle,
  iodInput,
  isLongTier,
  NO_LIMITS,
  newId,
  platformPost,
  propertyRuns,
  type SignedInUser,
  telegramPost,
  tiktokPost,
} from '@iodine/test-kit'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../src/index.js'

let app: TestApp
let ana: SignedInUser
let bo: SignedInUser
const campaigns: string[] = []

const today = new Date().toISOString().slice(0, 10)
/** The whole test, also if it runs around midnight. */
const PERIOD = {
  from: new Date(Date.now() - 48 * 3_600_000).toISOString().slice(0, 10),
  to: new Date(Date.now() + 48 * 3_600_000).toISOString().slice(0, 10),
}
const COUNT = 24

beforeAll(async () => {
  app = await startTestApp({ env: { ...NO_LIMITS, LOG_LEVEL: 'silent' } })
  ;[ana, bo] = [await app.signUp(), await app.signUp()]
  const iods: string[] = []
  for (let n = 0; n < COUNT; n++) {
    const { id } = await (n % 2 ? ana : bo).api.call(iodsApi.createIod, {
      body: iodInput({
        category: CATEGORIES[n % CATEGORIES.length] as (typeof CATEGORIES)[number],
        source_type: SOURCE_TYPES[n % SOURCE_TYPES.length] as (typeof SOURCE_TYPES)[number],
        value: `value ${n}`,
        description: `by @desk${n % 4} at https://a.site${n % 3}.example.org/`,
      }),
    })
    iods.push(id)
  }
  for (const [n, size] of [16, 12].entries()) {
    const { id } = await ana.api.call(campaignsApi.createCampaign, { body: { name: `Campaign ${n}` } })
    const iod_ids = n === 0 ? iods.slice(0, size) : iods.slice(-size)
    await ana.api.call(campaignsApi.addIods, { params: { id }, body: { iod_ids } })
    campaigns.push(id)
  }
})
afterAll(() => app?.stop())

const rows = async (query: QueryFor<typeof iodsApi.listIods>) =>
  (await ana.api.call(iodsApi.listIods, { query })).length

it('compares campaigns: an overlap has as many IODs as the list of both campaigns', async () => {
  const found = await ana.api.call(campaignAnalyticsApi.analyzeCampaigns, { query: PERIOD })
  const sizes = new Map(found.campaigns.map(({ id, iods }) => [id, iods]))
  expect(campaigns.map(id => sizes.get(id))).toEqual([16, 12])
  for (const id of campaigns) expect(await rows({ ...PERIOD, campaign: id })).toBe(sizes.get(id))
  // One is the value of an IOD of the category USERNAME.
  const [overlap] = found.overlaps
  expect(overlap).toMatchObject({ iods: 4, accounts: 5, domains: 1 })
  expect(await rows({ ...PERIOD, campaign: campaigns })).toBe(overlap?.iods)
})

it('opens the rows of a mark with the filter by campaign', async () => {
  const query = { ...PERIOD, campaign: campaigns[0] as string }
  const { total, days } = await ana.api.call(iodAnalyticsApi.analyzeIods, { query })
  expect(total).toBe(16)
  for (const { day, total } of days.filter(each => each.total > 0))
    expect(await rows({ ...query, from: day, to: day })).toBe(total)
  const values = await ana.api.call(iodAnalyticsApi.analyzeValues, { query })
  for (const { kind, values: found } of values)
    for (const { value, n } of found) expect(await rows({ ...query, [kind]: value })).toBe(n)
})

it('answers 404 for a campaign that is gone, and the rest without it', async () => {
  const gone = { ...PERIOD, campaign: newId() }
  for (const endpoint of Object.values(iodAnalyticsApi))
    await expect(ana.api.call(endpoint, { query: gone })).rejects.toMatchObject({ status: 404 })
  await expect(ana.api.call(iodsApi.listIods, { query: gone })).rejects.toMatchObject({ status: 404 })
  expect((await ana.api.call(iodAnalyticsApi.analyzeIods, { query: PERIOD })).total).toBe(COUNT)
})

it('tells records with a known IOD when they were collected, whatever IODs are created later', async () => {
  const word = `w${newId()}`
  const [url, later] = [`https://${word}.example/known`, `later${newId()}`]
  const member = await app.signUp()
  await bo.api.call(iodsApi.createIod, { body: iodInput({ category: 'URL', value: url }) })
  const description = (n: number) => (n < 3 ? `see ${url.toUpperCase()} and ${later}` : `see ${later}`)
  const records = Array.from({ length: 5 }, (_, n) => tiktokPost({ description: description(n) }))
  const params = { source: 'tiktok' as const }
  await member.api.call(collectorApi.ingestRecords, { params, body: { records } })
  await bo.api.call(iodsApi.createIod, { body: iodInput({ category: 'TITLE', value: later }) })
  const marks = async () =>
    (await member.api.call(recordAnalyticsApi.analyzeRecords, { query: PERIOD })).novelties
  await expect.poll(marks, { timeout: 30_000 }).toEqual([
    { novelty: 'known', n: 3, sources: { tiktok: 3 } },
    { novelty: 'new', n: 2, sources: { tiktok: 2 } },
    { novelty: 'pending', n: 0, sources: {} },
  ])
  for (const { novelty, n } of await marks()) {
    const query = { ...PERIOD, novelty }
    expect(await member.api.call(collectorApi.listRecords, { params, query })).toHaveLength(n)
  }
})

const pool = (name: string, size: number) => fc.integer({ min: 0, max: size - 1 }).map(n => `${name}${n}`)
/** Values of the same pools as those of `ana`'s records, texts and IODs. */
const post = fc.record({
  source: fc.constantFrom(...SOURCES),
  tag: pool('tag', 3),
  domain: pool('site', 3).map(site => `${site}.example.org`),
  account: pool('desk', 3),
  views: fc.integer({ min: 0, max: 10_000 }),
})
type Post = typeof post extends fc.Arbitrary<infer T> ? T : never
const TRIPLETS = ['mirrors heat lakes', 'towers spread fever']

const recordOf = ({ source, tag, domain, account, views }: Post, mark: string): unknown => {
  const text = `#${tag} by @${account} at https://${domain}/ ${mark}`
  const context = { text, posted_at: new Date().toISOString(), metrics: { views } }
  if (source === 'tiktok') {
    const { author, ...record } = tiktokPost({ hashtags: [tag], description: text })
    return { ...record, author: { ...author, author_unique_id: account }, context }
  }
  if (source === 'telegram') return { ...telegramPost(), context }
  if (source === 'blog') return { ...blogArticle(), context }
  return { ...platformPost(), context }
}

/** Stores private things of a member. */
const keep = async (who: SignedInUser, posts: readonly Post[], triplets: readonly string[], mark: string) => {
  for (const each of posts)
    await who.api.call(collectorApi.ingestRecords, {
      params: { source: each.source },
      body: { records: [recordOf(each, mark)] },
    })
  for (const triplet of triplets) {
    const [subject = '', verb = '', object = ''] = triplet.split(' ')
    app.ai.always({ triplets: [{ subject, verb, object }] })
    await who.api.call(narrativesApi.createNarrative, { body: { text: `${mark}: ${triplet}.` } })
  }
}

const analyzed = async ({ api }: SignedInUser) => ({
  records: (await api.call(recordAnalyticsApi.analyzeRecords, { query: PERIOD })).novelties,
  narratives: (await api.call(narrativeAnalyticsApi.analyzeNarratives, { query: PERIOD })).total,
})
/** Waits until the records of a member are compared with IODs, and the texts have narratives. */
const settle = (who: SignedInUser) =>
  expect
    .poll(() => analyzed(who), { timeout: 30_000 })
    .toMatchObject({ records: [{}, {}, { novelty: 'pending', n: 0 }], narratives: TRIPLETS.length })

it("no answer contains or depends on other members' private records and texts, for random filters", {
  timeout: 600_000,
}, async () => {
  for (const { api } of [ana, bo])
    await api.call(profileApi.updateOpenaiKey, { body: { api_key: 'sk-anything' } })
  await keep(ana, fc.sample(post, 12), TRIPLETS, 'open')
  await settle(ana)
  const query = fc.record({
    from: fc.constantFrom(PERIOD.from, today),
    to: fc.constantFrom(PERIOD.to, today),
    zone: fc.constantFrom('UTC', 'Europe/Paris', 'Asia/Kathmandu'),
    compare: fc.constantFrom('true' as const, 'false' as const),
    mine: fc.constantFrom('true' as const, 'false' as const),
  })
  const ask = ({ mine, ...period }: typeof query extends fc.Arbitrary<infer T> ? T : never) =>
    Promise.all([
      ana.api.call(iodAnalyticsApi.analyzeIods, { query: { ...period, mine } }),
      ana.api.call(iodAnalyticsApi.analyzeValues, { query: { ...period, mine } }),
      ana.api.call(iodAnalyticsApi.analyzeVotes, { query: { ...period, mine } }),
      ana.api.call(recordAnalyticsApi.analyzeRecords, { query: period }),
      ana.api.call(campaignAnalyticsApi.analyzeCampaigns, { query: { ...period, mine } }),
      ana.api.call(narrativeAnalyticsApi.analyzeNarratives, { query: period }),
    ])
  const all = { ...PERIOD, zone: 'UTC', compare: 'true', mine: 'false' } as const
  const first = await ask(all)
  let stored = 0
  await fc.assert(
    fc.asyncProperty(
      query,
      fc.array(post, { minLength: 1, maxLength: 4 }),
      fc.subarray(TRIPLETS),
      async (given, posts, triplets) => {
        const mark = `hidden${newId()}`
        const before = await ask(given)
        await keep(bo, posts, triplets, mark)
        stored += posts.length
        const after = await ask(given)
        expect(after).toEqual(before)
        expect(JSON.stringify(after)).not.toContain(mark)
        const own = await bo.api.call(recordAnalyticsApi.analyzeRecords, { query: PERIOD })
        expect(own.total).toBe(stored)
      },
    ),
    propertyRuns(isLongTier ? 200 : 160),
  )
  await settle(bo)
  expect(await ask(all)).toEqual(first)
})
