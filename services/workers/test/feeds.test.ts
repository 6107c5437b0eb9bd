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
/** In bytes that no JSON writer would give. */
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

  it('is pulled page by page, byte for byte, and from there on', async () => {
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

  it('goes on by time where there is more but no next page', async () => {
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

  it('is pulled in several runs past the bounds of one, with nothing left out or twice', async () => {
    // All added in the same batch: the time alone would leave out the rest of it.
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

  it('is pulled from the last whole run on where the server has forgotten the page', async () => {
    const objects = [1, 2, 3].map(objectOf)
    feed.answer((url, request, response) =>
      url.searchParams.get('next') === 'old'
        ? taxii('{}', {}, 400)(url, request, response)
        : taxiiCollection(objects)(url, request, response),
    )
    const { file } = await pull({ cursor: JSON.stringify({ added_after: second(1), next: 'old' }) })
    expect(textOf(file).match(/x-note--\d/g)).toEqual(['x-note--2', 'x-note--3'])
  })

  it('gives what came before a page that does not come', async () => {
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

  it.each([429, 503])('is asked again after %s when it says so, within a run or later', async status => {
    let refusals = 2
    const objects = [objectOf(1)]
    feed.answer((url, request, response) =>
      refusals-- > 0
        ? taxii('{}', { 'retry-after': '0' }, status)(url, request, response)
        : taxiiCollection(objects)(url, request, response),
    )
    expect(textOf((await pull()).file)).toContain('x-note--1')
    feed.answer(taxii('{}', { 'retry-after': '7200' }, status))
    expect((await failureOf(pull())).retryMs).toBe(7_200_000)
    feed.asked.length = 0
    feed.answer(taxii('{}', { 'retry-after': '0' }, status))
    await failureOf(pull())
    expect(feed.asked.length).toBe(4)
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
    ['answers no JSON', taxii('{"objects":[{]}'), 'no envelope'],
    ['answers a list', taxii('[{"id":"x"}]'), 'no envelope'],
    ['answers objects that are none', taxii('{"objects":{"id":1}}'), 'no envelope'],
    ['answers entries that are no objects', taxii('{"objects":[1,2]}'), 'no envelope'],
    ['answers nesting without end', taxii(`{"objects":[{"a":${'['.repeat(100_000)}`), 'no envelope'],
    ['says more without saying where', taxii('{"more":true,"objects":[{"id":"x-1"}]}'), 'not where'],
    [
      'gives the same page for ever',
      taxii('{"more":true,"next":"1","objects":[{"id":"x-1"}]}'),
      'again and again',
    ],
    ['knows no such collection', taxii('{}', {}, 404), 'no such collection'],
    ['refuses the key', taxii('{}', {}, 401), 'refuses the user or the key'],
    ['redirects', taxii('', { location: 'https://127.0.0.1/' }, 302), 'redirects'],
  ]
  it.each(hostile)('that %s fails with a reason', async (_, script, why) => {
    feed.answer(script)
    expect((await failureOf(pull())).message).toContain(why)
  })

  it('with a million pages ends a run, with where to go on', async () => {
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

  it('without end, or that drips, ends a run', async () => {
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
  let files: Record<string, string>
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
  /** Signs as a feed of ours does. */
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

  it('gives the events that have changed, oldest changes first, as they stand', async () => {
    const first = await pull()
    expect(textOf(first.file)).toBe(`{"response":[${eventOf(2)},${eventOf(1)}]}`)
    expect(first.more).toBe(false)
    feed.asked.length = 0
    expect(await pull({ cursor: first.cursor })).toEqual({
      file: new Uint8Array(),
      cursor: first.cursor,
      more: false,
    })
    // Not even read: it has not changed.
    expect(feed.asked).toEqual(['/feed/manifest.json'])
    publish({ 1: 20, 2: 10, 13: 30 })
    const third = await pull({ cursor: first.cursor })
    expect(textOf(third.file)).toBe(`{"response":[${eventOf(13)}]}`)
  })

  it('says which events are there no more', async () => {
    const { cursor } = await pull()
    publish({ 1: 20 })
    const second = await pull({ cursor })
    expect(second).toMatchObject({ file: new Uint8Array(), more: false, withdrawn: [uuid(2)] })
    expect((await pull({ cursor: second.cursor })).withdrawn ?? []).toEqual([])
  })

  it('is pulled in several runs past the bounds of one', async () => {
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

  it('gives what came before an event that does not come', async () => {
    broken[`${uuid(1)}.json`] = 500
    const run = await pull()
    expect(run.more).toBe(true)
    expect(textOf(run.file)).toBe(`{"response":[${eventOf(2)}]}`)
    expect((await failureOf(pull({ cursor: run.cursor }))).message).toContain('status 500')
  })

  it('is believed by its signature alone where the subscription has a key', async () => {
    expect(textOf((await pull({ publicKey: pem })).file)).toContain('Event 1')
    feed.asked.length = 0
    const manifest = files['manifest.json'] ?? ''
    const foreign = generateKeyPairSync('ed25519')
    for (const wrong of [
      signed(`${manifest} `),
      sign(null, Buffer.from(`${MISP_MANIFEST_CONTEXT}${manifest}`), foreign.privateKey).toString('base64'),
      // Over the manifest without its context.
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
    ['names ../../x', { '../../x': { timestamp: 1 } }, 'something that is no event'],
    ['names an address', { 'https://127.0.0.1/': { timestamp: 1 } }, 'something that is no event'],
    ['is a list', [{ timestamp: 1 }], 'none of a MISP feed'],
    ['has events without a time', { [uuid(1)]: {} }, 'none of a MISP feed'],
    [
      'names 20,001 events',
      Object.fromEntries(Array.from({ length: 20_001 }, (_, n) => [uuid(n), { timestamp: 1 }])),
      'more than 20,000 events',
    ],
  ])('whose manifest %s is refused as a whole', async (_, manifest, why) => {
    files['manifest.json'] = JSON.stringify(manifest)
    expect((await failureOf(pull({ bounds: bounds({ bytes: 1e8 }) }))).message).toContain(why)
    expect(feed.asked).toEqual(['/feed/manifest.json'])
  })

  it('whose manifest is huge is refused', async () => {
    files['manifest.json'] = `{"${'x'.repeat(17_000_000)}":1}`
    expect((await failureOf(pull())).message).toContain('more than 16,777,216 bytes')
  })

  it.each([
    ['another event', eventOf(2), 'is none, or another one'],
    ['none', '{"Event":[]}', 'is none, or another one'],
    ['no JSON', '<html>', 'not valid JSON'],
  ])('that gives %s for an event fails', async (_, text, why) => {
    publish({ 1: 1 })
    files[`${uuid(1)}.json`] = text
    expect((await failureOf(pull())).message).toContain(why)
  })
})

it('signs in by Basic with a user, else by a bearer token', () => {
  expect(authorizationOf({ user: 'ana', key: 'sécret' })).toBe('Basic YW5hOnPDqWNyZXQ=')
  expect(authorizationOf({ user: '', key: 'key' })).toBe('Bearer key')
})
