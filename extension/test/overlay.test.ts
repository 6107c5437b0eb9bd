// @vitest-environment node
import 'fake-indexeddb/auto'
import { ApiError, type Category } from '@iodine/contracts'
import { encodeCampaigns, encodeOverlay, mergeRows, overlayRow } from '@iodine/known-iods'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { type Account, type Database, openDatabase, writeSetting } from '../src/background/database'
import { Overlay } from '../src/background/overlay'
import { sentenceOf } from '../src/shared/failures'

const SERVER = 'https://iodine.example.org'
const account: Account = { server: SERVER, userId: 'a'.repeat(24), name: '@ana', token: 'secret' }
const idOf = (n: number) => n.toString(16).padStart(24, '0')

interface Iod {
  n: number
  value: string
  category?: Category
  votes_for?: number
}
const rowsOf = (...iods: Iod[]) =>
  iods
    .toSorted((a, b) => a.n - b.n)
    .map(({ n, value, category = 'SENTENCE', votes_for = 0 }) =>
      overlayRow({ id: idOf(n), value, category, votes_for, votes_against: 0 }),
    )
    .reduce<Uint8Array<ArrayBuffer>>((all, row) => mergeRows(all, row ?? new Uint8Array()), new Uint8Array())

type Answer = { status?: number; bytes?: Uint8Array<ArrayBuffer>; etag?: string } | Error
/** Responses of the server. */
let iods: Answer
let campaigns: Answer
let asked: { url: string; headers: Record<string, string> }[]

const answerOf = (answer: Answer, etag: string | undefined): Response => {
  if (answer instanceof Error) throw answer
  if (answer.etag !== undefined && answer.etag === etag) return new Response(null, { status: 304 })
  return new Response(answer.bytes ?? null, {
    status: answer.status ?? 200,
    headers: answer.etag === undefined ? {} : { etag: answer.etag },
  })
}

let database: Database
let overlay: Overlay
let names = 0
beforeEach(async () => {
  asked = []
  vi.stubGlobal('fetch', async (url: string, { headers }: { headers: Record<string, string> }) => {
    asked.push({ url, headers })
    return answerOf(url.includes('/campaigns/') ? campaigns : iods, headers['if-none-match'])
  })
  iods = { bytes: await encodeOverlay({ revision: 10, since: 0, rows: rowsOf() }), etag: '"0-10"' }
  campaigns = { bytes: await encodeCampaigns([]), etag: '"c0"' }
  database = await openDatabase(`overlay ${names++}`)
  await writeSetting(database, 'account', account)
  overlay = new Overlay(database, async () => account)
})
afterEach(() => {
  database.close()
  vi.unstubAllGlobals()
})

const snapshot = async (revision: number, ...of: Iod[]): Promise<Answer> => ({
  bytes: await encodeOverlay({ revision, since: 0, rows: rowsOf(...of) }),
  etag: `"${of.length}-${revision}"`,
})
/** Returns the ids of the IODs found in a text, each with its words. */
const found = async (text: string, of = overlay) => {
  const { iods: known, hits } = await of.scan([text])
  const [numbers = []] = hits
  const all: string[] = []
  for (let n = 0; n < numbers.length; n += 3)
    all.push(
      `${Number.parseInt(known[numbers[n + 2] as number]?.id ?? '', 16)} ${text.slice(numbers[n], numbers[n + 1])}`,
    )
  return all
}

test('finds no values before the first download, and sends no request for a text', async () => {
  expect(await overlay.scan(['Giant mirrors'])).toEqual({ iods: [], hits: [[]] })
  expect(await overlay.state()).toEqual({ iods: null, trouble: '' })
  expect(asked).toEqual([])
})

test('finds downloaded values in texts, with votes and campaigns, also after a restart', async () => {
  iods = await snapshot(
    10,
    { n: 1, value: 'Giant mirrors', votes_for: 3 },
    { n: 2, value: 'lakes', category: 'HASHTAGS' },
  )
  campaigns = {
    bytes: await encodeCampaigns(
      Array.from({ length: 7 }, (_, n) => ({ id: idOf(100 + n), name: `Campaign ${n}`, iod_ids: [idOf(1)] })),
    ),
    etag: '"c1"',
  }
  expect(await overlay.refresh()).toBe(true)
  expect(asked.map(({ url }) => url)).toEqual([
    `${SERVER}/api/v1/iods/overlay?since=0`,
    `${SERVER}/api/v1/iods/overlay?since=10`,
    `${SERVER}/api/v1/campaigns/overlay`,
  ])
  for (const each of [overlay, new Overlay(database, async () => account)]) {
    expect(await found('The GIANT  mirrors heat ##lakes', each)).toEqual(['1 GIANT  mirrors', '2 ##lakes'])
    const { iods: known } = await each.scan(['giant mirrors'])
    expect(known).toEqual([
      {
        id: idOf(1),
        category: 'SENTENCE',
        votes_for: 3,
        votes_against: 0,
        independent: undefined,
        campaigns: Array.from({ length: 5 }, (_, n) => ({ id: idOf(100 + n), name: `Campaign ${n}` })),
        more: 2,
      },
    ])
    expect(await each.state()).toEqual({ iods: 2, trouble: '' })
  }
})

test('downloads only changes after the first download', async () => {
  iods = await snapshot(10, { n: 1, value: 'one thing' }, { n: 2, value: 'two things' })
  await overlay.refresh()
  expect(await overlay.refresh()).toBe(false)
  iods = {
    bytes: await encodeOverlay({
      revision: 20,
      since: 10,
      rows: rowsOf({ n: 2, value: 'two things', votes_for: 9 }, { n: 3, value: 'three things' }),
    }),
    etag: '"3-20"',
  }
  expect(await overlay.refresh()).toBe(true)
  expect(await found('one thing, two things, three things')).toEqual([
    '1 one thing',
    '2 two things',
    '3 three things',
  ])
  expect((await overlay.scan(['two things'])).iods).toMatchObject([{ votes_for: 9 }])
  await overlay.refresh()
  const iodRequests = asked.filter(({ url }) => url.includes('/iods/'))
  expect(iodRequests.map(({ url, headers }) => [url.replace(/.*\?/, ''), headers['if-none-match']])).toEqual([
    ['since=0', undefined],
    ['since=10', '"2-10"'],
    ['since=10', '"2-10"'],
    ['since=10', '"2-10"'],
    ['since=20', '"3-20"'],
  ])
})

test('downloads all IODs once a day, and removes deleted ones', async () => {
  vi.useFakeTimers({ toFake: ['Date'] })
  try {
    iods = await snapshot(10, { n: 1, value: 'one thing' })
    await overlay.refresh()
    vi.setSystemTime(Date.now() + 25 * 60 * 60_000)
    iods = await snapshot(10, { n: 2, value: 'two things' })
    expect(await overlay.refresh()).toBe(true)
    expect(await found('one thing, two things')).toEqual(['2 two things'])
    expect(asked.filter(({ url }) => url.endsWith('since=0'))).toHaveLength(2)
  } finally {
    vi.useRealTimers()
  }
})

describe('keeps the previous data if a download', () => {
  beforeEach(async () => {
    iods = await snapshot(10, { n: 1, value: 'one thing' })
    await overlay.refresh()
  })
  const whole = encodeOverlay({ revision: 20, since: 0, rows: rowsOf({ n: 2, value: 'two things' }) })

  test.each<[string, () => Promise<Answer>, string]>([
    ['is cut off', async () => ({ bytes: (await whole).slice(0, -40) }), sentenceOf('damaged')],
    [
      'is damaged',
      async () => ({ bytes: (await whole).map((byte, n) => (n === 40 ? byte ^ 4 : byte)) }),
      sentenceOf('damaged'),
    ],
    ['is no overlay', async () => ({ bytes: new TextEncoder().encode('{}') }), sentenceOf('damaged')],
    ['is refused', async () => ({ status: 429 }), sentenceOf('tooMany')],
    ['has no answer', async () => new TypeError('no line'), sentenceOf('unreachable', { server: SERVER })],
  ])('%s', async (_, answer, reason) => {
    iods = await answer()
    await expect(overlay.refresh()).rejects.toThrow(reason)
    expect(await overlay.state()).toEqual({ iods: 1, trouble: reason })
    expect(await found('one thing, two things')).toEqual(['1 one thing'])
    iods = { bytes: await whole, etag: '"1-20"' }
    await overlay.refresh()
    expect(await overlay.state()).toEqual({ iods: 1, trouble: '' })
    expect(await found('one thing, two things')).toEqual(['2 two things'])
  })

  test('of campaigns is damaged', async () => {
    campaigns = { bytes: new Uint8Array(40), etag: '"c2"' }
    await expect(overlay.refresh()).rejects.toThrow(sentenceOf('damaged'))
    expect(await found('one thing')).toEqual(['1 one thing'])
  })
})

test('reports an ended session', async () => {
  iods = { status: 401 }
  await expect(overlay.refresh()).rejects.toMatchObject({ status: 401 })
  await expect(overlay.refresh()).rejects.toThrow(ApiError)
})

test('joins concurrent refreshes into one download', async () => {
  await Promise.all([overlay.refresh(), overlay.refresh(), overlay.refresh()])
  expect(asked).toHaveLength(3)
})

test('finds a created IOD immediately, without duplicates', async () => {
  iods = await snapshot(10, { n: 5, value: 'five things' })
  await overlay.refresh()
  await overlay.add({ id: idOf(2), value: 'Two things', category: 'SENTENCE' })
  await overlay.add({ id: idOf(2), value: 'Two things', category: 'SENTENCE' })
  expect(await found('five things, two things')).toEqual(['5 five things', '2 two things'])
  iods = {
    bytes: await encodeOverlay({
      revision: 20,
      since: 10,
      rows: rowsOf({ n: 2, value: 'Two things', votes_for: 1 }),
    }),
    etag: '"2-20"',
  }
  await overlay.refresh()
  expect(await found('five things, two things')).toEqual(['5 five things', '2 two things'])
  expect((await overlay.state()).iods).toBe(2)
})

test('ignores the data of another server, and deletes all data with the account', async () => {
  iods = await snapshot(10, { n: 1, value: 'one thing' })
  await overlay.refresh()
  await writeSetting(database, 'account', { ...account, server: 'https://other.example.org' })
  const other = new Overlay(database, async () => ({ ...account, server: 'https://other.example.org' }))
  expect(await found('one thing', other)).toEqual([])
  await overlay.clear()
  expect(await database.count('overlay')).toBe(0)
  expect(await found('one thing')).toEqual([])
})

test('limits the size of an answer', async () => {
  iods = await snapshot(10, { n: 1, value: 'x' })
  await overlay.refresh()
  const { hits } = await overlay.scan(Array.from({ length: 100 }, () => 'x '.repeat(1_000)))
  expect(hits.map(({ length }) => length / 3)).toEqual(
    Array.from({ length: 100 }, (_, n) => (n < 25 ? 200 : 0)),
  )
})

test('prefers longer values to frequent short ones', async () => {
  iods = await snapshot(10, { n: 1, value: 'x' }, { n: 2, value: 'giant mirrors' })
  await overlay.refresh()
  const text = `${'x '.repeat(400)}giant mirrors`
  expect(await found(text)).toHaveLength(200)
  expect(await found(text)).toContain('2 giant mirrors')
  const { hits } = await overlay.scan([
    ...Array.from({ length: 30 }, () => 'x '.repeat(200)),
    'giant mirrors',
  ])
  expect(hits.at(-1)).toHaveLength(3)
})
