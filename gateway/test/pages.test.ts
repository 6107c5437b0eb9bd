import { connect } from 'node:net'
import { PUBLIC_PAGES } from '@iodine/contracts'
import { samplePath } from '@iodine/test-kit'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { raw, startTestServer, type TestServer } from './test-server.js'

const SLUG = 'abcdefghij234567'
const PAGE = '<!doctype html><title>A report</title>'
const ETAG = `"${'a'.repeat(64)}"`
const LIMIT = 120
let server: TestServer
/** Whether the fixture's report is withdrawn. */
let isWithdrawn: boolean
/** Requests that reached the service. */
let seen: { method: string; url: string; headers: Record<string, unknown> }[] = []
let addresses = 0

beforeAll(async () => {
  server = await startTestServer({
    RATE_LIMITS: 'on',
    TRUST_PROXY: 'true',
    PUBLIC_URL: 'https://iodine.example.org',
  })
  server.behaviour.campaigns = ({ method = '', url = '', headers }, response) => {
    seen.push({ method, url, headers })
    const path = url.split('?', 1)[0]
    const answer = (status: number, type: string, body: string, more = {}) =>
      response
        .writeHead(status, { 'content-type': type, 'content-length': Buffer.byteLength(body), ...more })
        .end(method === 'HEAD' ? undefined : body)
    const html = 'text/html; charset=utf-8'
    if (path === `/reports/${SLUG}` || path === `/reports/${SLUG}/v1`) {
      if (isWithdrawn) return answer(410, html, '<!doctype html><title>Withdrawn</title>')
      const cache = { etag: ETAG, 'cache-control': 'public, max-age=60', 'set-cookie': 'a=b' }
      const known = (headers['if-none-match'] ?? '').split(/,\s*/)
      if (known.includes(ETAG)) return response.writeHead(304, cache).end()
      return answer(200, html, PAGE, cache)
    }
    if (path === '/reports/unread') return answer(422, 'application/json', '{"detail":["<script>"]}')
    return answer(404, 'application/json; charset=utf-8', '{"detail":"Not found"}')
  }
})
afterAll(() => server?.close())
beforeEach(() => {
  isWithdrawn = false
  seen = []
  addresses++
})

const get = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
  fetch(server.url + path, { method, headers: { 'x-forwarded-for': `198.51.100.${addresses}`, ...headers } })
const expectErrorPage = async (answer: Response, status: number) => {
  expect([answer.status, answer.headers.get('content-type')]).toEqual([status, 'text/html; charset=utf-8'])
  expect(answer.headers.get('content-security-policy')).toMatch(/^default-src 'none'; style-src 'self'/)
  expect(answer.headers.get('cache-control')).toBe('no-store')
  const text = await answer.text()
  expect(text).toMatch(/<html lang="(en|fr)">[\s\S]*<h1>[^<]+<\/h1>/)
  expect(text).not.toContain('<script')
  return text
}

describe('a published report', () => {
  it('is read without a session, a cookie or a credential', async () => {
    const { token } = await server.token()
    const checks = server.sessionChecks()
    for (const authorization of ['', `Bearer ${token}`, 'Bearer none', 'Basic bm9uZQ==']) {
      const answer = await get(`/reports/${SLUG}`, { authorization, cookie: 'session=1', range: 'bytes=0-1' })
      expect([answer.status, await answer.text()]).toEqual([200, PAGE])
      expect(answer.headers.get('set-cookie')).toBeNull()
      expect(answer.headers.get('cache-control')).toBe('public, max-age=60')
      expect(answer.headers.get('content-security-policy')).toBe(
        "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
      )
      expect(answer.headers.get('x-content-type-options')).toBe('nosniff')
      expect(Object.keys(seen.at(-1)?.headers ?? {})).not.toEqual(
        expect.arrayContaining([expect.stringMatching(/^(authorization|cookie|range)$/)]),
      )
    }
    expect(server.sessionChecks()).toBe(checks)
    expect(seen.at(-1)?.headers).toMatchObject({
      'x-forwarded-host': 'iodine.example.org',
      'x-forwarded-proto': 'https',
    })
  })
  it('is answered to HEAD, and by 304 to one of 200 entity tags', async () => {
    const head = await get(`/reports/${SLUG}/v1`, {}, 'HEAD')
    expect([head.status, head.headers.get('etag'), await head.text()]).toEqual([200, ETAG, ''])
    const tags = Array.from({ length: 199 }, (_, n) => `"${String(n).padStart(64, '0')}"`)
    const answer = await get(`/reports/${SLUG}`, { 'if-none-match': [...tags, ETAG].join(', ') })
    expect([answer.status, await answer.text()]).toEqual([304, ''])
  })
  it('is gone at the next request after its withdrawal', async () => {
    expect((await get(`/reports/${SLUG}`)).status).toBe(200)
    isWithdrawn = true
    const answer = await get(`/reports/${SLUG}`, { 'if-none-match': ETAG })
    expect([answer.status, await answer.text()]).toEqual([410, expect.stringContaining('Withdrawn')])
  })
  it('is found at every path of the contracts', async () => {
    for (const { spec, service } of PUBLIC_PAGES) {
      const path = samplePath(spec.path)
      await get(`${path}?x=1`)
      expect([service, seen.at(-1)?.url]).toEqual(['campaigns', `${path}?x=1`])
    }
  })
})

describe('an error page', () => {
  it.each([
    `/reports/${SLUG.toUpperCase()}`,
    `/reports/${SLUG}/v0`,
    `/reports/${SLUG}/v-1`,
    `/reports/${SLUG}/v1e9`,
    `/reports/${SLUG}/..%2f..%2fapi`,
    `/reports/..%2f${SLUG}`,
    `/reports/${SLUG}/v1/x/y`,
    '/reports/%00',
    '/oembed/x',
  ])('answers %s', async path => {
    await expectErrorPage(await get(path), 404)
  })
  it('contains nothing of the answer that it replaces', async () => {
    await expectErrorPage(await get('/reports/unread'), 422)
  })
  it('answers other methods, which do not reach the service', async () => {
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE'])
      await expectErrorPage(await get(`/reports/${SLUG}`, {}, method), 404)
    expect(seen).toEqual([])
  })
  it('is in the language that the browser prefers', async () => {
    const french = await expectErrorPage(await get('/reports/none', { 'accept-language': 'fr-CA,en' }), 404)
    expect(french).toContain('Cette page n’existe pas')
    const other = await expectErrorPage(await get('/reports/none', { 'accept-language': 'en, fr' }), 404)
    expect(other).toContain('There is no such page')
  })
  it('answers 503 while the service is down', async () => {
    await server.stop('campaigns')
    const answer = await get(`/reports/${SLUG}`)
    await server.start('campaigns')
    expect(answer.headers.get('retry-after')).toBe('5')
    await expectErrorPage(answer, 503)
  })
})

describe('limits of readers', () => {
  it('count each address, apart from the API', async () => {
    const statuses: number[] = []
    for (let n = 0; n < LIMIT; n++) statuses.push((await get(`/reports/${SLUG}`)).status)
    expect(new Set(statuses)).toEqual(new Set([200]))
    const answer = await get(`/reports/${SLUG}`)
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0)
    await expectErrorPage(answer, 429)
    const { token } = await server.token()
    expect((await get('/api/v1/iods', { authorization: `Bearer ${token}` })).status).toBe(200)
    addresses++
    expect((await get(`/reports/${SLUG}`)).status).toBe(200)
  })
  it('leave the service to others while one reader uses 500 sockets', async () => {
    const held: (() => void)[] = []
    const usual = server.behaviour.campaigns
    server.behaviour.campaigns = (request, response) => {
      if (request.headers['x-forwarded-for'] === '198.51.100.250') {
        held.push(() => response.writeHead(200, { 'content-length': 2 }).end('ok'))
        return
      }
      usual?.(request, response)
    }
    const head = `GET /reports/${SLUG} HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: 198.51.100.250\r\n\r\n`
    const sockets = Array.from({ length: 500 }, () => connect(Number(new URL(server.url).port), '127.0.0.1'))
    for (const socket of sockets) socket.on('error', () => {}).write(head)
    // At most 64 of them wait for one of 10 connections, the others are refused.
    let refused = 0
    for (const socket of sockets)
      socket.on('data', data => {
        if (/^HTTP\/1.1 429 /.test(data.toString())) refused++
      })
    await expect.poll(() => [held.length, refused], { timeout: 20_000 }).toEqual([10, 436])
    expect((await get(`/reports/${SLUG}`)).status).toBe(200)
    const { token } = await server.token()
    expect((await get('/api/v1/campaigns', { authorization: `Bearer ${token}` })).status).not.toBe(429)
    for (const socket of sockets) socket.destroy()
    for (const answer of held) answer()
    server.behaviour.campaigns = usual
  })
})

it('serves a robots.txt that lets crawlers read the reports', async () => {
  const answer = await get('/robots.txt')
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/plain; charset=utf-8'])
  expect(await answer.text()).toContain('\nAllow: /reports\n')
})

it('closes a connection that asks for a report over HTTP/1.0', async () => {
  expect(await raw(server.url, `GET /reports/${SLUG} HTTP/1.0\r\n\r\n`)).toMatch(/^HTTP\/1.1 200 /)
})
