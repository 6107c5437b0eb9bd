import { request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  API_BASE,
  DETAILS,
  LIMITS,
  OPERATIONS,
  SERVICE_NAMES,
  SERVICES,
  type ServiceName,
  SOURCES,
} from '@iodine/contracts'
import {
  connectRedis,
  createHttpApp,
  createLogger,
  readConfig,
  SESSION_REVOKED,
  sessionKey,
} from '@iodine/service-kit'
import { newId, samplePath, startTestRedis } from '@iodine/test-kit'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { gatewayConfigSchema } from '../src/index.js'
import { createLimits } from '../src/limits.js'
import { addProxy } from '../src/plugins/proxy.js'
import type { Load } from '../src/proxy/forward.js'
import {
  LONG_REDIS_TIMEOUT,
  raw,
  startServerWithRedisLink,
  startTestServer,
  type TestServer,
} from './test-server.js'

let server: TestServer
let token: string
beforeAll(async () => {
  server = await startTestServer({}, LONG_REDIS_TIMEOUT)
  token = (await server.token()).token
})
afterAll(() => server?.close())
beforeEach(() => {
  server.seen.length = 0
  for (const name of Object.keys(server.behaviour)) delete server.behaviour[name as ServiceName]
})

const send = (
  path: string,
  init: RequestInit & { duplex?: 'half' } = {},
  bearer: string | undefined = token,
) =>
  fetch(`${server.url}/api/v1${path}`, {
    ...init,
    headers: { ...(bearer && { authorization: `Bearer ${bearer}` }), ...init.headers },
  })
/** Returns the gateway's load. */
const load = async (): Promise<Load> => (await (await fetch(`${server.url}/readyz`)).json()).load
const expectDetail = async (response: Response, status: number, detail: string) =>
  expect([response.status, await response.json()]).toEqual([status, { detail }])

describe('each operation of the contracts', () => {
  const operations = OPERATIONS.flatMap(({ service, name, spec }) =>
    (spec.path.includes(':source') ? SOURCES : ['']).map(source => ({
      name: `${name} ${source}`,
      service,
      spec,
      path: samplePath(spec.path, source),
    })),
  )
  it.each(operations)(
    '$name reaches its service, with and without a slash',
    async ({ service, spec, path }) => {
      for (const url of [path, `${path}/`, `${path}?x=1`]) {
        const response = await send(url, { method: spec.method })
        expect([response.status, await response.json()]).toEqual([200, { service }])
        expect(server.seen.at(-1)).toMatchObject({ method: spec.method, url: `/api/v1${url}` })
      }
    },
  )
  it.each(operations)('$name requires a session unless it is public', async ({ spec, path }) => {
    for (const url of [path, `${path}/`])
      expect((await send(url, { method: spec.method }, '')).status).toBe(spec.access === 'anyone' ? 200 : 401)
  })
})

describe('an unknown path or method', () => {
  it.each([
    '/unknown',
    '/iods2',
    '/internal/jwks',
    '/..%2finternal',
    '/..%2f..%2finternal/jwks',
    '/auth/..%2f..%2f..%2finternal/jwks',
    '/iods/..%5c..%5cinternal',
  ])('is answered with 404 at %s, with and without a session', async path => {
    for (const bearer of [token, '']) await expectDetail(await send(path, {}, bearer), 404, DETAILS.notFound)
    expect(server.seen).toEqual([])
  })
  it.each([
    'GET /internal/jwks',
    'POST /internal/sessions/check',
    'GET /metrics',
    'GET /api/v1',
    'GET /api',
    'GET /api/v1/iods/../../../internal/jwks',
    'GET /api/v1/../../internal/jwks',
    'GET /api/v1/iods/.',
    'GET /api/v1/auth/%2e%2e/%2E%2E/%2e%2e/internal/jwks',
    'GET //internal/jwks',
    'GET /api/v1//internal/jwks',
    'GET /./internal/jwks',
    'GET http://127.0.0.1/internal/jwks',
  ])('is answered with 404 for the raw request line %s', async line => {
    const answer = await raw(
      server.url,
      `${line} HTTP/1.1\r\nHost: x\r\nAccept: text/html\r\nAuthorization: Bearer ${token}\r\nX-Service-Key: ${server.settings.SERVICE_KEY}\r\nConnection: close\r\n\r\n`,
    )
    expect(answer).toMatch(/^HTTP\/1.1 404 /)
    expect(answer).toContain(JSON.stringify({ detail: DETAILS.notFound }))
    expect(server.seen).toEqual([])
  })
  it('is answered with 404 instead of 401 for an unknown method', async () => {
    await expectDetail(await send('/auth/verify-magic-link?token=x', {}, ''), 404, DETAILS.notFound)
    expect((await send('/auth/verify-magic-link?token=x', { method: 'HEAD' }, '')).status).toBe(404)
    await expectDetail(await send('/iods', { method: 'PUT' }, ''), 404, DETAILS.notFound)
    expect(server.seen).toEqual([])
  })
  it('is answered with 400, 414 or 431 if it is malformed or too long', async () => {
    await expectDetail(await send('/iods/%zz'), 400, DETAILS.badRequest)
    await expectDetail(await send(`/iods/${'x'.repeat(13_000)}`), 414, DETAILS.uriTooLong)
    await expectDetail(await send(`/iods?q=${'x'.repeat(370_000)}`), 414, DETAILS.uriTooLong)
    await expectDetail(await send(`/iods?q=${'x'.repeat(450_000)}`), 431, DETAILS.headersTooLarge)
    await expectDetail(
      await send('/iods', { headers: { 'x-big': 'x'.repeat(30_000) } }),
      431,
      DETAILS.headersTooLarge,
    )
  })
})

describe('a search', () => {
  it.each(['x', '\u044f', '\u6f22', '\u{1f600}'])(
    'of maximum length reaches its service, in letters like %s',
    async letter => {
      const text = encodeURIComponent(letter.repeat(LIMITS.fieldMax))
      const target = `/graph/triplets?source=${text}&entity=${text}&verb=${text}`
      expect((await send(target)).status).toBe(200)
      expect(server.seen[0]?.url).toBe(API_BASE + target)
    },
  )
})

describe('a session', () => {
  it('is read from a bearer token after one or more spaces, in any case of the scheme', async () => {
    for (const [scheme, status] of [
      ['Bearer ', 200],
      ['bearer   ', 200],
      ['BEARER  ', 200],
      ['Bearer', 401],
      ['Basic ', 401],
      ['Bearer,', 401],
      ['', 401],
    ] as const) {
      const answer = await send('/iods', { headers: { authorization: `${scheme}${token}` } }, '')
      expect([scheme, answer.status]).toEqual([scheme, status])
      expect(answer.headers.get('www-authenticate')).toBe(status === 401 ? 'Bearer' : null)
    }
  })

  const me = (bearer: string, scheme = 'Bearer') =>
    fetch(`${server.url}/api/v1/profile/me`, { headers: { authorization: `${scheme} ${bearer}` } })
  const key = (sid: string) => sessionKey(server.settings.REDIS_PREFIX ?? '', sid)

  it('is rejected if its token is missing, forged or expired', async () => {
    const { token: expired } = await server.token({}, -1_000)
    const forged = `${token.slice(0, -4)}${token.endsWith('AAAA') ? 'BBBB' : 'AAAA'}`
    const none = Buffer.from('{"alg":"none"}').toString('base64url')
    for (const bad of ['', 'x', expired, forged, `${none}.${token.split('.')[1]}.`])
      await expectDetail(await me(bad), 401, DETAILS.unauthenticated)
    await expectDetail(await me(token, 'Basic'), 401, DETAILS.unauthenticated)
    expect((await me(token, 'bearer')).status).toBe(200)
  })
  it('is looked up in Redis, then queried from auth', async () => {
    const redis = await connectRedis(server.settings.REDIS_URL ?? '')
    const id = newId()
    const state = { user_id: id, scope: 'full' as const }
    const known = await server.fixture.token({ id, sid: 'known' })
    await redis.set(key('known'), JSON.stringify(state))
    const unknown = await server.fixture.token({ id: newId(), sid: 'unknown' })
    const before = server.sessionChecks()
    expect((await me(known)).status).toBe(200)
    expect(server.sessionChecks()).toBe(before)
    await expectDetail(await me(unknown), 401, DETAILS.unauthenticated)
    expect(server.sessionChecks()).toBe(before + 1)
    // A tombstone is final, whatever auth answers.
    server.liveSessions.set('known', state)
    await redis.set(key('known'), SESSION_REVOKED)
    await expectDetail(await me(known), 401, DETAILS.unauthenticated)
    expect(server.sessionChecks()).toBe(before + 1)
    redis.disconnect()
  })
  it('is rejected for a token with another user or a wider scope', async () => {
    const redis = await connectRedis(server.settings.REDIS_URL ?? '')
    const mine = await server.token({ scope: 'collector' })
    const another = await server.fixture.token({ id: newId(), scope: 'collector', sid: mine.sid })
    const wider = await server.fixture.token({ id: mine.id, scope: 'full', sid: mine.sid })
    const refused = async () => {
      expect((await me(mine.token)).status).toBe(200)
      for (const forged of [another, wider])
        await expectDetail(await me(forged), 401, DETAILS.unauthenticated)
    }
    // The session's state from auth, from Redis, and from the cache before auth went down.
    await refused()
    await redis.set(key(mine.sid), JSON.stringify({ user_id: mine.id, scope: 'collector' }))
    const before = server.sessionChecks()
    await refused()
    expect(server.sessionChecks()).toBe(before)
    await redis.del(key(mine.sid))
    await server.stop('auth')
    const ask = (bearer: string) => send('/tiktok/data', { method: 'POST' }, bearer)
    const statuses = [(await ask(mine.token)).status, (await ask(another)).status, (await ask(wider)).status]
    await server.start('auth')
    redis.disconnect()
    expect(statuses).toEqual([200, 401, 401])
  })
  it('is queried from auth if the state in Redis is unreadable', async () => {
    const redis = await connectRedis(server.settings.REDIS_URL ?? '')
    const { token: mine, sid } = await server.token()
    for (const text of ['{}', 'nonsense', 'null']) {
      await redis.set(key(sid), text)
      expect((await me(mine)).status).toBe(200)
    }
    redis.disconnect()
  })
  it('is rejected as soon as it has ended', async () => {
    const { token: mine, sid } = await server.token()
    expect((await me(mine)).status).toBe(200)
    server.liveSessions.delete(sid)
    await expectDetail(await me(mine), 401, DETAILS.unauthenticated)
  })
  it('is queried from auth while Redis is down', async () => {
    const redis = await startTestRedis()
    const other = await startTestServer({ REDIS_URL: redis.url })
    const { token: mine, sid } = await other.token()
    await redis.stop()
    const ask = () => fetch(`${other.url}/api/v1/iods`, { headers: { authorization: `Bearer ${mine}` } })
    expect((await ask()).status).toBe(200)
    other.liveSessions.delete(sid)
    expect((await ask()).status).toBe(401)
    await other.close()
  })
  it('stays valid from the cache while auth is down, until its tombstone is written', async () => {
    const { token: mine, sid } = await server.token()
    expect((await me(mine)).status).toBe(200)
    const redis = await connectRedis(server.settings.REDIS_URL ?? '')
    const key = sessionKey(server.settings.REDIS_PREFIX ?? '', sid)
    await redis.del(key)
    await server.stop('auth')
    const goesOn = await send('/iods', {}, mine)
    await redis.set(key, SESSION_REVOKED)
    const ended = await send('/iods', {}, mine)
    await server.start('auth')
    redis.disconnect()
    expect(goesOn.status).toBe(200)
    await expectDetail(ended, 401, DETAILS.unauthenticated)
  })
  it('is answered with 503 if Redis lost its data and auth is down', async () => {
    const { token: mine } = await server.token()
    expect((await me(mine)).status).toBe(200)
    const redis = await connectRedis(server.settings.REDIS_URL ?? '')
    await redis.flushall()
    redis.disconnect()
    await server.stop('auth')
    const answer = await send('/iods', {}, mine)
    await server.start('auth')
    await expectDetail(answer, 503, DETAILS.unavailable)
    expect((await me(mine)).status).toBe(200)
  })
  it('is queried from auth without delay while Redis hangs', async () => {
    const redis = await startTestRedis()
    const other = await startTestServer({ REDIS_URL: redis.url })
    const { token: mine, sid, id } = await other.token()
    const ask = async () => {
      const begun = performance.now()
      const { status } = await fetch(`${other.url}/api/v1/iods`, {
        headers: { authorization: `Bearer ${mine}` },
      })
      return { status, ms: performance.now() - begun }
    }
    expect((await ask()).status).toBe(200)
    process.kill(redis.pid, 'SIGSTOP')
    try {
      // The minimum of several runs measures the product's wait; a busy machine slows the others.
      const fastest = async (count: number) => {
        const answers: Awaited<ReturnType<typeof ask>>[] = []
        for (let left = count; left > 0; left--) answers.push(await ask())
        expect(answers.map(({ status }) => status)).toEqual(Array(count).fill(200))
        return Math.min(...answers.map(({ ms }) => ms))
      }
      const answers = await Promise.all([ask(), ask(), ask()])
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
      expect(await fastest(3)).toBeLessThan(1_000)
      // The gateway has given up the connection: no request waits for it.
      expect(await fastest(10)).toBeLessThan(250)
      other.liveSessions.delete(sid)
      expect((await ask()).status).toBe(401)
    } finally {
      process.kill(redis.pid, 'SIGCONT')
    }
    // The gateway queries Redis again after its recovery.
    other.liveSessions.set(sid, { user_id: id, scope: 'full' })
    expect((await ask()).status).toBe(200)
    const own = await connectRedis(redis.url)
    await own.set(sessionKey(other.settings.REDIS_PREFIX ?? '', sid), SESSION_REVOKED)
    own.disconnect()
    await expect.poll(async () => (await ask()).status).toBe(401)
    await other.close()
    await redis.stop()
  })
  it('is rejected if it ended during an outage of Redis, despite states from before', async () => {
    const { server: other, redis: own, link, close } = await startServerWithRedisLink()
    const [ended, seen, revoked] = [await other.token(), await other.token(), await other.token()]
    const ask = async (bearer: string) =>
      (await fetch(`${other.url}/api/v1/iods`, { headers: { authorization: `Bearer ${bearer}` } })).status
    const kept = (sid: string) => sessionKey(other.settings.REDIS_PREFIX ?? '', sid)
    for (const { sid, id } of [ended, seen])
      await own.set(kept(sid), JSON.stringify({ user_id: id, scope: 'full' }))
    for (const each of [ended, seen, revoked]) expect(await ask(each.token)).toBe(200)
    link.set('reset')
    const before = other.sessionChecks()
    await expect
      .poll(async () => (await ask(revoked.token)) === 200 && other.sessionChecks() > before + 1)
      .toBe(true)
    // The session's end reaches auth's database, not Redis.
    other.liveSessions.delete(ended.sid)
    await own.set(kept(revoked.sid), SESSION_REVOKED)
    link.set('open')
    // The gateway queries Redis again.
    await expect.poll(() => ask(revoked.token)).toBe(401)
    expect(await own.get(kept(ended.sid))).toContain(ended.id)
    expect(await ask(ended.token)).toBe(401)
    // The cache from before the outage is invalid as well while auth is down.
    await other.stop('auth')
    expect([await ask(ended.token), await ask(seen.token)]).toEqual([503, 503])
    await close()
  })
  it('is not cached if Redis disconnected while auth checked it', async () => {
    const { server: other, redis: own, link, close } = await startServerWithRedisLink()
    const [judged, revoked] = [await other.token(), await other.token()]
    const ask = async (bearer: string) =>
      (await fetch(`${other.url}/api/v1/iods`, { headers: { authorization: `Bearer ${bearer}` } })).status
    /** Answers the pending check of `judged`; undefined until auth receives it. */
    let judge: (() => void) | undefined
    let checks = 0
    other.behaviour.auth = async (request, response) => {
      const { sid } = JSON.parse((await text(request)) || '{}')
      checks++
      const { id } = sid === judged.sid ? judged : revoked
      const answer = () =>
        response
          .writeHead(200, { 'content-type': 'application/json' })
          .end(JSON.stringify({ user_id: id, scope: 'full' }))
      if (sid === judged.sid) judge = answer
      else answer()
    }
    const answered = ask(judged.token)
    await expect.poll(() => judge).toBeDefined()
    link.set('reset')
    const before = checks
    await expect.poll(async () => (await ask(revoked.token)) === 200 && checks > before + 1).toBe(true)
    // The session ends now: its end reaches auth's database, not Redis.
    await own.set(sessionKey(other.settings.REDIS_PREFIX ?? '', revoked.sid), SESSION_REVOKED)
    link.set('open')
    await expect.poll(() => ask(revoked.token)).toBe(401)
    judge?.()
    expect(await answered).toBe(200)
    await other.stop('auth')
    expect(await ask(judged.token)).toBe(503)
    await close()
  })
  it('is answered with 503, not 401, while auth is down', async () => {
    const { token: mine } = await server.token()
    await server.stop('auth')
    const response = await send('/iods', {}, mine)
    await server.start('auth')
    await expectDetail(response, 503, DETAILS.unavailable)
  })
})

describe('a forwarded request', () => {
  it('contains the client’s address, and none of the client’s headers that only the gateway may set', async () => {
    await send('/iods?q=%2F&category=A&category=B', {
      headers: {
        'x-forwarded-for': '6.6.6.6',
        'x-forwarded-host': 'evil.example',
        'x-forwarded-proto': 'https',
        'x-real-ip': '6.6.6.6',
        forwarded: 'for=6.6.6.6',
        'x-service-key': 'guess',
        cookie: 'a=b',
        'x-request-id': 'not one of ours!',
        'accept-language': 'fr',
      },
    })
    const { url, headers } = server.seen[0] ?? expect.unreachable()
    expect(url).toBe('/api/v1/iods?q=%2F&category=A&category=B')
    expect(headers).toMatchObject({
      authorization: `Bearer ${token}`,
      'accept-language': 'fr',
      'x-forwarded-for': '127.0.0.1',
    })
    expect(headers['x-request-id']).toMatch(/^[\w-]{36}$/)
    for (const name of [
      'x-forwarded-host',
      'x-forwarded-proto',
      'x-real-ip',
      'forwarded',
      'x-service-key',
      'cookie',
    ])
      expect(headers[name]).toBeUndefined()
  })
  it('omits hop-by-hop headers', async () => {
    const answer = await raw(
      server.url,
      `GET /api/v1/iods HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nX-Mine: 1\r\nTE: trailers\r\nUpgrade: h2c\r\nConnection: close, X-Mine, Upgrade\r\n\r\n`,
    )
    expect(answer).toMatch(/^HTTP\/1.1 200 /)
    for (const name of ['x-mine', 'te', 'upgrade']) expect(server.seen[0]?.headers[name]).toBeUndefined()
    expect(answer).not.toContain('timeout=1')
  })
  it('contains the address that a trusted proxy has written', async () => {
    for (const [trust, expected] of [
      ['true', '203.0.113.9'],
      ['1', '198.51.100.7'],
      ['127.0.0.1', '198.51.100.7'],
      ['false', '127.0.0.1'],
    ] as const) {
      const other = await startTestServer({ TRUST_PROXY: trust })
      await fetch(`${other.url}/api/v1/auth/request-magic-link`, {
        method: 'POST',
        headers: { 'x-forwarded-for': '203.0.113.9, 198.51.100.7' },
      })
      expect([trust, other.seen[0]?.headers['x-forwarded-for']]).toEqual([trust, expected])
      await other.close()
    }
  })
  it('returns status, headers and body unchanged, with no-store', async () => {
    server.behaviour.iods = (_request, response) =>
      response
        .writeHead(409, { 'content-type': 'application/json', 'x-total-count': '7' })
        .end('{"detail":"é"}')
    const response = await send('/iods', { method: 'POST', body: '{}' })
    expect([response.status, response.headers.get('x-total-count'), await response.text()]).toEqual([
      409,
      '7',
      '{"detail":"é"}',
    ])
    expect(response.headers.get('cache-control')).toBe('no-store')
    expect(response.headers.get('x-request-id')).toBeTruthy()
  })
  it.each(['/iods/overlay?since=1', '/campaigns/overlay'])(
    'returns 304 for an unchanged %s to the collector and keeps the connection usable',
    async path => {
      const bytes = Buffer.alloc(100_000, 7)
      const behaviour = (request: IncomingMessage, response: ServerResponse) => {
        const isKnown = request.headers['if-none-match'] === '"1-2"'
        response
          .writeHead(isKnown ? 304 : 200, {
            etag: '"1-2"',
            'cache-control': 'private, no-cache',
            ...(!isKnown && { 'content-type': 'application/octet-stream', 'content-length': bytes.length }),
          })
          .end(isKnown ? undefined : bytes)
      }
      Object.assign(server.behaviour, { iods: behaviour, campaigns: behaviour })
      const collector = (await server.token({ scope: 'collector' })).token
      const headOf = ({ status, headers }: Response) => [
        status,
        headers.get('etag'),
        headers.get('cache-control'),
      ]
      const whole = await send(path, {}, collector)
      expect(headOf(whole)).toEqual([200, '"1-2"', 'private, no-cache'])
      expect(Buffer.from(await whole.arrayBuffer()).equals(bytes)).toBe(true)
      // `fetch` answers 200 from its cache unless a request forbids that.
      const asked = { headers: { 'if-none-match': '"1-2"' }, cache: 'no-store' } as const
      const same = await send(path, asked, collector)
      expect(headOf(same)).toEqual([304, '"1-2"', 'private, no-cache'])
      expect(await same.text()).toBe('')

      const head = `GET /api/v1${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${collector}\r\n`
      const twice = `${head}If-None-Match: "1-2"\r\n\r\n${head}If-None-Match: "1-2"\r\nConnection: close\r\n\r\n`
      const answers = (await raw(server.url, twice)).split(/(?=HTTP\/1\.1 )/)
      expect(answers).toHaveLength(2)
      for (const answer of answers) {
        expect(answer).toMatch(/^HTTP\/1\.1 304 /)
        expect(answer).not.toMatch(/^(content-length: [^0]|transfer-encoding)/im)
        expect(answer.slice(answer.indexOf('\r\n\r\n'))).toBe('\r\n\r\n')
      }
    },
  )
})

describe('a body', () => {
  const sizes = [
    ['/iods', LIMITS.bodyBytes, 'POST'],
    ['/tiktok/data', LIMITS.ingestBodyBytes, 'POST'],
    [`/captures/${newId()}/blobs/${'b'.repeat(64)}`, LIMITS.blobBytes, 'PUT'],
    ['/seals/checkpoint', LIMITS.bodyBytes, 'POST'],
  ] as const
  const chunked = (bytes: number) =>
    new ReadableStream({
      start(controller) {
        for (let left = bytes; left > 0; left -= 65_536)
          controller.enqueue(new Uint8Array(Math.min(left, 65_536)).fill(120))
        controller.close()
      },
    })

  it.each(sizes)(
    'passes at %s up to %i bytes, with Content-Length or chunked',
    { tags: 'long' },
    async (path, limit, method) => {
      for (const body of ['x'.repeat(limit), chunked(limit)]) {
        const response = await send(path, { method, body, duplex: 'half' })
        expect(response.status).toBe(200)
        expect(server.seen.at(-1)?.body).toHaveLength(limit)
      }
    },
  )
  it.each(sizes)(
    'is answered with 413 at %s past %i bytes, with Content-Length or chunked',
    { tags: 'long' },
    async (path, limit, method) => {
      for (const body of ['x'.repeat(limit + 1), chunked(limit + 1)])
        await expectDetail(await send(path, { method, body, duplex: 'half' }), 413, DETAILS.bodyTooLarge)
      expect(server.seen).toEqual([])
    },
  )
  it('is answered with 413 past the limit of each operation, before any byte is forwarded', async () => {
    for (const { spec, name } of OPERATIONS) {
      if (spec.method === 'GET') continue
      const length = (spec.bodyLimit ?? LIMITS.bodyBytes) + 1
      const answer = await raw(
        server.url,
        `${spec.method} ${API_BASE}${samplePath(spec.path)}/ HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nConnection: close\r\nContent-Length: ${length}\r\n\r\n`,
      )
      expect([name, answer.slice(0, 12)]).toEqual([name, 'HTTP/1.1 413'])
    }
    expect(server.seen).toEqual([])
  })
  it('that is refused while it is sent leaves the client time to read the response', async () => {
    for (const path of ['/api/v1/campaigns/', '/csp-reports']) {
      const [bytes, chunk] = [4 * LIMITS.bodyBytes, 'x'.repeat(65_536)]
      const { status } = await new Promise<{ status?: number }>((resolve, reject) => {
        const request = httpRequest(server.url + path, {
          method: 'POST',
          headers: {
            authorization: `Bearer ${token}`,
            'content-type': path === '/csp-reports' ? 'application/csp-report' : 'application/json',
            'content-length': bytes,
          },
        })
        let status: number | undefined
        const end = () => request.writableFinished && status !== undefined && resolve({ status })
        request.on('error', reject)
        request.on('response', response => {
          status = response.statusCode
          response.resume()
          end()
        })
        // The whole body is written, as by clients that read the answer after it.
        const write = (left: number) => {
          if (left > 0) request.write(chunk, () => write(left - chunk.length))
          else request.end(end)
        }
        write(bytes)
      })
      expect([path, status]).toEqual([path, 413])
    }
  })
  it('of binary data passes unchanged in both directions', async () => {
    const bytes = new Uint8Array(100_000).map((_, n) => n * 31)
    let got = Buffer.alloc(0)
    server.behaviour.collector = async (request, response) => {
      const chunks: Buffer[] = []
      for await (const chunk of request) chunks.push(chunk)
      got = Buffer.concat(chunks)
      response.writeHead(200, { 'content-type': request.headers['content-type'] }).end(got)
    }
    const answer = await send(`/captures/${newId()}/blobs/${'b'.repeat(64)}`, {
      method: 'PUT',
      body: bytes,
      headers: { 'content-type': 'application/octet-stream' },
    })
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/octet-stream'])
    expect(Buffer.from(await answer.arrayBuffer()).equals(bytes)).toBe(true)
    expect(got.equals(bytes)).toBe(true)
  })
  it('that is refused leaves the connection usable', async () => {
    const head = `Host: x\r\nAuthorization: Bearer ${token}\r\n`
    const chunk = `${(65_536).toString(16)}\r\n${'x'.repeat(65_536)}\r\n`
    const answers = await raw(
      server.url,
      `POST /api/v1/iods HTTP/1.1\r\n${head}Transfer-Encoding: chunked\r\n\r\n${chunk.repeat(40)}0\r\n\r\nGET /api/v1/campaigns HTTP/1.1\r\n${head}Connection: close\r\n\r\n`,
    )
    expect(answers.match(/HTTP\/1.1 \d+/g)).toEqual(['HTTP/1.1 413', 'HTTP/1.1 200'])
  })
  it('reaches its service once it is complete', async () => {
    let reached = false
    server.behaviour.iods = (request, response) => {
      reached ||= request.method === 'POST'
      request.resume().once('end', () => response.end('{}'))
    }
    const { readable, writable } = new TransformStream<Uint8Array>()
    const writer = writable.getWriter()
    void writer.write(new TextEncoder().encode('{"a":'))
    const answered = send('/iods', { method: 'POST', body: readable, duplex: 'half' })
    await expect.poll(async () => (await load()).arriving).toBe(1)
    expect((await load()).pools.iods?.active).toBe(0)
    expect(reached).toBe(false)
    await writer.close()
    expect((await answered).status).toBe(200)
    expect(reached).toBe(true)
  })
  it('that is answered before its end leaves the connection usable', async () => {
    server.behaviour.iods = (_request, response) => void response.end('{}')
    const head = `Host: x\r\nAuthorization: Bearer ${token}\r\n`
    const answers = await raw(
      server.url,
      [
        `POST /api/v1/iods HTTP/1.1\r\n${head}Content-Length: 500000\r\n\r\n${'x'.repeat(500_000)}`,
        `GET /api/v1/campaigns HTTP/1.1\r\n${head}Connection: close\r\n\r\n`,
      ].join(''),
    )
    expect(answers.match(/HTTP\/1.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 200'])
  })
})

describe('a failing service', () => {
  const readiness = async () => {
    const answer = await fetch(`${server.url}/readyz`)
    return [answer.status, await answer.json()]
  }
  it('that is down is answered with 503 at once, without effect on other services', async () => {
    for (const name of SERVICE_NAMES.filter(each => each !== 'auth')) {
      await server.stop(name)
      const path = `/${Object.keys(SERVICES[name].prefixes)[0]}`
      const begun = Date.now()
      const response = await send(path)
      await expectDetail(response, 503, DETAILS.unavailable)
      await expectDetail(await send(path, { method: 'POST', body: '{}' }), 503, DETAILS.unavailable)
      // Far below the 30 s timeout of a silent service.
      expect(Date.now() - begun).toBeLessThan(20_000)
      expect((await send('/profile/me')).status).toBe(200)
      expect((await fetch(`${server.url}/healthz`)).status).toBe(200)
      // A part that answers late counts as down.
      await expect
        .poll(readiness)
        .toMatchObject([503, { status: 'down', parts: { auth: 'up', [name]: 'down' } }])
      await server.start(name)
      expect((await send(path)).status).toBe(200)
    }
    await expect.poll(readiness).toMatchObject([200, { status: 'up' }])
  })
  it('that closes the connection without a response is answered with 503', async () => {
    server.behaviour.iods = request => request.socket.destroy()
    await expectDetail(await send('/iods'), 503, DETAILS.unavailable)
  })
  it('that interrupts its response interrupts the client’s, or is answered with 503 before any of it is sent', async () => {
    const breakOff = (length: number) => {
      server.behaviour.iods = (_request, response) => {
        response.writeHead(200, { 'content-length': String(length) }).write('[')
        setTimeout(() => response.destroy(), 50)
      }
    }
    breakOff(1_000_000)
    await expect(send('/iods').then(response => response.text())).rejects.toThrow()
    breakOff(100)
    await expectDetail(await send('/iods'), 503, DETAILS.unavailable)
    delete server.behaviour.iods
    expect((await send('/iods')).status).toBe(200)
  })
  it('that hangs is answered with 503 early, while a slow or overloaded one is awaited', async () => {
    const app = createHttpApp({ logger: createLogger('test', 'silent') })
    server.behaviour.campaigns = () => {}
    server.behaviour.iods = (request, response) =>
      void setTimeout(() => response.end('{}'), request.url === '/healthz' ? 0 : 1_500)
    // Accepts no new connection while busy, but answers on existing ones.
    server.behaviour.community = (request, response) =>
      request.url === '/healthz'
        ? undefined
        : void setTimeout(() => response.end('{}'), request.url?.endsWith('/quick') ? 100 : 1_500)
    addProxy(app, {
      routes: [
        { prefix: 'iods', service: 'iods' },
        { prefix: 'campaigns', service: 'campaigns' },
        { prefix: 'community', service: 'community' },
      ],
      addressOf: name =>
        ({ iods: server.settings.IODS_URL, community: server.settings.COMMUNITY_URL })[name as string] ??
        server.settings.CAMPAIGNS_URL,
      checkFeedKey: async () => expect.unreachable(),
      checkApiToken: async () => expect.unreachable(),
      checkSession: async () => ({ id: newId(), sid: 'any', scope: 'full' }),
      limits: createLimits(readConfig(gatewayConfigSchema, server.settings)),
      livenessMs: 300,
    })
    const url = await app.listen({ host: '127.0.0.1', port: 0 })
    const others = (async () => {
      for (let n = 0; n < 20; n++) await fetch(`${url}/api/v1/community/quick`)
    })()
    const [hangs, takesLong, isBusy] = await Promise.all(
      ['campaigns', 'iods', 'community/slow'].map(path => fetch(`${url}/api/v1/${path}`)),
    )
    await others
    delete server.behaviour.campaigns
    delete server.behaviour.iods
    delete server.behaviour.community
    await expectDetail(hangs as Response, 503, DETAILS.unavailable)
    expect([takesLong?.status, isBusy?.status]).toEqual([200, 200])
    await app.close()
  })
  it('that exceeds the timeout is answered with 504', async () => {
    const app = createHttpApp({ logger: createLogger('test', 'silent') })
    server.behaviour.iods = () => {}
    addProxy(app, {
      routes: [{ prefix: 'iods', service: 'iods', waitMs: 500 }],
      addressOf: () => server.settings.IODS_URL,
      checkFeedKey: async () => expect.unreachable(),
      checkApiToken: async () => expect.unreachable(),
      checkSession: async () => ({ id: newId(), sid: 'any', scope: 'full' }),
      limits: createLimits(readConfig(gatewayConfigSchema, server.settings)),
    })
    const url = await app.listen({ host: '127.0.0.1', port: 0 })
    await expectDetail(await fetch(`${url}/api/v1/iods`), 504, DETAILS.timeout)
    await app.close()
  })
  it('sees the connection close when the client disconnects before or during the response', async () => {
    for (const begin of [false, true]) {
      let gone = false
      let reached = false
      server.behaviour.iods = (_request, response) => {
        reached = true
        if (begin) response.writeHead(200).write('[')
        response.on('close', () => {
          gone = true
        })
      }
      const abort = new AbortController()
      const answered = send('/iods', { signal: abort.signal }).then(response => response.text())
      await expect.poll(() => reached).toBe(true)
      await sleep(50)
      abort.abort()
      await expect(answered).rejects.toThrow()
      await expect.poll(() => gone).toBe(true)
    }
  })
})
