import { DETAILS, FEEDS, type FeedKeyReads, TAXII_TYPE } from '@iodine/contracts'
import { hashOf } from '@iodine/service-kit'
import { samplePath } from '@iodine/test-kit'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { startTestServer, type TestServer } from './test-server.js'

const KEY = 'iodine_feed_abc'
const LIMIT = 20
let server: TestServer
/** Hashes of live keys. */
const live = new Set<string>()
let checks = 0
let limited = 0
let reads: FeedKeyReads

beforeAll(async () => {
  server = await startTestServer({
    RATE_LIMITS: 'on',
    FEED_REQUESTS_A_MINUTE: String(LIMIT),
    STRANGER_REQUESTS_A_MINUTE: '1000',
    PUBLIC_URL: 'https://iodine.example.org',
  })
  server.behaviour.auth = async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const { hash } = JSON.parse(Buffer.concat(chunks).toString())
    // The gateway also reports its settings, until they are accepted.
    if (hash) checks++
    const [status, body] = live.has(hash)
      ? [
          200,
          { id: limited.toString(16).padStart(24, '0'), user_id: 'b'.repeat(24), reads, token: 'a-token' },
        ]
      : [404, { detail: 'Not found' }]
    response.writeHead(status as number, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  }
})
afterAll(() => server?.close())
beforeEach(() => {
  live.clear()
  live.add(hashOf(KEY))
  reads = 'campaigns'
  // A separate key id for each test: limits are per key.
  limited++
})

const send = (path: string, authorization = `Bearer ${KEY}`, method = 'GET') =>
  fetch(server.url + path, { method, headers: { ...(authorization && { authorization }) } })
const basic = (name: string, key: string) => `Basic ${Buffer.from(`${name}:${key}`).toString('base64')}`

it('forwards the service token of the key, never the key', async () => {
  for (const { service, spec } of FEEDS) {
    const path = samplePath(spec.path)
    reads = service === 'notifications' ? 'notifications' : 'campaigns'
    for (const url of [path, `${path}/`, `${path}?limit=1`]) {
      const answer = await send(url)
      expect([url, answer.status, await answer.json()]).toEqual([url, 200, { service }])
      const { headers, ...seen } = server.seen.at(-1) ?? expect.unreachable()
      expect(seen).toMatchObject({ service, method: 'GET', url })
      expect(headers).toMatchObject({
        authorization: 'Bearer a-token',
        'x-forwarded-host': 'iodine.example.org',
        'x-forwarded-proto': 'https',
      })
      expect(JSON.stringify(headers)).not.toContain(KEY)
    }
    limited++
  }
})

it('accepts the key as the password of Basic with any user name', async () => {
  for (const authorization of [basic('me', KEY), basic('', KEY), `bearer ${KEY}`])
    expect((await send('/taxii2/', authorization)).status).toBe(200)
  live.add(hashOf('with:colons:'))
  expect((await send('/taxii2/', basic('me', 'with:colons:'))).status).toBe(200)
})

it('rejects an invalid key with a TAXII error and a challenge', async () => {
  const { token } = await server.token()
  for (const authorization of [
    '',
    'Bearer unknown',
    `Bearer ${token}`,
    basic(KEY, ''),
    basic(KEY, 'unknown'),
    `Basic ${Buffer.from(KEY).toString('base64')}`,
    'Basic !',
    `Digest ${KEY}`,
    `Bearer ${'x'.repeat(5_000)}`,
  ]) {
    for (const path of ['/taxii2/', '/taxii2/iodine/collections/', '/taxii2/none']) {
      const answer = await send(path, authorization)
      expect([authorization, answer.status]).toEqual([authorization, 401])
      expect(answer.headers.get('www-authenticate')).toBe('Basic realm="feeds", charset="UTF-8"')
      expect(answer.headers.get('content-type')).toBe(TAXII_TYPE)
      expect(await answer.json()).toMatchObject({ title: DETAILS.unauthenticated, http_status: '401' })
    }
  }
})

it('checks a key at each request', async () => {
  expect((await send('/taxii2/')).status).toBe(200)
  const before = checks
  live.clear()
  expect((await send('/taxii2/')).status).toBe(401)
  expect(checks).toBe(before + 1)
})

it('rejects a key at the feeds of the other kind', async () => {
  for (const { service, spec } of FEEDS) {
    reads = service === 'notifications' ? 'campaigns' : 'notifications'
    const answer = await send(samplePath(spec.path))
    expect([spec.path, answer.status]).toEqual([spec.path, 403])
    expect(await answer.text()).toContain(DETAILS.feedKeyReads)
  }
})

it('rejects a feed key at the API', async () => {
  for (const authorization of [`Bearer ${KEY}`, basic('me', KEY)])
    expect((await send('/api/v1/campaigns', authorization)).status).toBe(401)
})

it('serves only GET and HEAD of known endpoints', async () => {
  for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
    const answer = await send('/taxii2/iodine/collections/x/objects/', `Bearer ${KEY}`, method)
    expect([answer.status, (await answer.json()).http_status]).toEqual([403, '403'])
  }
  for (const path of ['/taxii2/none/', '/taxii2/iodine/status/1/', '/taxii2/../api', '/taxii2/x/%2e%2e/y'])
    expect([path, (await send(path)).status]).toEqual([path, 404])
  expect((await send('/taxii2/', `Bearer ${KEY}`, 'HEAD')).status).toBe(200)
})

it('limits requests per key', async () => {
  const statuses: number[] = []
  for (let n = 0; n <= LIMIT; n++) statuses.push((await send('/taxii2/')).status)
  expect(statuses.at(-1)).toBe(429)
  expect(statuses.slice(0, LIMIT).every(status => status === 200)).toBe(true)
  const answer = await send('/taxii2/')
  expect(await answer.json()).toMatchObject({ title: DETAILS.tooManyRequests, http_status: '429' })
  expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0)
  limited++
  expect((await send('/taxii2/')).status).toBe(200)
})

it('answers 503 while auth or the service is down', async () => {
  await server.stop('campaigns')
  const down = await send('/taxii2/')
  expect([down.status, (await down.json()).http_status]).toEqual([503, '503'])
  await server.start('campaigns')
  await server.stop('auth')
  expect((await send('/taxii2/')).status).toBe(503)
  await server.start('auth')
  expect((await send('/taxii2/')).status).toBe(200)
})
