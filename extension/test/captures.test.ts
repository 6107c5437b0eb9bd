// @vitest-environment node
import 'fake-indexeddb/auto'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { DETAILS, LIMITS, type Manifest } from '@iodine/contracts'
import { manifestHash } from '@iodine/evidence'
import { runs } from '@iodine/test-kit/runs'
import { openDB } from 'idb'
import { afterAll, beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { Captures, type NewCapture, type NewQuote } from '../src/background/captures'
import { type Database, openDatabase, ownerOf, readSetting, writeSetting } from '../src/background/database'
import { Queue } from '../src/background/queue'
import { Sender } from '../src/background/sender'
import { Failure, sentenceOf } from '../src/shared/failures'
import type { Captured } from '../src/sources'

const PAGE = 'https://blog.example.org/lake'
const IOD = { id: 'd'.repeat(24), value: 'mirrors', category: 'SENTENCE' } as const
const PLACE = { start: 6, end: 13, exact: 'mirrors' }
const HASH = 'f'.repeat(64)

const hashOf = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')

const captureOf = (text: string, url = PAGE): NewCapture => {
  const contents = new Map<string, Uint8Array<ArrayBuffer>>()
  const blobs = (
    [
      ['text', 'text/plain', text],
      ['dom', 'text/html', `<p>${text}</p>`],
    ] as const
  ).map(([role, type, content]) => {
    const bytes = new Uint8Array(Buffer.from(content))
    contents.set(hashOf(bytes), bytes)
    return { role, type, sha256: hashOf(bytes), bytes: bytes.length }
  })
  const manifest: Manifest = {
    v: 1,
    source: 'blog',
    url,
    captured_at: '2026-11-21T10:00:00.000Z',
    trigger: 'collect',
    collector: 'test/1',
    projection: 'iodine-text-1',
    blobs,
  }
  return { manifest, contents }
}
const video: Captured = {
  source: 'tiktok',
  record: {
    collector_metadata: { fetch_timestamp: '2026-11-21T10:00:00.000Z', source: 'tiktok' },
    main: { video_id: '1' },
  },
}

/** The response to a request: a status, a failure, or a status (409, 413 or 422) with a detail. */
type Behaviour = 'take' | 'take, then cut' | 'cut' | 'end session' | 'nonsense' | number | [number, string]

interface OpenCapture {
  id: string
  manifest: Manifest
  blobs: Map<string, Buffer>
  seq?: number
}

/** A server that stores captures by the contract. `next` sets the failures of the next requests. */
const server = createServer(async (request, response) => {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  const path = (request.url ?? '').replace('/api/v1', '')
  asked.push(`${request.method} ${path}`)
  const behaviour = failures.get(asked.length) ?? next.shift() ?? 'take'
  if (behaviour === 'cut') return request.socket.destroy()
  if (behaviour === 'nonsense') return response.end('<html>Sign in to the café’s network</html>')
  if (behaviour === 'end session') return answer(response, [401, { detail: DETAILS.unauthenticated }])
  if (typeof behaviour === 'number') return answer(response, [behaviour, { detail: `status ${behaviour}` }])
  if (Array.isArray(behaviour)) return answer(response, [behaviour[0], { detail: behaviour[1] }])
  const result = await take(`${request.method} ${path}`, Buffer.concat(chunks))
  if (behaviour === 'take, then cut') return request.socket.destroy()
  answer(response, result)
})
type Result = [status: number, body: unknown]
const answer = (response: ServerResponse, [status, body]: Result) =>
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))

const take = async (call: string, body: Buffer): Promise<Result> => {
  const [, id = '', sha256 = ''] = /captures\/(\w+)(?:\/blobs\/(\w+))?/.exec(call) ?? []
  const capture = captures.get(id)
  if (call.startsWith('POST /tiktok')) return [200, { results: [{ id: 'a'.repeat(24), status: 'created' }] }]
  if (call === 'POST /captures') return begin(JSON.parse(body.toString()))
  if (call.startsWith('POST /iods/')) return quote(JSON.parse(body.toString()))
  if (!capture) return [404, { detail: DETAILS.notFound }]
  if (call.startsWith('PUT')) {
    if (capture.seq !== undefined) return [409, { detail: DETAILS.captureSealed }]
    if (hashOf(body) !== sha256) return [422, { detail: [DETAILS.blobDiffers] }]
    capture.blobs.set(sha256, body)
    return [200, { sha256, bytes: body.length }]
  }
  const missing = missingOf(capture)
  if (missing.length > 0) return [409, { detail: `${DETAILS.captureIncomplete}: ${missing}` }]
  if (capture.seq === undefined) {
    capture.seq = log.length
    log.push(id)
  }
  const { seq } = capture
  const at = '2026-11-21T10:00:01.000Z'
  return [
    200,
    {
      seq,
      seal: { seq, manifest_hash: HASH, received_at: at, salt: 'salt' },
      proof: { seq, size: log.length, leaf_hash: HASH, path: [] },
      checkpoint: { size: log.length, root: HASH, at, key_id: 'k', sig: 's', anchors: [] },
    },
  ]
}
const missingOf = ({ manifest, blobs, seq }: OpenCapture) =>
  seq === undefined ? manifest.blobs.flatMap(({ sha256 }) => (blobs.has(sha256) ? [] : [sha256])) : []
const begin = async (manifest: Manifest): Promise<Result> => {
  const id = (await manifestHash(manifest)).slice(0, 24)
  const known = captures.get(id)
  if (known) return [200, { id, missing: missingOf(known) }]
  const open = [...captures.values()].filter(({ seq }) => seq === undefined)
  if (open.length >= LIMITS.openCapturesMax) return [409, { detail: DETAILS.openCaptures }]
  const capture = { id, manifest, blobs: new Map() }
  captures.set(id, capture)
  return [201, { id, missing: missingOf(capture) }]
}
const quote = (body: { capture_id: string; start: number; exact: string }): Result => {
  const capture = captures.get(body.capture_id)
  if (capture?.seq === undefined) return [409, { detail: DETAILS.notSealed }]
  const text = capture.blobs.get(capture.manifest.blobs[0]?.sha256 ?? '')?.toString() ?? ''
  if (!text.startsWith(body.exact, body.start)) return [422, { detail: [DETAILS.quoteNotThere] }]
  if (quotes.some(({ capture_id }) => capture_id === body.capture_id))
    return [409, { detail: DETAILS.alreadyQuoted }]
  quotes.push(body)
  return [
    201,
    {
      id: 'e'.repeat(24),
      iod_id: IOD.id,
      kind: 'capture',
      capture_id: body.capture_id,
      role: 'text',
      pointer: '',
      ...PLACE,
      prefix: '',
      suffix: '',
      relation: 'same',
      url: PAGE,
      captured_at: null,
      seal: null,
      open: true,
      shared: false,
      created_by_id: null,
      created_by_username: null,
      created_at: '2026-11-21T10:00:02.000Z',
    },
  ]
}

let next: Behaviour[]
/** Failures by request number, from 1. */
let failures: Map<number, Behaviour>
let asked: string[]
let captures: Map<string, OpenCapture>
let log: string[]
let quotes: { capture_id: string }[]
let woken: number[]
let database: Database
let name: string

const account = () => ({
  server: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
  userId: 'a'.repeat(24),
  name: '@ana',
  token: 'token',
})
const owner = () => ownerOf(account())
const other = () => ownerOf({ ...account(), userId: 'b'.repeat(24) })

/** Stores one capture and its quote. @throws Failure if the space is used up */
const addTo = async (
  stored: Captures,
  of: string,
  capture: NewCapture,
  ...options: [quote?: NewQuote, max?: number]
): Promise<void> => {
  const [failure] = await stored.addAll(of, [capture], ...options)
  if (failure) throw failure
}

/** Opens the stores and the sender, as at a browser start. */
const open = async () => {
  database?.close()
  database = await openDatabase(name)
  const stored = new Captures(database)
  const queue = new Queue(database)
  const sender = new Sender({
    database,
    queue,
    captures: stored,
    wakeAt: time => woken.push(time - Date.now()),
    random: () => 1,
  })
  return {
    queue,
    stored,
    sender,
    add: (capture: NewCapture, withQuote = false) =>
      addTo(stored, owner(), capture, withQuote ? { iod: IOD, place: PLACE } : undefined),
    flush: () => sender.flush({ force: true }),
    summary: () => stored.summary(owner()),
    ofPage: () => stored.ofPage(owner(), PAGE),
  }
}

const NOTHING_WAITS = { waiting: 0, quotes: 0, full: { count: 0, reason: '' }, refused: [] }

/** Stops the clock, so that waits do not depend on the load of the machine. */
const stopClock = () => {
  vi.useFakeTimers({ toFake: ['Date'] })
  onTestFinished(() => void vi.useRealTimers())
}

let made = 0
beforeEach(async () => {
  if (!server.listening) await once(server.listen(0, '127.0.0.1'), 'listening')
  name = `captures-${++made}`
  next = []
  failures = new Map()
  asked = []
  captures = new Map()
  log = []
  quotes = []
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

test('sends a capture after the records and across a restart, deletes its sealed blobs, then sends its quote', async () => {
  const before = await open()
  await before.add(captureOf('giant mirrors heat the lake'), true)
  await before.queue.add(owner(), [video], { resend: true })
  const after = await open()
  expect(await after.summary()).toMatchObject({ waiting: 1, quotes: 1 })
  expect(await after.ofPage()).toEqual({ state: 'waiting', seq: null, reason: '' })
  expect(await after.flush()).toEqual({ isDone: true })
  const [id] = log
  expect(asked.map(call => call.replace(/[0-9a-f]{64}/, 'HASH'))).toEqual([
    'POST /tiktok/data',
    'POST /captures',
    `PUT /captures/${id}/blobs/HASH`,
    `PUT /captures/${id}/blobs/HASH`,
    `POST /captures/${id}/seal`,
    `POST /iods/${IOD.id}/evidence`,
  ])
  expect(quotes).toEqual([{ capture_id: id, role: 'text', ...PLACE }])
  expect(await after.summary()).toMatchObject(NOTHING_WAITS)
  expect(await after.ofPage()).toEqual({ state: 'sealed', seq: 0, reason: '' })
  expect(await database.count('blobs')).toBe(0)
  await (await open()).flush()
  expect(asked).toHaveLength(6)
})

test.each<[Behaviour]>([['cut'], ['take, then cut'], ['nonsense'], [500], [429], [401]])(
  'makes one seal and one quote after a failure (%j) of any request and a restart',
  async behaviour => {
    for (let failing = 1; failing <= 5; failing++) {
      name = `captures-${++made}`
      const first = await openDatabase(name)
      await writeSetting(first, 'account', account())
      first.close()
      captures = new Map()
      log = []
      quotes = []
      asked = []
      failures = new Map([[failing, behaviour]])
      const before = await open()
      await before.add(captureOf('giant mirrors heat the lake'), true)
      await before.flush()
      expect((await before.summary()).waiting + (await before.summary()).quotes, `request ${failing}`).toBe(
        failing === 5 ? 1 : 2,
      )
      await writeSetting(database, 'account', account())
      const after = await open()
      await after.flush()
      expect(log).toHaveLength(1)
      expect(quotes).toHaveLength(1)
      expect(await after.summary()).toMatchObject(NOTHING_WAITS)
    }
  },
)

test('starts an open capture again that the server has deleted, but not a sealed one', async () => {
  const { add, flush, ofPage } = await open()
  await add(captureOf('giant mirrors'))
  next = ['take', 404, 'take', 'take', 404, 'take']
  await flush()
  expect(asked.map(call => call.replace(/ .*\/(?=seal)| .*/, ' ').trim())).toEqual([
    'POST',
    'PUT',
    'POST',
    'PUT',
    'PUT',
    'POST',
    'PUT',
    'POST seal',
  ])
  expect(await ofPage()).toMatchObject({ state: 'sealed' })
  expect(log).toHaveLength(1)
  asked = []
  await add(captureOf('giant mirrors'))
  await flush()
  // The capture is sealed already: no blobs and no second seal.
  expect(asked).toEqual(['POST /captures', `POST /captures/${log[0]}/seal`])
  expect(log).toHaveLength(1)
})

test('accepts a capture that another instance seals during the upload', async () => {
  const { add, flush, ofPage } = await open()
  await add(captureOf('giant mirrors'))
  next = ['take', [409, DETAILS.captureSealed]]
  // The rejected blob is missing: the server reports it, and the next attempt uploads it.
  await flush()
  expect(await ofPage()).toMatchObject({ state: 'sealed', seq: 0 })
})

test('backs off after too many open captures, without delaying records', async () => {
  stopClock()
  const { add, flush, queue, sender, summary } = await open()
  await add(captureOf('giant mirrors'))
  next = [
    [409, DETAILS.openCaptures],
    [409, DETAILS.openCaptures],
  ]
  await flush()
  await flush()
  expect(woken.map(wait => Math.round(wait / 1_000))).toEqual([1, 2])
  expect(await readSetting(database, 'captureTrouble')).toMatchObject({ reason: DETAILS.openCaptures })
  expect(await readSetting(database, 'trouble')).toBeUndefined()
  asked = []
  await queue.add(owner(), [video], { resend: true })
  expect(await sender.flush()).toEqual({ isDone: false })
  expect(asked).toEqual(['POST /tiktok/data'])
  expect(await summary()).toMatchObject({ waiting: 1 })
  expect(await flush()).toEqual({ isDone: true })
  expect(log).toHaveLength(1)
})

test('keeps a capture that the server has no space for, shows the reason, and retries on request', async () => {
  const { add, flush, summary, ofPage } = await open()
  await add(captureOf('giant mirrors'), true)
  await add(captureOf('small', 'https://blog.example.org/small'))
  next = [[413, 'Your captures take 2 GiB of 2 GiB']]
  expect(await flush()).toEqual({ isDone: true })
  expect(await summary()).toMatchObject({
    waiting: 0,
    full: { count: 1, reason: 'Your captures take 2 GiB of 2 GiB' },
    quotes: 1,
  })
  expect(await ofPage()).toMatchObject({ state: 'full', reason: 'Your captures take 2 GiB of 2 GiB' })
  expect(log).toHaveLength(1)
  asked = []
  await flush()
  const after = await open()
  await after.flush()
  expect(asked).toEqual([])
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 2 * 3_600_000 })
  next = [[413, 'Your captures take 2 GiB of 2 GiB']]
  await after.flush()
  vi.useRealTimers()
  expect(asked).toEqual(['POST /captures'])
  await after.stored.retryFull(owner())
  await after.flush()
  expect(log).toHaveLength(2)
  expect(quotes).toHaveLength(1)
  expect(await after.summary()).toMatchObject(NOTHING_WAITS)
})

test.each<[Behaviour, string]>([
  [[422, 'blobs: only one may be dom'], 'blobs: only one may be dom'],
  [[413, DETAILS.captureTooLarge], DETAILS.captureTooLarge],
  [400, 'status 400'],
])(
  'drops a capture that the server refuses (%j) with its reason, without affecting others',
  async (refusal, reason) => {
    const { add, flush, summary, stored } = await open()
    await add(captureOf('giant mirrors'), true)
    await add(captureOf('small', 'https://blog.example.org/small'))
    next = [refusal]
    await flush()
    expect(await summary()).toMatchObject({
      waiting: 0,
      quotes: 0,
      refused: [
        { of: PAGE, reason },
        { of: 'mirrors', reason: sentenceOf('notSealed') },
      ],
    })
    expect(log).toHaveLength(1)
    expect(await database.count('blobs')).toBe(0)
    await stored.discardRefused(owner())
    expect(await summary()).toMatchObject(NOTHING_WAITS)
  },
)

test('refuses a capture with a blob of another hash or a missing blob', async () => {
  const { add, flush, summary } = await open()
  const { manifest, contents } = captureOf('giant mirrors')
  const spoiled = new Map([...contents].map(([sha256, bytes]) => [sha256, bytes.map(byte => byte ^ 1)]))
  await add({ manifest, contents: spoiled })
  await add({ manifest: { ...manifest, captured_at: '2026-11-22T10:00:00.000Z' }, contents: new Map() })
  await flush()
  expect((await summary()).refused.map(({ reason }) => reason)).toEqual([
    DETAILS.blobDiffers,
    sentenceOf('captureLost'),
  ])
})

test.each<[Behaviour, object]>([
  [[409, DETAILS.alreadyQuoted], { quotes: 0, refused: [] }],
  [
    [422, DETAILS.unrelatedQuote],
    { quotes: 0, refused: [{ of: 'mirrors', reason: DETAILS.unrelatedQuote }] },
  ],
  [
    [413, DETAILS.iodEvidenceFull],
    { quotes: 0, refused: [{ of: 'mirrors', reason: DETAILS.iodEvidenceFull }] },
  ],
  [404, { quotes: 0, refused: [{ of: 'mirrors', reason: 'status 404' }] }],
  [[409, DETAILS.notSealed], { quotes: 1, refused: [] }],
  [503, { quotes: 1, refused: [] }],
])('handles the response to a quote: %j', async (behaviour, state) => {
  const { add, flush, summary } = await open()
  await add(captureOf('giant mirrors'), true)
  next = ['take', 'take', 'take', 'take', behaviour]
  await flush()
  expect(await summary()).toMatchObject(state)
  await flush()
  expect((await summary()).quotes).toBe(0)
})

test('keeps captures of an ended session for the same user; another account does not send them', async () => {
  const { add, flush, stored } = await open()
  await add(captureOf('giant mirrors'), true)
  next = ['take', 'end session']
  await flush()
  expect(await readSetting(database, 'account')).toEqual({ ...account(), token: undefined })
  await writeSetting(database, 'account', { ...account(), userId: 'b'.repeat(24) })
  asked = []
  await flush()
  expect(asked).toEqual([])
  expect(await stored.summary(other())).toMatchObject({ waiting: 0, waitingForOthers: 1 })
  expect(await stored.ofPage(other(), PAGE)).toBeNull()
  await addTo(stored, other(), captureOf('of the other'))
  await stored.discardOthers(other())
  expect(await stored.summary(other())).toMatchObject({ waiting: 1, waitingForOthers: 0 })
  expect(await stored.summary(owner())).toMatchObject({ waiting: 0, quotes: 0 })
  expect(await database.count('blobs')).toBe(2)
})

test('limits the bytes of all accounts; a rejected capture leaves no data, also when added concurrently', async () => {
  const { stored, flush, summary } = await open()
  const { contents } = captureOf('giant mirrors 0')
  const one = [...contents.values()].reduce((sum, { length }) => sum + length, 0)
  const adding = Array.from({ length: 9 }, (_, n) =>
    addTo(
      stored,
      n % 2 ? owner() : other(),
      captureOf(`giant mirrors ${n}`),
      { iod: IOD, place: PLACE },
      4 * one,
    ),
  )
  const results = await Promise.allSettled(adding)
  const refused = results.filter(({ status }) => status === 'rejected')
  expect(refused).toHaveLength(5)
  for (const { reason } of refused as PromiseRejectedResult[]) expect(reason).toBeInstanceOf(Failure)
  expect(await database.count('captures')).toBe(4)
  expect(await database.count('blobs')).toBe(8)
  expect(await database.count('quotes')).toBe(4)
  await flush()
  expect((await summary()).waiting).toBe(0)
  await addTo(stored, owner(), captureOf('giant mirrors 10'), undefined, 4 * one)
})

test('sends records of a version 1 database after the upgrade', async () => {
  name = `captures-${++made}`
  const first = await openDB(name, 1, {
    upgrade(database) {
      database.createObjectStore('settings')
      const records = database.createObjectStore('records', { keyPath: 'seq', autoIncrement: true })
      records.createIndex('id', 'id', { unique: true })
      records.createIndex('by-state', ['owner', 'state'])
      database.createObjectStore('acknowledged', { keyPath: 'id' }).createIndex('at', 'at')
      database.createObjectStore('outcomes', { autoIncrement: true })
    },
  })
  await first.put('settings', account(), 'account')
  await first.put('settings', { created: 7, updated: 0, unchanged: 0 }, 'totals')
  await first.add('records', {
    ...video,
    owner: owner(),
    id: JSON.stringify([owner(), 'tiktok', '1']),
    version: 'v',
    digest: 'd',
    state: 'waiting',
  })
  first.close()
  const { add, flush, queue, ofPage } = await open()
  expect(database.version).toBe(3)
  expect(await queue.summary(owner())).toMatchObject({ waiting: 1, totals: { created: 7 } })
  await add(captureOf('giant mirrors'))
  await flush()
  expect(await queue.summary(owner())).toMatchObject({ waiting: 0, totals: { created: 8 } })
  expect(await ofPage()).toMatchObject({ state: 'sealed' })
})

test('seals each capture once, with its quote, after any failures', async () => {
  const behaviours: Behaviour[] = ['take', 'take', 'take, then cut', 'cut', 'nonsense', 500, 429, 404]
  let seed = 11
  const random = (below: number) => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648
    return Math.floor((seed / 2_147_483_648) * below)
  }
  let collector = await open()
  const wanted = runs(25)
  for (let n = 0; n < wanted; n++) {
    next = Array.from({ length: 8 }, (_, at) =>
      // A 404 refuses a quote permanently.
      at < 6 ? (behaviours[random(behaviours.length)] ?? 'take') : 'take',
    ).map(behaviour => (behaviour === 404 && quotes.length < log.length ? 500 : behaviour))
    const flushing = collector.flush()
    await collector.add(captureOf(`giant mirrors ${n}`), n % 3 === 0)
    await flushing
    // The server deletes open captures.
    if (random(4) === 0) for (const [id, { seq }] of captures) if (seq === undefined) captures.delete(id)
    if (random(4) === 0) collector = await open()
  }
  next = []
  await collector.flush()
  await collector.flush()
  const { waiting, quotes: left, refused, full } = await collector.summary()
  expect({ waiting, left, full: full.count }).toEqual({ waiting: 0, left: 0, full: 0 })
  expect(new Set(log).size).toBe(log.length)
  expect(log).toHaveLength(wanted)
  expect(quotes.length + refused.length).toBe(Math.ceil(wanted / 3))
})
