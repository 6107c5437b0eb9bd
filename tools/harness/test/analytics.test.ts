import {
  CATEGORIES,
  campaignAnalyticsApi,
  campaignsApi,
  collectorApi,
  iodAnalyticsApi,
  iodsApi,
  narrativeAnalyticsApi,
  type QueryFor,
  recordAnalyticsApi,
  SOURCE_TYPES,
} from '@iodine/contracts'
import {
  iodInput,
  isLongTier,
  NO_LIMITS,
  newId,
  propertyRuns,
  type SignedInUser,
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

it("no answer contains or depends on other members' records, for random filters", async () => {
  const mark = `hidden${newId()}`
  const send = (user: SignedInUser, records: unknown[]) =>
    user.api.call(collectorApi.ingestRecords, { params: { source: 'tiktok' }, body: { records } })
  await send(ana, [tiktokPost()])
  const queries = fc.sample(
    fc.record({
      from: fc.constantFrom(PERIOD.from, today),
      to: fc.constantFrom(PERIOD.to, today),
      zone: fc.constantFrom('UTC', 'Europe/Paris', 'Asia/Kathmandu'),
      compare: fc.constantFrom('true' as const, 'false' as const),
    }),
    propertyRuns(isLongTier ? 1_000 : 160),
  )
  const ask = async () => {
    const answers: unknown[] = []
    for (const query of queries)
      answers.push(
        await Promise.all([
          ana.api.call(iodAnalyticsApi.analyzeIods, { query }),
          ana.api.call(iodAnalyticsApi.analyzeValues, { query: { ...query, mine: 'true' } }),
          ana.api.call(iodAnalyticsApi.analyzeVotes, { query }),
          ana.api.call(recordAnalyticsApi.analyzeRecords, { query }),
          ana.api.call(campaignAnalyticsApi.analyzeCampaigns, { query }),
          ana.api.call(narrativeAnalyticsApi.analyzeNarratives, { query }),
        ]),
      )
    return answers
  }
  const before = await ask()
  const hidden = Array.from({ length: 20 }, (_, n) => ({
    ...tiktokPost({ hashtags: [mark], description: `${mark} https://${mark}.example/${n}` }),
    author: { author_unique_id: mark },
  }))
  await send(bo, hidden)
  const after = await ask()
  expect(after).toEqual(before)
  expect(JSON.stringify(after)).not.toContain(mark)
  const own = await bo.api.call(recordAnalyticsApi.analyzeRecords, { query: PERIOD })
  expect(own).toMatchObject({ total: 20, hashtags: [{ value: mark, n: 20 }] })
})
