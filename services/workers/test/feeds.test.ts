import { generateKeyPairSync, sign } from 'node:crypto'
import { MISP_MANIFEST_CONTEXT } from '@iodine/contracts'
import {
  type Feed,
  type FeedScript,
  startFeed,
  type TaxiiObject,
  taxiiCollection,
} from '@iodine/test-kit/feed'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { pullMisp } from '../src/feeds/misp.js'
import { createPublicFetch, FeedError, type PublicFetch } from '../src/feeds/public-fetch.js'
import { authorizationOf, type PullRequest } from '../src/feeds/pull.js'
import { pullTaxii } from '../src/feeds/taxii.js'

let feed: Feed
let fetch: PublicFetch

beforeAll(async () => {
  feed = await startFeed(() => {})
  fetch = createPublicFetch({ ca: feed.ca, allow: [feed.host] })
})
afterAll(async () => {
  await fetch?.close()
  await feed?.stop()
})
beforeEach(() => {
  feed.asked.length = 0
  feed.headers.length = 0
})

const requestOf = (more: Partial<PullRequest> = {}): PullRequest => ({
  fetch,
  url: feed.url,
  authorization: undefined,
  publicKey: null,
  cursor: null,
  bounds: { bytes: 1_048_576, objects: 1_000, pages: 50, ms: 30_000, pauseMs: 1_000, ...more.bounds },
  signal: new AbortController().signal,
  ...more,
})
const bounds = (changed: Partial<PullRequest['bounds']>) => ({ ...requestOf().bounds, ...changed })
const textOf = (file: Uint8Array) => Buffer.from(file).toString()
const failureOf = async (pulling: Promise<unknown>): Promise<FeedError> => {
  const error = await pulling.then(
    () => undefined,
    error => error,
  )
  expect(error).toBeInstanceOf(FeedError)
  return error
}

const second = (n: number, fraction = '123456') =>
  `2026-01-01T00:00:${String(n).padStart(2, '0')}.${fraction}Z`
/** Returns an object whose bytes no JSON serializer would write. */
const objectOf = (n: number): TaxiiObject => ({
  raw: `{"id" : "x-note--${n}","n":1.0, "big":9007199254740993,"n":2,"text":"\\u0000 ]}"}`,
  added: second(n),
})
const taxii =
  (body: string, headers: Record<string, string> = {}, status = 200): FeedScript =>
  (_url, _request, response) =>
    response.writeHead(status, { 'content-type': 'application/taxii+json;version=2.1', ...headers }).end(body)

describe('a TAXII collection', () => {
  const pull = (more: Partial<PullRequest> = {}) =>
    pullTaxii(requestOf({ url: `${feed.url}api/collections/1/`, ...more }))

  it('is pulled page by page, byte for byte, and then from its cursor', async () => {
    const objects = [1, 2, 3, 4, 5].map(objectOf)
    feed.answer(taxiiCollection(objects))
    const first = await pull({ authorization: 'Bearer key' })
    expect(textOf(first.file)).toBe(
      `{"type":"bundle","objects":[${objects.map(({ raw }) => raw).join(',')}]}`,
    )
    expect(first).toMatchObject({ more: false, cursor: JSON.stringify({ added_after: second(5) }) })
    expect(feed.asked).toEqual([
      '/api/collections/1/objects/?limit=1000',
      '/api/collections/1/objects/?limit=1000&next=2',
      '/api/collections/1/objects/?limit=1000&next=4',
    ])
    expect(feed.headers[0]).toMatchObject({
      accept: 'application/taxii+json;version=2.1',
      authorization: 'Bearer key',
    })
    const again = await pull({ cursor: first.cursor })
    expect(again).toEqual({ file: new Uint8Array(), cursor: first.cursor, more: false })
    expect(feed.asked.at(-1)).toContain(`added_after=${encodeURIComponent(second(5))}`)
    objects.push(objectOf(6))
    expect(textOf((await pull({ cursor: first.cursor })).file)).toContain('x-note--6')
  })

  it.each([
    'api/collections/1',
    'api/collections/1/',
    'api/collections/1/objects',
    'api/collections/1/objects/?x=1',
  ])('is found at %s', async path => {
    feed.answer(taxiiCollection([]))
    await pull({ url: feed.url + path })
    expect(feed.asked).toEqual(['/api/collections/1/objects/?limit=1000'])
  })

  it('is paged by time if there is more but no next page', async () => {
    const objects = [1, 2, 3].map(objectOf)
    feed.answer((url, request, response) => {
      const after = url.searchParams.get('added_after') ?? ''
      const later = objects.filter(({ added }) => added > after)
      return taxii(`{"more":${later.length > 1},"objects":[${later[0]?.raw ?? ''}]}`, {
        'x-taxii-date-added-last': later[0]?.added ?? '',
      })(url, request, response)
    })
    expect(textOf((await pull()).file).match(/x-note--\d/g)).toEqual(['x-note--1', 'x-note--2', 'x-note--3'])
  })

  it('is pulled in several runs past the limits of one, without omission or repetition', async () => {
    // All objects have the same time: paging by time alone would omit some.
    const objects = Array.from({ length: 25 }, (_, n) => ({ ...objectOf(n), added: second(1) }))
    feed.answer(taxiiCollection(objects))
    for (const few of [{ pages: 3 }, { objects: 7 }, { bytes: 600 }]) {
      let cursor: string | null = null
      const given: string[] = []
      let runs = 0
      for (let more = true; more; runs++) {
        const run: Awaited<ReturnType<typeof pull>> = await pull({ cursor, bounds: bounds(few) })
        given.push(...(textOf(run.file).match(/x-note--\d+/g) ?? []))
        ;({ cursor, more } = run)
      }
      expect(runs).toBeGreaterThan(2)
      expect(given).toEqual(objects.map((_, n) => `x-note--${n}`))
    }
  })

  it('is pulled again from the last complete run if the server has forgotten the page', async () => {
    const objects = [1, 2, 3].map(objectOf)
    feed.answer((url, request, response) =>
      url.searchParams.get('next') === 'old'
        ? taxii('{}', {}, 400)(url, request, response)
        : taxiiCollection(objects)(url, request, response),
    )
    const { file } = await pull({ cursor: JSON.stringify({ added_after: second(1), next: 'old' }) })
    expect(textOf(file).match(/x-note--\d/g)).toEqual(['x-note--2', 'x-note--3'])
  })

  it('returns the pages before a failed one', async () => {
    const objects = [1, 2, 3].map(objectOf)
    feed.answer((url, request, response) =>
      url.searchParams.get('next')
        ? taxii('{}', {}, 500)(url, request, response)
        : taxiiCollection(objects)(url, request, response),
    )
    const run = await pull()
    expect(run).toMatchObject({ more: true, cursor: JSON.stringify({ next: '2' }) })
    expect(textOf(run.file)).toContain('x-note--2')
    expect((await failureOf(pull({ cursor: run.cursor }))).message).toContain('status 500')
  })

  it.each([429, 503])('is retried after %s with Retry-After, within a run or later', async status => {
    let refusals = 1
    const objects = [objectOf(1)]
    feed.answer((url, request, response) =>
      refusals-- > 0
        ? taxii('{}', { 'retry-after': '0.2' }, status)(url, request, response)
        : taxiiCollection(objects)(url, request, response),
    )
    expect(textOf((await pull()).file)).toContain('x-note--1')
    expect(feed.asked.length).toBe(2)
    feed.answer(taxii('{}', { 'retry-after': '7200.5' }, status))
    expect((await failureOf(pull())).retryMs).toBe(7_201_000)
  })

  it('is retried at most three times in a run', { tags: 'long' }, async () => {
    feed.answer(taxii('{}', { 'retry-after': 'Sun, 06 Nov 1994 08:49:37 GMT' }, 429))
    await failureOf(pull())
    expect(feed.asked.length).toBe(4)
  })

  it.each([
    ['a number', '7', '7'],
    ['a number past 2⁵³', '12345678901234567890', '12345678901234567890'],
    ['a text, without `more`', '"a b"', 'a+b'],
    ['a number behind a nested one', '12345678901234567890', '12345678901234567890'],
  ])('is paged if `next` is %s', async (what, next, sent) => {
    const more = what.endsWith('`more`') ? '' : '"more":true,'
    const nested = what.endsWith('nested one') ? '"x":{"next":5},' : ''
    feed.answer((url, request, response) =>
      url.searchParams.has('next')
        ? taxii('{"objects":[{"id":"x-2"}]}')(url, request, response)
        : taxii(`{${nested}${more}"next" : ${next},"objects":[{"id":"x-1"}]}`)(url, request, response),
    )
    expect(textOf((await pull()).file)).toBe('{"type":"bundle","objects":[{"id":"x-1"},{"id":"x-2"}]}')
    expect(feed.asked).toEqual([
      expect.anything(),
      expect.stringMatching(`next=${sent.replace('+', '\\+')}$`),
    ])
  })

  it.each(['null', '{}', 'true', '""'])(
    'that announces more with `next` %s fails, and its cursor is kept',
    async next => {
      feed.answer(taxii(`{"more":true,"next":${next},"objects":[{"id":"x-1"}]}`))
      expect((await failureOf(pull())).message).toContain('no cursor')
    },
  )

  it.each([
    ['2026-01-01T00:00:05+00:00', '2026-01-01T00:00:05.000000Z'],
    ['2026-01-01t02:00:05.1+02:00', '2026-01-01T00:00:05.100000Z'],
    ['2025-12-31T19:00:05.123456789-05:00', '2026-01-01T00:00:05.123456789Z'],
    ['2026-01-01 00:00:05.123456z', '2026-01-01T00:00:05.123456Z'],
    ['2026-01-01T00:00:05.123456', '2026-01-01T00:00:05.123456Z'],
    ['Thu Jan 01 2026 00:00:05 GMT+0000 (Coordinated Universal Time)', '2026-01-01T00:00:05.000000Z'],
    ['Thu, 01 Jan 2026 00:00:05 GMT', '2026-01-01T00:00:05.000000Z'],
  ])('whose last time is %s is pulled from that time', async (time, sent) => {
    feed.answer(taxii('{"objects":[{"id":"x-1"}]}', { 'x-taxii-date-added-last': time }))
    const { cursor } = await pull()
    expect(cursor).toBe(JSON.stringify({ added_after: sent }))
    await pull({ cursor })
    expect(feed.asked.at(-1)).toContain(`added_after=${encodeURIComponent(sent)}`)
  })

  it.each(['undefined', '2026-02-30T00:00:00Z', '2026-01-01', '1767225605'])(
    'whose last time is %s keeps its cursor',
    async time => {
      feed.answer(taxii('{"objects":[{"id":"x-1"}]}', { 'x-taxii-date-added-last': time }))
      const cursor = JSON.stringify({ added_after: second(3) })
      expect((await pull({ cursor })).cursor).toBe(cursor)
    },
  )

  it('with unordered pages is pulled from the latest time', async () => {
    feed.answer((url, request, response) =>
      url.searchParams.has('next')
        ? taxii('{"objects":[{"id":"x-2"}]}', { 'x-taxii-date-added-last': second(1) })(
            url,
            request,
            response,
          )
        : taxii('{"more":true,"next":"2","objects":[{"id":"x-1"}]}', {
            'x-taxii-date-added-last': second(9),
          })(url, request, response),
    )
    expect((await pull()).cursor).toBe(JSON.stringify({ added_after: second(9) }))
  })

  it('returns all readable objects, and reasons for the others', async () => {
    const bytes = Buffer.from(
      `\uFEFF{"objects":[{"id":"x-1"},7,{"id":"x-2","a":tru},{"id":"\u0001"},{"a":${'['.repeat(70)}${']'.repeat(70)}},{"a":"${'x'.repeat(4_194_305)}"},{"id":"x-3"}]}`,
    )
    bytes[bytes.indexOf(1)] = 0xff
    feed.answer((_url, _request, response) =>
      response.setHeader('content-type', 'application/taxii+json').end(bytes),
    )
    const { file, skipped } = await pull({ bounds: bounds({ bytes: 1e8 }) })
    expect(textOf(file)).toBe('{"type":"bundle","objects":[{"id":"x-1"},{"id":"x-3"}]}')
    expect(skipped?.count).toBe(5)
    for (const why of ['not an object', 'not valid JSON', 'not UTF-8', 'nested deeper', 'larger than'])
      expect(skipped?.listed.filter(({ reason }) => reason.includes(why))).toHaveLength(1)
  })

  it('is pulled in several runs past the limits of one if entries are unreadable', async () => {
    feed.answer((url, request, response) => {
      const page = Number(url.searchParams.get('next') ?? 0)
      taxii(`{"more":true,"next":"${page + 1}","objects":[${page},7,7]}`)(url, request, response)
    })
    const first = await pull({ bounds: bounds({ objects: 7 }) })
    expect(first).toMatchObject({ more: true, cursor: JSON.stringify({ next: '2' }), skipped: { count: 6 } })
    const second = await pull({ cursor: first.cursor, bounds: bounds({ objects: 7 }) })
    expect(second).toMatchObject({ more: true, cursor: JSON.stringify({ next: '4' }) })
  })

  it('is pulled in several runs if its pages are larger than their objects', async () => {
    feed.answer((url, request, response) => {
      const page = Number(url.searchParams.get('next') ?? 0)
      const body = `{"more":true,"next":"${page + 1}","objects":[]${' '.repeat(400_000)}}`
      taxii(body)(url, request, response)
    })
    expect(await pull()).toMatchObject({ more: true, cursor: JSON.stringify({ next: '2' }) })
  })

  it('lists 200 of 150,000 unreadable entries of a page', { tags: 'long' }, async () => {
    feed.answer(taxii(`{"objects":[${'7,'.repeat(150_000)}{"id":"x-1"}]}`))
    const { file, skipped } = await pull()
    expect(textOf(file)).toBe('{"type":"bundle","objects":[{"id":"x-1"}]}')
    expect([skipped?.count, skipped?.listed.length]).toEqual([150_000, 200])
  })

  it('is requested in shorter pages if one is too large', async () => {
    feed.answer((url, request, response) => {
      const many = Number(url.searchParams.get('limit')) > 10
      return taxii(`{"objects":[{"id":"x-1"}]}${' '.repeat(many ? 1_100_000 : 0)}`)(url, request, response)
    })
    expect(textOf((await pull()).file)).toContain('x-1')
    expect(feed.asked.at(-1)).toContain('limit=10')
  })

  const hostile: [string, FeedScript, string][] = [
    [
      'answers HTML',
      (_u, _r, response) => response.setHeader('content-type', 'text/html').end('<html>'),
      'media type',
    ],
    [
      'answers TAXII 2.0’s type',
      taxii('{"objects":[]}', { 'content-type': 'application/vnd.oasis.taxii+json' }),
      'media type',
    ],
    ['answers no JSON', taxii('{"objects":[{]'), 'not an envelope'],
    ['answers a list', taxii('[{"id":"x"}]'), 'not an envelope'],
    ['answers invalid objects', taxii('{"objects":{"id":1}}'), 'not an envelope'],
    ['answers a truncated page', taxii('{"objects":[{"id":"x-1"}'), 'not an envelope'],
    ['answers endless nesting', taxii(`{"objects":[{"a":${'['.repeat(100_000)}`), 'not an envelope'],
    ['announces more without a position', taxii('{"more":true,"objects":[{"id":"x-1"}]}'), 'no cursor'],
    [
      'returns the same page for ever',
      taxii('{"more":true,"next":"1","objects":[{"id":"x-1"}]}'),
      'page repeatedly',
    ],
    [
      'returns the same page at each position',
      (url, request, response) =>
        taxii(`{"more":true,"next":"${feed.asked.length}","objects":[{"id":"x-1"}]}`)(url, request, response),
      'page repeatedly',
    ],
    [
      'returns the same page of unreadable entries at each position',
      (url, request, response) =>
        taxii(`{"more":true,"next":"${feed.asked.length}","objects":[7]}`)(url, request, response),
      'page repeatedly',
    ],
    [
      'alternates between two times',
      (url, request, response) =>
        taxii('{"more":true,"objects":[]}', {
          'x-taxii-date-added-last':
            url.searchParams.get('added_after') === second(2) ? second(1) : second(2),
        })(url, request, response),
      'no cursor',
    ],
    ['knows no such collection', taxii('{}', {}, 404), 'no such collection'],
    ['refuses the key', taxii('{}', {}, 401), 'refuses the user or the key'],
    ['redirects', taxii('', { location: 'https://127.0.0.1/' }, 302), 'redirects'],
  ]
  it.each(hostile)('that %s fails with a reason', async (_, script, why) => {
    feed.answer(script)
    expect((await failureOf(pull())).message).toContain(why)
  })

  it('with a million pages ends a run with a cursor', { tags: 'long' }, async () => {
    let page = 0
    feed.answer((url, request, response) =>
      taxii(`{"more":true,"next":"${++page}","objects":[]}`)(url, request, response),
    )
    expect(await pull()).toEqual({
      file: new Uint8Array(),
      cursor: JSON.stringify({ next: '50' }),
      more: true,
    })
    expect(feed.asked.length).toBe(50)
  })

  it('with an endless or dripping response ends a run', async () => {
    feed.answer((_url, _request, response) => {
      response.setHeader('content-type', 'application/taxii+json')
      const timer = setInterval(() => response.write(' '), 5)
      response.on('close', () => clearInterval(timer))
    })
    expect((await failureOf(pull({ bounds: bounds({ ms: 300 }) }))).message).toContain('too long')
    feed.answer((_url, _request, response) => {
      const push = () => {
        while (!response.destroyed && response.write(' '.repeat(65_536)));
      }
      response.setHeader('content-type', 'application/taxii+json').on('drain', push)
      push()
    })
    expect((await failureOf(pull())).message).toContain('more than 1,048,576 bytes')
  })
})

describe('a MISP feed', () => {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  const pem = publicKey.export({ type: 'spki', format: 'pem' }).toString()
  const uuid = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`
  const eventOf = (n: number, more = '') => `{"Event": {"uuid":"${uuid(n)}","info":"Event ${n}"${more}}}`
  let files: Record<string, string | Buffer>
  let broken: Record<string, number>
  const folder: FeedScript = (url, request, response) => {
    const name = url.pathname.replace('/feed/', '')
    const text = files[name]
    const etag = `"${Buffer.from(text ?? '').length}-${name}"`
    if (broken[name]) return response.writeHead(broken[name] ?? 500).end()
    if (text === undefined) return response.writeHead(404).end()
    if (request.headers['if-none-match'] === etag) return response.writeHead(304).end()
    return response.writeHead(200, { 'content-type': 'application/json', etag }).end(text)
  }
  /** Signs a manifest like the feeds of this app. */
  const signed = (text: string) =>
    sign(null, Buffer.from(`${MISP_MANIFEST_CONTEXT}${text}`), privateKey).toString('base64')
  const publish = (events: Record<number, number>) => {
    const manifest = Object.entries(events).map(([n, at]) => [uuid(Number(n)), { timestamp: at, info: 'x' }])
    const text = JSON.stringify(Object.fromEntries(manifest))
    files = { 'manifest.json': text, 'manifest.json.sig': signed(text) }
    for (const n of Object.keys(events)) files[`${uuid(Number(n))}.json`] = eventOf(Number(n))
  }
  const pull = (more: Partial<PullRequest> = {}) => pullMisp(requestOf({ url: `${feed.url}feed/`, ...more }))

  beforeEach(() => {
    broken = {}
    feed.answer(folder)
    publish({ 1: 20, 2: 10 })
  })

  it('returns the changed events unmodified, oldest changes first', async () => {
    const first = await pull()
    expect(textOf(first.file)).toBe(`{"response":[${eventOf(2)},${eventOf(1)}]}`)
    expect(first.more).toBe(false)
    feed.asked.length = 0
    expect(await pull({ cursor: first.cursor })).toEqual({
      file: new Uint8Array(),
      cursor: first.cursor,
      more: false,
    })
    // Unchanged events are not requested.
    expect(feed.asked).toEqual(['/feed/manifest.json'])
    publish({ 1: 20, 2: 10, 13: 30 })
    const third = await pull({ cursor: first.cursor })
    expect(textOf(third.file)).toBe(`{"response":[${eventOf(13)}]}`)
  })

  it('reports withdrawn events', async () => {
    const { cursor } = await pull()
    publish({ 1: 20 })
    const second = await pull({ cursor })
    expect(second).toMatchObject({ file: new Uint8Array(), more: false, withdrawn: [uuid(2)] })
    expect((await pull({ cursor: second.cursor })).withdrawn ?? []).toEqual([])
  })

  it('is pulled in several runs past the limits of one', async () => {
    publish(Object.fromEntries(Array.from({ length: 9 }, (_, n) => [n + 1, n])))
    let cursor: string | null = null
    const given: string[] = []
    for (let more = true; more; ) {
      const run: Awaited<ReturnType<typeof pull>> = await pull({ cursor, bounds: bounds({ pages: 2 }) })
      given.push(...(textOf(run.file).match(/Event \d/g) ?? []))
      ;({ cursor, more } = run)
    }
    expect(given).toEqual(Array.from({ length: 9 }, (_, n) => `Event ${n + 1}`))
  })

  it.each([429, 503])('returns the events before a response with %s', async status => {
    broken[`${uuid(1)}.json`] = status
    const run = await pull()
    expect(run).toMatchObject({ more: true })
    expect(run.skipped).toBeUndefined()
    expect(textOf(run.file)).toBe(`{"response":[${eventOf(2)}]}`)
    expect((await failureOf(pull({ cursor: run.cursor }))).status).toBe(status)
  })

  it('accepts events and manifests that begin with a byte order mark', async () => {
    for (const name of Object.keys(files)) files[name] = `\uFEFF${files[name]}`
    expect(textOf((await pull()).file)).toBe(`{"response":[${eventOf(2)},${eventOf(1)}]}`)
  })

  it('accepts an event that begins with 20,000 byte order marks', async () => {
    files[`${uuid(1)}.json`] = `${'\uFEFF'.repeat(20_000)}${eventOf(1)}`
    expect(textOf((await pull()).file)).toBe(`{"response":[${eventOf(2)},${eventOf(1)}]}`)
  })

  const unreadable: [string, (n: number) => string | Buffer, string][] = [
    ['no JSON', () => '<html>', 'not a MISP event'],
    ['JSON that is cut off', n => eventOf(n).slice(0, -2), 'not valid JSON'],
    ['another event', () => eventOf(7), 'another UUID'],
    ['a list', () => '[]', 'not a MISP event'],
    ['a list as event', () => '{"Event":[]}', 'not a MISP event'],
    ['an event whose UUID is a number', () => '{"Event":{"uuid":5,"info":"x"}}', 'another UUID'],
    ['an event with an invalid attribute', n => eventOf(n, ',"Attribute":[1]'), 'not an object'],
    ['an event in UTF-16', n => Buffer.from(`\uFEFF${eventOf(n)}`, 'utf16le'), 'not UTF-8'],
    ['an event in Latin-1', n => Buffer.from(eventOf(n, ',"x":"é"'), 'latin1'), 'not UTF-8'],
    [
      'an event with too large an attribute',
      n => eventOf(n, `,"a":"${'x'.repeat(4_194_305)}"`),
      'larger than',
    ],
  ]
  it.each(unreadable)(
    'with %s returns the other events, and the broken one once it is repaired',
    async (_, bad, why) => {
      publish({ 1: 1, 2: 2, 3: 3 })
      files[`${uuid(2)}.json`] = bad(2)
      const first = await pull({ bounds: bounds({ bytes: 1e8 }) })
      expect(textOf(first.file)).toBe(`{"response":[${eventOf(1)},${eventOf(3)}]}`)
      expect(first).toMatchObject({
        more: false,
        skipped: { count: 1, listed: [{ place: `Event ${uuid(2)}` }] },
      })
      expect(first.skipped?.listed[0]?.reason).toContain(why)
      const second = await pull({ cursor: first.cursor, bounds: bounds({ bytes: 1e8 }) })
      expect(second).toMatchObject({ file: new Uint8Array(), more: false, skipped: { count: 1 } })
      // Repaired without a new timestamp.
      files[`${uuid(2)}.json`] = eventOf(2)
      const third = await pull({ cursor: second.cursor })
      expect(textOf(third.file)).toBe(`{"response":[${eventOf(2)}]}`)
      expect(third.skipped).toBeUndefined()
      feed.asked.length = 0
      await pull({ cursor: third.cursor })
      expect(feed.asked).toEqual(['/feed/manifest.json'])
    },
  )

  it.each([401, 403, 404, 500, 302])('with status %s for an event returns the others', async status => {
    broken[`${uuid(2)}.json`] = status
    const run = await pull()
    expect(textOf(run.file)).toBe(`{"response":[${eventOf(1)}]}`)
    expect(run).toMatchObject({ more: false, skipped: { count: 1 } })
  })

  it.each([500, 403])(
    'with status %s for several events ends a run and continues with the others',
    async status => {
      publish(Object.fromEntries(Array.from({ length: 5 }, (_, n) => [n + 1, n])))
      for (const n of [1, 2, 3]) broken[`${uuid(n)}.json`] = status
      const first = await pull()
      expect(first).toMatchObject({ file: new Uint8Array(), more: false, skipped: { count: 3 } })
      const second = await pull({ cursor: first.cursor })
      expect(textOf(second.file)).toBe(`{"response":[${eventOf(4)},${eventOf(5)}]}`)
    },
  )

  it('with invalid manifest entries returns the other events', async () => {
    const entries = { [uuid(1)]: { timestamp: 20 }, [uuid(2)]: {}, '../../x': { timestamp: 1 }, [uuid(3)]: 7 }
    files['manifest.json'] = JSON.stringify({ ...entries, 'https://127.0.0.1/': { timestamp: 1 } })
    const run = await pull()
    expect(textOf(run.file)).toBe(`{"response":[${eventOf(1)}]}`)
    expect(run.skipped?.listed.map(({ value }) => value)).toEqual([
      uuid(2),
      '../../x',
      uuid(3),
      'https://127.0.0.1/',
    ])
    expect(feed.asked).toEqual(['/feed/manifest.json', `/feed/${uuid(1)}.json`])
  })

  it('is accepted only with a valid signature if the subscription has a key', async () => {
    expect(textOf((await pull({ publicKey: pem })).file)).toContain('Event 1')
    feed.asked.length = 0
    const manifest = String(files['manifest.json'])
    const foreign = generateKeyPairSync('ed25519')
    for (const wrong of [
      signed(`${manifest} `),
      sign(null, Buffer.from(`${MISP_MANIFEST_CONTEXT}${manifest}`), foreign.privateKey).toString('base64'),
      // A signature of the manifest without its context.
      sign(null, Buffer.from(manifest), privateKey).toString('base64'),
      '',
      '%%%',
    ]) {
      files['manifest.json.sig'] = wrong
      expect((await failureOf(pull({ publicKey: pem }))).message).toContain('not signed with the key')
    }
    delete files['manifest.json.sig']
    expect((await failureOf(pull({ publicKey: pem }))).message).toContain('no such file')
    expect(feed.asked.filter(path => path.includes(uuid(1)))).toEqual([])
  })

  it.each([
    ['is a list', [{ timestamp: 1 }], 'not the manifest of a MISP feed'],
    [
      'names 20,001 events',
      Object.fromEntries(Array.from({ length: 20_001 }, (_, n) => [uuid(n), { timestamp: 1 }])),
      'more than 20,000 events',
    ],
  ])('whose manifest %s is rejected', async (_, manifest, why) => {
    files['manifest.json'] = JSON.stringify(manifest)
    expect((await failureOf(pull({ bounds: bounds({ bytes: 1e8 }) }))).message).toContain(why)
    expect(feed.asked).toEqual(['/feed/manifest.json'])
  })

  it('with a huge manifest is rejected', { tags: 'long' }, async () => {
    files['manifest.json'] = `{"${'x'.repeat(17_000_000)}":1}`
    expect((await failureOf(pull())).message).toContain('more than 16,777,216 bytes')
  })
})

it('authenticates with Basic if there is a user, else with a bearer token', () => {
  expect(authorizationOf({ user: 'ana', key: 'sécret' })).toBe('Basic YW5hOnPDqWNyZXQ=')
  expect(authorizationOf({ user: '', key: 'key' })).toBe('Bearer key')
})
