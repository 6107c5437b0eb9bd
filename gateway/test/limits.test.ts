import { channel } from 'node:diagnostics_channel'
import { API_BASE, DETAILS, OPERATIONS } from '@iodine/contracts'
import { addressKey } from '@iodine/service-kit'
import { samplePath } from '@iodine/test-kit'
import type { FastifyInstance } from 'fastify'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestServer, type TestServer } from './test-server.js'

const LIMIT = 3
/** All routes that the gateway registers. */
let registered: { method: string; url: string }[] = []
let server: TestServer
beforeAll(async () => {
  const note = (message: unknown) => {
    const { fastify } = message as { fastify: FastifyInstance }
    const routes: typeof registered = []
    fastify.addHook('onRoute', ({ method, url }) => {
      for (const each of [method].flat()) routes.push({ method: each, url })
      // Only the gateway among the started apps has /remotes.json.
      if (url === '/remotes.json') registered = routes
    })
  }
  const created = channel('fastify.initialization')
  created.subscribe(note)
  server = await startTestServer({
    RATE_LIMITS: 'on',
    TRUST_PROXY: 'true',
    USER_REQUESTS_A_MINUTE: String(LIMIT),
    STRANGER_REQUESTS_A_MINUTE: String(LIMIT),
    REPORT_REQUESTS_A_MINUTE: String(LIMIT),
    PAGE_REQUESTS_A_MINUTE: String(LIMIT),
  })
  created.unsubscribe(note)
})
afterAll(() => server?.close())

let addresses = 0
const newAddress = () => `198.51.${++addresses >> 8}.${addresses & 255}`
const send = (method: string, path: string, from: string, token?: string) =>
  fetch(server.url + path, {
    method,
    redirect: 'manual',
    headers: { 'x-forwarded-for': from, ...(token && { authorization: `Bearer ${token}` }) },
  })
/** Expects 429 after the allowed number of requests. */
const expectLimited = async (ask: () => Promise<Response>, isHead = false) => {
  for (let n = 0; n < LIMIT; n++) {
    const { status } = await ask()
    expect(status).not.toBe(429)
  }
  const answer = await ask()
  expect(answer.status).toBe(429)
  if (!isHead) expect(await answer.json()).toEqual({ detail: DETAILS.tooManyRequests })
  const wait = Number(answer.headers.get('retry-after'))
  expect(wait).toBeGreaterThan(0)
  expect(wait).toBeLessThanOrEqual(60)
}

describe('each operation of the contracts is limited', () => {
  const operations = OPERATIONS.map(({ name, spec }) => ({
    name,
    spec,
    path: API_BASE + samplePath(spec.path),
  }))
  it.each(operations)('$name', async ({ spec, path }) => {
    const stranger = newAddress()
    await expectLimited(() => send(spec.method, path, stranger))
    // Clients at other addresses are not limited.
    expect((await send(spec.method, path, newAddress())).status).not.toBe(429)
    if (spec.access === 'anyone') return
    const { token } = await server.token()
    const reached = server.seen.length
    await expectLimited(() => send(spec.method, path, newAddress(), token))
    expect(server.seen.length - reached).toBe(LIMIT)
    // Signed-in users at the same address are not limited either.
    expect((await send(spec.method, path, stranger, (await server.token()).token)).status).toBe(200)
  })
})

it('limits every other route and unknown paths', async () => {
  const others = registered.filter(
    ({ url }) =>
      !/^(\/api\/v1\/[a-z]+|\/taxii2|\/feeds|\/reports|\/oembed)(\/\*)?$/.test(url) || /\/docs/.test(url),
  )
  expect(others.length).toBeGreaterThan(10)
  expect(others.map(({ url }) => url)).toContain('/readyz')
  const paths = others.map(({ method, url }) => ({
    method,
    path: url.replace(/^\*/, '/any').replace('*', 'anything').replace(/:\w+/g, 'mfe-any'),
  }))
  for (const { method, path } of [
    ...paths,
    { method: 'GET', path: '/none' },
    { method: 'OPTIONS', path: '/api/v1/iods' },
  ]) {
    const from = newAddress()
    await expectLimited(() => send(method, path, from), method === 'HEAD')
  }
})

it('ignores client addresses that no trusted proxy has written', async () => {
  for (const [trust, forged] of [
    ['false', (n: number) => `203.0.113.${n}`],
    // The trusted proxy appends its entry last: here the client's address.
    ['1', (n: number) => `203.0.113.${n}, 198.51.100.7`],
    ['127.0.0.1', (n: number) => `203.0.113.${n}, 198.51.100.7`],
  ] as const) {
    const strict = await startTestServer({
      RATE_LIMITS: 'on',
      TRUST_PROXY: trust,
      STRANGER_REQUESTS_A_MINUTE: '3',
    })
    const ask = (n: number) =>
      fetch(`${strict.url}/api/v1/auth/verify-magic-link`, {
        method: 'POST',
        headers: {
          'x-forwarded-for': forged(n),
          'x-real-ip': `203.0.113.${n}`,
          forwarded: `for=203.0.113.${n}`,
        },
      })
    const statuses = []
    for (let n = 1; n <= 5; n++) statuses.push((await ask(n)).status)
    expect([trust, statuses]).toEqual([trust, [200, 200, 200, 429, 429]])
    await strict.close()
  }
})

describe('the client address in headers of a trusted proxy', () => {
  const trusting = async (
    trust: string,
    use: (ask: (headers: HeadersInit) => Promise<string>) => unknown,
  ) => {
    const other = await startTestServer({ TRUST_PROXY: trust })
    try {
      await use(async headers => {
        await fetch(`${other.url}/api/v1/auth/verify-magic-link`, { method: 'POST', headers })
        return String(other.seen.at(-1)?.headers['x-forwarded-for'])
      })
    } finally {
      await other.close()
    }
  }
  it('is read with ports, brackets, zones and mapped addresses', () =>
    trusting('1', async ask => {
      for (const [written, address] of [
        ['203.0.113.9:40000', '203.0.113.9'],
        ['\t203.0.113.9 ', '203.0.113.9'],
        ['198.51.100.1, , 203.0.113.9,', '203.0.113.9'],
        ['[2001:db8::1]:443', '2001:db8::1'],
        ['[2001:db8::1]', '2001:db8::1'],
        ['2001:DB8:0:0:0:0:0:1', '2001:db8::1'],
        ['2001:db8:0:0:0:0:0:1:443', '2001:db8::1'],
        ['fe80::1%eth0', 'fe80::1'],
        ['[fe80::1%25eth0]:80', 'fe80::1'],
        ['::ffff:203.0.113.9', '203.0.113.9'],
        ['[::ffff:cb00:7109]:1', '203.0.113.9'],
      ])
        expect([written, await ask({ 'x-forwarded-for': written as string })]).toEqual([written, address])
    }))
  it('is read from Forwarded if X-Forwarded-For is absent', () =>
    trusting('1', async ask => {
      for (const [written, address] of [
        ['for=203.0.113.9', '203.0.113.9'],
        ['For="203.0.113.9:40000";proto=https;by=10.0.0.1', '203.0.113.9'],
        ['proto=https;for="[2001:db8::1]:443"', '2001:db8::1'],
        ['for="[2001:db8::1]:_hidden"', '2001:db8::1'],
        ['for=198.51.100.1, for="\\203.0.113.9"', '203.0.113.9'],
        ['host=";for=198.51.100.1";for=203.0.113.9', '203.0.113.9'],
        // An unclosed quote by the client hides the proxy's element: the proxy's address counts.
        ['for=198.51.100.1;x=", for="[2001:db8::1]:443"', '127.0.0.1'],
        ['for=_hidden', '127.0.0.1'],
        ['for=198.51.100.1, for=unknown', '127.0.0.1'],
        ['', '127.0.0.1'],
      ])
        expect([written, await ask({ forwarded: written as string })]).toEqual([written, address])
      expect(await ask({ forwarded: 'for=198.51.100.1', 'x-forwarded-for': '203.0.113.9:1' })).toBe(
        '203.0.113.9',
      )
    }))
  it('falls back to the proxy’s address for an invalid value', () =>
    trusting('true', async ask => {
      for (const written of [
        'unknown',
        '203.0.113.9, nonsense',
        '1.2.3.4:',
        '0x7f.1',
        '999.1.1.1',
        '::1]',
        ',',
      ])
        expect([written, await ask({ 'x-forwarded-for': written })]).toEqual([written, '127.0.0.1'])
    }))
  it('is the last one that belongs to no trusted proxy', () =>
    trusting('127.0.0.1, 10.0.0.0/8, 2001:db8::/32', async ask => {
      for (const written of [
        '198.51.100.1, 203.0.113.9:7, 10.1.1.1:80',
        '198.51.100.1, 203.0.113.9, [2001:db8::5]:80, ::ffff:10.0.0.1',
      ])
        expect([written, await ask({ 'x-forwarded-for': written })]).toEqual([written, '203.0.113.9'])
    }))
})

it('counts an IPv6 address by its /64 network', () => {
  expect(addressKey('2001:db8:1:2:3:4:5:6')).toBe('2001:db8:1:2::/64')
  expect(addressKey('2001:DB8:1:2::ffff')).toBe('2001:db8:1:2::/64')
  expect(addressKey('2001:db8::1')).toBe('2001:db8:0:0::/64')
  expect(addressKey('::1')).toBe('0:0:0:0::/64')
  expect(addressKey('::ffff:192.0.2.7')).toBe('192.0.2.7')
  expect(addressKey('::ffff:c000:207')).toBe('192.0.2.7')
  expect(addressKey('192.0.2.7')).toBe('192.0.2.7')
  expect(addressKey('192.0.2.7:40000')).toBe('192.0.2.7')
  expect(addressKey('[2001:db8:1:2::9]:443')).toBe('2001:db8:1:2::/64')
})
