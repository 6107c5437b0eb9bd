// @vitest-environment node
import 'fake-indexeddb/auto'
import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type IngestResult, NEVER_COLLECTED, naturalKey, type TiktokRecord } from '@iodine/contracts'
import { runs } from '@iodine/test-kit/runs'
import { afterAll, beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { Captures } from '../src/background/captures'
import { type Database, openDatabase, ownerOf, readSetting, writeSetting } from '../src/background/database'
import { Queue } from '../src/background/queue'
import { Sender } from '../src/background/sender'
import { sentenceOf } from '../src/shared/failures'
import type { Captured } from '../src/sources'

const video = (id: number | string, description = 'First', time = '2026-11-21T10:00:00.000Z'): Captured => ({
  source: 'tiktok',
  record: {
    collector_metadata: { fetch_timestamp: time, source: 'tiktok' },
    main: { video_id: String(id), description },
  },
})
const message = (id: number): Captured => ({
  source: 'telegram',
  record: {
    collector_metadata: { fetch_timestamp: '2026-11-21T10:00:00.000Z', source: 'telegram' },
    telegram: { post: { url: `https://t.me/open_eyes/${id}` } },
  },
})

type Behaviour = 'take' | 'take, then cut' | 'cut' | 'end session' | 'nonsense' | 'too few' | number

/** A server that ingests by the contract. `next` sets the failures of the next requests. */
const server = createServer(async (request, response) => {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  const { records } = JSON.parse(Buffer.concat(chunks).toString()) as { records: TiktokRecord[] }
  requests.push(records)
  const behaviour = next.shift() ?? 'take'
  if (behaviour === 'cut') return request.socket.destroy()
  if (behaviour === 'nonsense') return response.end('<html>Sign in to the café’s network</html>')
  if (behaviour === 'end session') return answer(response, 401, { detail: 'Not authenticated' })
  if (typeof behaviour === 'number')
    return answer(
      response,
      behaviour,
      { detail: `status ${behaviour}` },
      behaviour === 429 ? { 'retry-after': '7' } : {},
    )
  if (records.length > largest) return answer(response, 413, { detail: 'The body is too large' })
  const results = records.map(take)
  if (behaviour === 'take, then cut') return request.socket.destroy()
  answer(response, 200, { results: behaviour === 'too few' ? results.slice(1) : results })
})
const answer = (response: ServerResponse, status: number, body: unknown, headers = {}) =>
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))

const keyOf = (record: TiktokRecord) =>
  record.main?.video_id ?? (record as unknown as { telegram: { post: { url: string } } }).telegram.post.url
const timeOf = (record: TiktokRecord) => record.collector_metadata.fetch_timestamp
const take = (record: TiktokRecord): IngestResult => {
  if (record.main?.description === 'bad') return { error: ['main.description must be good'] }
  const before = stored.get(keyOf(record))
  if (!before && record.context?.removed) return { error: [NEVER_COLLECTED] }
  const id = '0'.repeat(24)
  if (before && timeOf(before) >= timeOf(record)) return { id, status: 'unchanged' }
  stored.set(keyOf(record), record)
  return { id, status: before ? 'updated' : 'created' }
}

let next: Behaviour[]
let largest: number
let requests: TiktokRecord[][]
let stored: Map<string, TiktokRecord>
let woken: number[]
let database: Database
let name: string

const account = () => ({
  server: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
  userId: 'a'.repeat(24),
  name: '@ana',
  token: 'token',
})
/** Opens the queue and its sender, as at a browser start. */
const open = async () => {
  database?.close()
  database = await openDatabase(name)
  const queue = new Queue(database)
  const sender = new Sender({
    database,
    queue,
    captures: new Captures(database),
    wakeAt: time => woken.push(time - Date.now()),
    random: () => 1,
  })
  const owner = ownerOf(account())
  return {
    queue,
    owner,
    sender,
    add: (captured: Captured[], resend = true) => queue.add(owner, captured, { resend }),
    flush: () => sender.flush({ force: true }),
    summary: () => queue.summary(owner),
  }
}

/** Stops the clock, so that waits do not depend on the load of the machine. */
const stopClock = () => {
  vi.useFakeTimers({ toFake: ['Date'] })
  onTestFinished(() => void vi.useRealTimers())
}

let made = 0
beforeEach(async () => {
  if (!server.listening) await once(server.listen(0, '127.0.0.1'), 'listening')
  name = `queue-${++made}`
  next = []
  largest = 500
  requests = []
  stored = new Map()
  woken = []
  const before = await openDatabase(name)
  await writeSetting(before, 'account', account())
  before.close()
})
afterAll(() => {
  database?.close()
  server.close()
  server.closeAllConnections()
})

test('sends queued records after a restart of the browser, in batches, each once', async () => {
  const before = await open()
  await before.add(Array.from({ length: 230 }, (_, n) => (n % 5 === 0 ? message(n) : video(n))))
  const after = await open()
  expect((await after.summary()).waiting).toBe(230)
  await after.flush()
  expect(requests.map(records => records.length)).toEqual([46, 100, 84])
  expect(new Set(requests.flat().map(keyOf)).size).toBe(230)
  expect(await after.summary()).toMatchObject({
    waiting: 0,
    totals: { created: 230, updated: 0, unchanged: 0 },
  })
  await after.flush()
  expect(requests).toHaveLength(3)
})

test('backs off while the server is down, and sends all records once it is back', async () => {
  stopClock()
  const { add, flush, summary } = await open()
  await add([video(1), video(2)])
  next = ['cut', 503, 'nonsense', 'too few', 429]
  for (const _ of [...next]) await flush()
  expect(woken.map(wait => Math.round(wait / 1000))).toEqual([1, 2, 4, 8, 16])
  expect((await summary()).waiting).toBe(2)
  expect((await readSetting(database, 'trouble'))?.reason).toBe(sentenceOf('tooMany'))
  const sent = requests.length
  await (await open()).sender.flush()
  expect(requests).toHaveLength(sent)
  expect(await (await open()).flush()).toEqual({ isDone: true })
  expect([...stored.keys()]).toEqual(['1', '2'])
  expect(await readSetting(database, 'trouble')).toBeUndefined()
})

test('waits for the Retry-After of the server', async () => {
  stopClock()
  const { add, flush } = await open()
  await add([video(1)])
  next = [429]
  await flush()
  expect(Math.round((woken[0] ?? 0) / 1000)).toBe(7)
})

test('sends the same record again after a lost response', async () => {
  const { add, flush, summary } = await open()
  await add([video(1)])
  next = ['take, then cut']
  await flush()
  await flush()
  expect(requests.map(([record]) => record)).toEqual([video(1).record, video(1).record])
  expect((await summary()).totals).toEqual({ created: 0, updated: 0, unchanged: 1 })
})

test('sends newer content that was added during the request', async () => {
  const { add, flush, summary } = await open()
  await add([video(1, 'Old')])
  const flushing = flush()
  await add([video(1, 'New', '2026-11-21T10:00:01.000Z')])
  await flushing
  await flush()
  expect(stored.get('1')?.main.description).toBe('New')
  expect((await summary()).waiting).toBe(0)
})

test('resends unchanged content with its old time only with `resend`, and always sends a change', async () => {
  const { add, flush, summary } = await open()
  const later = (description: string) => [video(1, description, '2026-11-21T11:00:00.000Z')]
  await add([video(1)])
  await flush()
  expect(await add(later('First'), false)).toEqual({ queued: 0, invalid: [], records: [video(1).record] })
  await flush()
  expect(requests).toHaveLength(1)
  await add(later('First'))
  await flush()
  expect((await summary()).totals).toEqual({ created: 1, updated: 0, unchanged: 1 })
  stored.delete('1')
  await add(later('First'))
  await flush()
  await add(later('Second'), false)
  await flush()
  expect((await summary()).totals).toEqual({ created: 2, updated: 1, unchanged: 1 })
  expect((await summary()).recent.map(({ result }) => result)).toEqual([
    'updated',
    'created',
    'unchanged',
    'created',
  ])
})

test('keeps a refused record with its reason, without affecting others, and halves a batch that is too large', async () => {
  const { add, flush, queue, owner, summary } = await open()
  await add([video(1), video(2, 'bad'), video(3), video(4)])
  largest = 1
  await flush()
  expect([...stored.keys()]).toEqual(['1', '3', '4'])
  expect((await summary()).refused).toMatchObject([{ key: '2', reason: 'main.description must be good' }])
  await queue.retryRefused(owner)
  expect(await summary()).toMatchObject({ waiting: 1, refused: [] })
  await flush()
  await queue.discardRefused(owner)
  expect(await summary()).toMatchObject({ waiting: 0, refused: [] })
  next = [422]
  await add([video(9)])
  await flush()
  expect((await summary()).refused).toMatchObject([{ key: '9', reason: 'status 422' }])
})

test('does not queue an invalid record', async () => {
  const { add, summary } = await open()
  const bad = { ...video(1).record, likes: 5, main: { video_id: '' } } as unknown as TiktokRecord
  const { queued, invalid } = await add([{ source: 'tiktok', record: bad }, video(2)])
  expect([queued, invalid.join()]).toEqual([1, 'main.video_id,likes'])
  expect((await summary()).waiting).toBe(1)
})

test('keeps the records of an ended session until the same user signs in again', async () => {
  const { add, flush, summary, queue } = await open()
  await add([video(1)])
  next = ['end session']
  await flush()
  expect(await readSetting(database, 'account')).toEqual({ ...account(), token: undefined })
  await flush()
  expect(requests).toHaveLength(1)
  await add([video(2)])
  await writeSetting(database, 'account', { ...account(), userId: 'b'.repeat(24) })
  await flush()
  expect(requests).toHaveLength(1)
  expect(await queue.summary(ownerOf({ ...account(), userId: 'b'.repeat(24) }))).toMatchObject({
    waiting: 0,
    waitingForOthers: 2,
  })
  await writeSetting(database, 'account', account())
  await flush()
  expect([...stored.keys()]).toEqual(['1', '2'])
  expect((await summary()).waiting).toBe(0)
})

test('delivers all records after any failures, and sends no acknowledged content', async () => {
  const behaviours: Behaviour[] = [
    'take',
    'take',
    'take, then cut',
    'cut',
    'nonsense',
    'too few',
    500,
    429,
    404,
  ]
  let seed = 7
  const random = (below: number) => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648
    return Math.floor((seed / 2_147_483_648) * below)
  }
  let collector = await open()
  const captured = new Map<string, string>()
  const acknowledged = new Set<string>()
  let clock = Date.parse('2026-11-21T10:00:00.000Z')
  const step = async () => {
    clock += 1_000
    const posts = Array.from({ length: 1 + random(6) }, (_, n) => {
      const post = video(random(40), `Text ${random(3)}`, new Date(clock + n).toISOString())
      captured.set(
        (post.record as TiktokRecord).main.video_id,
        (post.record as TiktokRecord).main.description ?? '',
      )
      return post
    })
    next = [behaviours[random(behaviours.length)] ?? 'take']
    const from = requests.length
    const flushing = collector.flush()
    await collector.add(posts, false)
    await flushing
    for (const record of requests.slice(from).flat()) {
      const sent = `${keyOf(record)} ${timeOf(record)}`
      expect(acknowledged).not.toContain(sent)
    }
    const left = new Set((await database.getAll('records')).map(({ record }) => JSON.stringify(record)))
    for (const record of requests.slice(from).flat())
      if (!left.has(JSON.stringify(record)) && stored.has(keyOf(record)))
        acknowledged.add(`${keyOf(record)} ${timeOf(record)}`)
    if (random(8) === 0) collector = await open()
  }
  for (let round = runs(25); round > 0; round--) await step()
  next = []
  await collector.flush()
  expect((await collector.summary()).waiting).toBe(0)
  expect(new Map([...stored].map(([key, record]) => [key, record.main.description]))).toEqual(captured)
})

const notice = (id: number, time: string): Captured => ({
  source: 'tiktok',
  record: {
    collector_metadata: { fetch_timestamp: time, source: 'tiktok' },
    main: { video_id: String(id) },
    context: { removed: { first_seen: time, last_seen: time } },
  },
})
const LATER = '2026-11-21T11:00:00.000Z'

test('keeps the fields of a queued record after an incomplete reading, and marks it as removed', async () => {
  const { add, flush, queue, owner } = await open()
  await add([video(1, 'Whole')])
  const poorer = video(1, '', LATER)
  expect(await add([poorer])).toMatchObject({ queued: 1, records: [{ main: { description: 'Whole' } }] })
  await add([notice(1, '2026-11-21T12:00:00.000Z')])
  expect(await queue.collectedAt(owner, poorer)).toBe(LATER)
  await flush()
  expect(requests).toMatchObject([
    [
      {
        collector_metadata: { fetch_timestamp: LATER },
        main: { description: 'Whole' },
        context: { removed: { first_seen: '2026-11-21T12:00:00.000Z' } },
      },
    ],
  ])
})

test('deletes the removal notice of an unknown post after the server’s refusal', async () => {
  const { add, flush, queue, owner, summary } = await open()
  await add([video(1)])
  await flush()
  await add([notice(1, LATER), notice(2, LATER)])
  await flush()
  expect(await queue.collectedAt(owner, video(1))).toBe('2026-11-21T10:00:00.000Z')
  expect(await queue.collectedAt(owner, video(2))).toBeUndefined()
  expect(await summary()).toMatchObject({ waiting: 0, refused: [], totals: { created: 1, updated: 1 } })
})

test.each([true, false])(
  'a restored post with unchanged content is sent with its new time (resend: %s)',
  async resend => {
    const { add, flush } = await open()
    await add([video(1)])
    await flush()
    await add([notice(1, LATER)])
    await flush()
    const back = '2026-11-21T12:00:00.000Z'
    expect(await add([video(1, 'First', back)], resend)).toMatchObject({ queued: 1 })
    await flush()
    expect(requests.at(-1)).toEqual([video(1, 'First', back).record])
  },
)

test('invalidates the acknowledged digest when the server accepts a queued removal notice', async () => {
  const { add, flush, queue, owner } = await open()
  await add([video(1)])
  await flush()
  const [acknowledged] = await database.getAll('acknowledged')
  await add([notice(1, LATER)])
  if (acknowledged) await database.put('acknowledged', acknowledged)
  await flush()
  expect(await add([video(1, 'First', '2026-11-21T12:00:00.000Z')], false)).toMatchObject({ queued: 1 })
  expect(await queue.collectedAt(owner, video(1))).toBe('2026-11-21T12:00:00.000Z')
})

test('merges a removal notice into a refused record, which stays refused', async () => {
  const { add, flush, queue, owner, summary } = await open()
  await add([video(1, 'bad')])
  await flush()
  expect(await add([notice(1, LATER)], false)).toMatchObject({ queued: 0 })
  expect(await summary()).toMatchObject({
    waiting: 0,
    refused: [{ key: '1', reason: 'main.description must be good' }],
  })
  await queue.retryRefused(owner)
  await flush()
  expect(requests.at(-1)).toMatchObject([
    { main: { description: 'bad' }, context: { removed: { first_seen: LATER } } },
  ])
})

test.each(['queued', 'acknowledged'])(
  'gives a Telegram removal notice the key of the %s record',
  async state => {
    const { add, flush, queue, owner } = await open()
    const withUrl = (url: string, removed?: object): Captured => ({
      source: 'telegram',
      record: {
        collector_metadata: {
          fetch_timestamp: removed ? LATER : video(1).record.collector_metadata.fetch_timestamp,
          source: 'telegram',
        },
        telegram: { post: { id: '12', url } },
        ...(removed && { context: { removed } }),
      } as Captured['record'],
    })
    await add([withUrl('https://t.me/Open_Eyes/12')])
    if (state === 'acknowledged') await flush()
    const typed = withUrl('https://t.me/open_eyes/12', { first_seen: LATER, last_seen: LATER })
    expect(await queue.collectedAt(owner, typed)).toBe('2026-11-21T10:00:00.000Z')
    await add([typed])
    await flush()
    expect(requests.at(-1)).toMatchObject([
      {
        telegram: { post: { id: '12' } },
        context: { removed: { first_seen: LATER } },
      },
    ])
    const sent = requests.flat() as unknown as Captured<'telegram'>['record'][]
    expect(new Set(sent.map(naturalKey.telegram))).toEqual(new Set(['t.me/open_eyes/12']))
  },
)
