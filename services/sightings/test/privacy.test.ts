/** @module-tag long */
import { BUCKETS, iodsInternal, sightingsApi } from '@iodine/contracts'
import { apiClient, type FixtureUser, newId, runs, seededRandom } from '@iodine/test-kit'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { aRecord, startTestServer, type TestServer } from './test-server.js'

const QUESTIONS = runs(1_000)

let server: TestServer
let asker: FixtureUser

beforeAll(async () => {
  server = await startTestServer({ RATE_LIMITS: 'off' })
  asker = await server.fixture.user('asker')
})
afterAll(() => server?.stop())

const STORIES = [
  'The ministry secretly poured silver dust into the reservoir above the valley so that nobody would notice',
  'Grey ships left the closed harbour at night and carried the harvest to an island that no map shows',
  'A hidden clause in the treaty sells every forest of the republic to a company without owners or address',
]
const WORDS = STORIES.join(' ').split(' ')
const LINKS = [
  'https://news.example/silver',
  'https://t.me/first/1',
  'https://blog.example.org/harbour?page=2',
]
const PHASH = '0f1e2d3c4b5a69788796a5b4c3d2e1f0'.repeat(2)
const SHA256 = 'ab'.repeat(32)

let made = 0
/** Returns a record with the same content as others. Its identifying fields are unique and contain the mark. */
const marked = (mark: string, shared: 'username' | 'anonymous' | null) => {
  const n = ++made
  const at = (day: number) =>
    new Date(
      Date.UTC(2026, 1 + (n % 2), day, n % 24, (7 * n) % 60, (11 * n) % 60, 100 + (n % 900)),
    ).toISOString()
  return aRecord({
    source: (['tiktok', 'telegram', 'blog'] as const)[n % 3],
    key: n % 4 === 0 ? 'a-common-post' : `${mark}-${n}`,
    account: `account-${mark}-${n}`,
    url: `https://hidden.example/${mark}/${n}`,
    text: `${STORIES[n % 3]} ${n % 2 ? `text-${mark}-${n}` : ''}`.trim(),
    posted_at: n % 5 === 0 ? null : at(3),
    fetched_at: at(20),
    links: n % 2 ? [LINKS[n % 3] ?? '', `https://hidden.example/${mark}/link/${n}`] : [],
    forwarded_from: n % 6 === 0 ? { name: `name-${mark}`, url: LINKS[1] ?? '' } : null,
    media: n % 3 ? [] : [{ sha256: SHA256, phash: PHASH }],
    shared,
  })
}

type Question = { path: string; body: object }

/** Returns random requests: for stories and parts of them, other users' ids and marks, with random time ranges. */
const questions = (count: number, own: string[], ids: string[], guesses: string[]): Question[] => {
  const random = seededRandom(27)
  const next = (below: number) => Math.floor(random() * below)
  const oneOf = <T>(list: readonly T[]): T => list[next(list.length)] as T
  const some = () => {
    const begin = next(WORDS.length)
    return WORDS.slice(begin, begin + 1 + next(12)).join(' ')
  }
  const time = () => new Date(Date.UTC(2026, 1, 1) + next(70 * 86_400) * 1_000).toISOString()
  const what = (): object =>
    [
      () => ({ text: oneOf(STORIES) }),
      () => ({ text: some() }),
      () => ({ value: oneOf([...STORIES, ...LINKS, PHASH, SHA256, some()]) }),
      () => ({ url: oneOf(LINKS) }),
      () => ({ media: oneOf([PHASH, SHA256]) }),
      () => ({ record_id: oneOf([...own, ...ids]) }),
      () => ({ [oneOf(['text', 'value', 'url'])]: oneOf(guesses) }),
    ][next(7)]?.() ?? {}
  return Array.from({ length: count }, () => {
    if (next(5) === 0)
      return {
        path: '/sightings/counts',
        body: next(3) === 0 ? { iod_id: oneOf(ids) } : { record_id: oneOf([...own, ...own, ...ids]) },
      }
    return {
      path: '/sightings/search',
      body: {
        ...what(),
        scope: oneOf(['own', 'shared', 'shared']),
        ...(next(3) === 0 && { since: time() }),
        ...(next(3) === 0 && { until: time() }),
        ...(next(2) === 0 && { limit: 1 + next(200) }),
      },
    }
  })
}

const ask = async ({ path, body }: Question) => {
  const { status, body: answer } = await apiClient(server.url, asker.token).send('POST', path, body)
  expect([200, 403, 404, 422]).toContain(status)
  return { status, answer }
}

it(
  'no response contains or depends on unshared records of others, or reveals who shares anonymously and when',
  async () => {
    const others = await Promise.all(Array.from({ length: 6 }, (_, n) => server.fixture.user(`other${n}`)))
    for (const user of [asker, ...others])
      await apiClient(server.url, user.token).call(sightingsApi.setCounting, { body: { counted: true } })
    const mine = Array.from({ length: 8 }, () => marked('mine', null))
    await server.put(asker, ...mine)
    const shown = Array.from({ length: 12 }, () => marked('named', 'username'))
    const veiled = Array.from({ length: 12 }, () => marked('veiled', 'anonymous'))
    await server.put(others[0] as FixtureUser, ...shown.slice(0, 6), ...veiled.slice(0, 6))
    await server.put(others[1] as FixtureUser, ...shown.slice(6), ...veiled.slice(6))
    await server.takeSnapshot()
    const hidden = others.map(() => Array.from({ length: 15 }, () => marked('hidden', null)))

    const iods = new Map(STORIES.map(value => [newId(), value]))
    server.fixture.answer(
      iodsInternal.getIods,
      ({ body }) => body.ids.flatMap(id => (iods.has(id) ? [{ id, value: iods.get(id) }] : [])) as never,
    )
    const secrets = hidden.flat()
    const asked = questions(
      QUESTIONS,
      mine.map(({ id }) => id),
      [
        ...iods.keys(),
        ...[...shown, ...veiled, ...secrets].map(({ id }) => id),
        ...others.map(({ id }) => id),
      ],
      secrets.flatMap(({ account, url, text }) => [account ?? '', url ?? '', text]),
    )
    const isSearch = ({ path }: Question) => path.endsWith('search')
    const before: unknown[] = []
    for (const question of asked) before.push(isSearch(question) ? (await ask(question)).answer : null)

    for (const [n, user] of others.entries()) await server.put(user, ...(hidden[n] ?? []))
    await server.nextDay()

    const never = [
      ...secrets.flatMap(({ id, account, url, posted_at, fetched_at }) => [
        id,
        account,
        url,
        posted_at,
        fetched_at,
      ]),
      'text-hidden',
      'link-hidden',
      'name-hidden',
      'hidden.example/hidden',
      // Identifying fields of anonymous records.
      ...veiled.flatMap(({ id, fetched_at }) => [id, fetched_at]),
      ...shown.map(({ id }) => id),
      ...others.map(({ id }) => id),
    ].filter(each => each !== null)
    let counted = 0
    let found = 0
    for (const [n, question] of asked.entries()) {
      const { status, answer } = await ask(question)
      const json = JSON.stringify(answer)
      const leaked = never.filter(secret => json.includes(secret))
      expect(leaked, `${JSON.stringify(question)} revealed ${json}`).toEqual([])
      if (isSearch(question)) {
        expect(answer, JSON.stringify(question)).toEqual(before[n])
        for (const item of answer.items ?? []) {
          if (!item.own) found++
          if (item.shared === 'anonymous' && !item.own)
            expect([item.shared_by, item.fetched_at.slice(10)]).toEqual([null, 'T00:00:00.000Z'])
        }
        continue
      }
      if (status !== 200) continue
      counted += answer.counts.length
      expect(Object.keys(answer).sort()).toEqual(['counts', 'day'])
      for (const count of answer.counts) {
        expect(Object.keys(count).sort()).toEqual(['first_month', 'of', 'others'])
        expect(BUCKETS).toContain(count.others)
        expect(count.first_month).toMatch(/^\d{4}-\d\d$/)
      }
    }
    // Without any result the checks above would be void.
    expect(found).toBeGreaterThan(0)
    expect(counted).toBeGreaterThan(0)
  },
  120_000 + QUESTIONS * 100,
)
