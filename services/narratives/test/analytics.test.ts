import { canonicalApi, narrativeAnalyticsApi, type QueryFor } from '@iodine/contracts'
import { isLongTier, propertyRuns } from '@iodine/test-kit/runs'
import fc from 'fast-check'
import { Types } from 'mongoose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { changeOf } from '../src/analytics/queries/analyze-narratives.js'
import { startTestServer, type TestServer } from './test-server.js'

type User = Awaited<ReturnType<TestServer['user']>>
type Query = QueryFor<typeof narrativeAnalyticsApi.analyzeNarratives>

let server: TestServer
let ana: User

const FIRST = Date.UTC(2026, 2, 1)
const HOUR_MS = 3_600_000
const TEXTS = 80
const dayAt = (n: number) => new Date(FIRST + n * 24 * HOUR_MS).toISOString().slice(0, 10)

/** A text with some statements; the third one rises in the second half. */
const textOf = (who: User, n: number) => {
  const statements = [
    'mirrors heat lakes',
    'towers spread fever',
    'banks hide gold',
    'wells hold salt',
  ].filter((_, each) => (each === 2 ? n > TEXTS / 2 : (n + each) % (each + 2) === 0))
  const triplets = statements.map((statement, id) => {
    const [subject = '', verb = '', object = ''] = statement.split(' ')
    // Two triplets of one sentence count once.
    return { id, subject, verb, object, cite: n % 5 ? { start: 20 * id, end: 20 * id + 10, score: 1 } : null }
  })
  return {
    _id: new Types.ObjectId(),
    user_id: new Types.ObjectId(who.id),
    text: `text ${n} `.padEnd(100, '.'),
    src: null,
    created_at: new Date(FIRST + 17 * HOUR_MS * n),
    state: 'done',
    open_key: `${who.id} ${n}`,
    triplets: [...triplets, ...triplets.slice(0, 1)],
    link_keys: [],
    node_keys: [],
    graph: null,
    retries: 0,
  }
}

beforeAll(async () => {
  server = await startTestServer()
  ana = await server.user('ana')
  const bo = await server.user('bo_2')
  const docs = [ana, bo, bo].flatMap((who, copy) =>
    Array.from({ length: TEXTS }, (_, n) => ({ ...textOf(who, n), open_key: `${copy} ${n}` })),
  )
  await server.store.narratives.collection.insertMany(docs as never)
})
afterAll(() => server?.stop())

const analyze = (query: Query) => ana.api.call(narrativeAnalyticsApi.analyzeNarratives, { query })
const rows = async (id: string, days: Pick<Query, 'from' | 'to' | 'zone'>) => {
  const response = await ana.api.send(
    'GET',
    `/narratives/canonical/${id}/sentences?${new URLSearchParams({ limit: '1', ...days } as never)}`,
  )
  return Number(response.headers.get('x-total-count'))
}

describe('analyses of narratives', () => {
  const query: fc.Arbitrary<Query> = fc
    .record({
      start: fc.integer({ min: 0, max: 60 }),
      days: fc.integer({ min: 1, max: 60 }),
      zone: fc.constantFrom('UTC', 'Asia/Kathmandu', 'America/St_Johns'),
    })
    .map(({ start, days, zone }) => ({ from: dayAt(start), to: dayAt(start + days - 1), zone }))

  it('have marks that equal the sentences behind their links, for random periods', { timeout: 600_000 }, () =>
    fc.assert(
      fc.asyncProperty(query, async given => {
        const { weeks, narratives, total } = await analyze(given)
        expect(narratives).toHaveLength(total)
        for (const { id, sentences, before, by_week } of narratives.slice(0, 2)) {
          expect(await rows(id, given)).toBe(sentences)
          expect(by_week.reduce((sum, n) => sum + n, 0)).toBe(sentences)
          const last = weeks.at(-1) as string
          expect(await rows(id, { ...given, from: last })).toBe(by_week.at(-1))
          const length = Math.round((Date.parse(given.to) - Date.parse(given.from)) / (24 * HOUR_MS)) + 1
          const end = new Date(Date.parse(given.from) - 24 * HOUR_MS).toISOString().slice(0, 10)
          const start = new Date(Date.parse(given.from) - length * 24 * HOUR_MS).toISOString().slice(0, 10)
          expect(await rows(id, { ...given, from: start, to: end })).toBe(before)
        }
      }),
      propertyRuns(isLongTier ? 1_000 : 160),
    ),
  )

  it('list the most significant rise first, not the largest ratio of few', async () => {
    const { narratives } = await analyze({ from: dayAt(28), to: dayAt(56) })
    expect(narratives[0]).toMatchObject({ subject: 'banks', verb: 'hide', object: 'gold', before: 0 })
    expect(narratives[0]?.change.low).toBeGreaterThan(1)
    expect(changeOf(3, 1).low).toBeLessThan(1)
    expect(changeOf(300, 100).low).toBeGreaterThan(2)
    expect(changeOf(30, 10).low).toBeGreaterThan(changeOf(3, 0).low)
  })

  it.each([
    { from: dayAt(2), to: dayAt(1) },
    { from: '1926-01-01', to: dayAt(1) },
    { from: dayAt(1), to: dayAt(2), zone: 'Mars/Olympus' },
  ])('refuse %j', async bad => expect(analyze(bad)).rejects.toMatchObject({ status: 422 }))

  it('are of the caller: another member has no narrative of a member', async () => {
    const other = await server.user('eve')
    const query = { from: dayAt(0), to: dayAt(60) }
    const found = await other.api.call(narrativeAnalyticsApi.analyzeNarratives, { query })
    expect(found).toMatchObject({ total: 0, narratives: [] })
    const [own] = (await analyze(query)).narratives
    await expect(
      other.api.call(canonicalApi.getCanonical, { params: { id: own?.id ?? '' } }),
    ).rejects.toMatchObject({ status: 404 })
  })
})
