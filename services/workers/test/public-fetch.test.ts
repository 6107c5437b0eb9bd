import type { LookupAddress } from 'node:dns'
import { gzipSync } from 'node:zlib'
import { type Feed, PUBLIC_FEED_HOST, startFeed } from '@iodine/test-kit/feed'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import {
  createPublicFetch,
  isPublicAddress,
  type PublicFetch,
  type PublicFetchOptions,
} from '../src/feeds/public-fetch.js'

const MIB = 1_048_576

let feed: Feed
const open: PublicFetch[] = []

beforeAll(async () => {
  feed = await startFeed(() => {})
})
afterAll(async () => {
  for (const each of open) await each.close()
  await feed?.stop()
})
beforeEach(() => feed.answer((_url, _request, response) => response.end('fine')))

const client = (options: PublicFetchOptions = {}) => {
  const made = createPublicFetch({ ca: feed.ca, ...options })
  open.push(made)
  return made
}
/** Creates a client that may request the feed as a host of the deployment's own network. */
const own = () => client({ allow: [feed.host] })
const get = (fetch: PublicFetch, url = feed.url, options: { bytesMax?: number; ms?: number } = {}) =>
  fetch.get(new URL(url), { bytesMax: MIB, ...options })
const refusal = (answer: Promise<unknown>) =>
  answer.then(
    () => 'answered',
    (error: Error) => error.message,
  )

it.each([
  ['0.0.0.0', '10.1.2.3', '100.64.0.1', '127.0.0.1', '169.254.169.254', '172.16.0.1', '192.168.1.1'],
  ['192.0.0.8', '192.0.2.1', '198.18.0.1', '198.51.100.1', '203.0.113.1', '224.0.0.1', '255.255.255.255'],
  [
    '::',
    '::1',
    '::127.0.0.1',
    '::ffff:127.0.0.1',
    '::ffff:8.8.8.8',
    'fe80::1',
    'fec0::1',
    'fd00::1',
    'ff02::1',
  ],
  // NAT64, 6to4, Teredo, documentation, unassigned.
  [
    '64:ff9b::7f00:1',
    '64:ff9b::8.8.8.8',
    '64:ff9b:1::1',
    '2002:7f00:1::',
    '2001::1',
    '2001:db8::1',
    '4000::1',
  ],
  ['', 'localhost', '1', '0x7f.1', 'fe80::1%eth0'],
])('classifies none of %s, %s, %s … as public', (...addresses) => {
  expect(addresses.filter(isPublicAddress)).toEqual([])
})
it('classifies addresses of the internet as public', () => {
  expect(['8.8.8.8', '192.30.255.1', '2606:4700::1111', '2a00:1450::1'].every(isPublicAddress)).toBe(true)
})

it.each([
  ['http://example.org/', 'must begin with https'],
  ['ftp://example.org/', 'must begin with https'],
  ['https://ana:secret@example.org/', 'a user or a password'],
  ['https://example.org:22/', 'port 22 is not allowed'],
  ['https://example.org:6379/', 'port 6379 is not allowed'],
  ['https://127.0.0.1/', 'not public'],
  ['https://2130706433/', 'not public'],
  ['https://0x7f.1/', 'not public'],
  ['https://[::1]/', 'not public'],
  ['https://[::ffff:10.0.0.1]/', 'not public'],
  ['https://[64:ff9b::a00:1]/', 'not public'],
  ['https://169.254.169.254/latest/meta-data/', 'not public'],
])('refuses %s without a connection', async (url, why) => {
  const message = await refusal(get(client(), url))
  expect(message).toContain(why)
  expect(message).not.toContain('secret')
})

it.each([
  ['a private address', ['10.0.0.1']],
  ['the machine itself', ['127.0.0.1']],
  ['a public address and a private one', ['93.184.215.14', '192.168.0.1']],
  ['NAT64', ['64:ff9b::7f00:1']],
])('refuses a name that has %s', async (_, addresses) => {
  const resolve: PublicFetchOptions['resolve'] = (_hostname, done) =>
    done(
      null,
      addresses.map(address => ({ address, family: address.includes(':') ? 6 : 4 })),
    )
  expect(await refusal(get(client({ resolve }), 'https://feed.example/'))).toContain('not public')
})

it('connects to the address that it has checked, even if the name changes', async () => {
  feed.asked.length = 0
  /** An unassigned address, at which no host answers. */
  const nobody: LookupAddress[] = [{ address: '2d00::1', family: 6 }]
  const itself: LookupAddress[] = [{ address: '127.0.0.1', family: 4 }]
  let asked = 0
  const resolve: PublicFetchOptions['resolve'] = (_hostname, done) =>
    done(null, asked++ === 0 ? nobody : itself)
  // The feed's own port, so that it would be reached if the second answer counted.
  const fetch = client({ resolve, ports: new Set([String(feed.port)]) })
  const url = `https://${PUBLIC_FEED_HOST}:${feed.port}/`
  expect(await refusal(get(fetch, url, { ms: 500 }))).toMatch(/cannot be reached|too long|in time/)
  // Only the checked address of the single lookup was tried.
  expect(asked).toBe(1)
  expect(await refusal(get(fetch, url))).toContain('not public')
  expect(asked).toBe(2)
  expect(feed.asked).toEqual([])
  // The same name and address, allowed by the deployment.
  const allowed = client({ resolve, allow: [`${PUBLIC_FEED_HOST}:${feed.port}`] })
  expect((await get(allowed, url)).body.toString()).toBe('fine')
})

it('requests a host of the own network only if it is listed with its port', async () => {
  expect((await get(own())).body.toString()).toBe('fine')
  expect(await refusal(get(client(), feed.url))).toContain(`port ${feed.port} is not allowed`)
  expect(await refusal(get(client({ allow: ['localhost:1'] }), feed.url))).toContain('is not allowed')
  // Listed with another port.
  expect(await refusal(get(own(), 'https://localhost/'))).toContain('not public')
})

it('rejects an untrusted certificate', async () => {
  expect(await refusal(get(client({ allow: [feed.host], ca: undefined })))).toContain(
    'certificate is not trusted',
  )
})

it('follows no redirect', async () => {
  feed.asked.length = 0
  for (const status of [301, 302, 303, 307, 308]) {
    feed.answer((_url, _request, response) =>
      response.writeHead(status, { location: 'https://127.0.0.1:1/latest' }).end(),
    )
    expect(await refusal(get(own()))).toContain('redirects')
  }
  expect(feed.asked.length).toBe(5)
})

it('reads at most the maximum number of bytes, compressed or not', async () => {
  const endless: Parameters<Feed['answer']>[0] = (_url, _request, response) => {
    const chunk = Buffer.alloc(65_536, 'x')
    const push = () => {
      while (!response.destroyed && response.write(chunk));
    }
    response.on('drain', push)
    push()
  }
  feed.answer(endless)
  expect(await refusal(get(own(), feed.url, { bytesMax: 200_000 }))).toContain('more than 200,000 bytes')
  const bomb = gzipSync(Buffer.alloc(64 * MIB))
  expect(bomb.length).toBeLessThan(100_000)
  feed.answer((_url, _request, response) => response.setHeader('content-encoding', 'gzip').end(bomb))
  expect(await refusal(get(own(), feed.url, { bytesMax: MIB }))).toContain('more than 1,048,576 bytes')
  feed.answer((_url, _request, response) =>
    response.setHeader('content-encoding', 'gzip').end(gzipSync('unpacked')),
  )
  expect((await get(own())).body.toString()).toBe('unpacked')
  feed.answer((_url, _request, response) => response.setHeader('content-encoding', 'gzip').end('not packed'))
  expect(await refusal(get(own()))).toContain('not valid gzip')
  feed.answer((_url, _request, response) => response.setHeader('content-encoding', 'br').end('x'))
  expect(await refusal(get(own()))).toContain('unsupported content encoding')
})

it('stops at the timeout, before or after the first byte', async () => {
  feed.answer(() => {})
  expect(await refusal(get(own(), feed.url, { ms: 200 }))).toContain('too long')
  feed.answer((_url, _request, response) => {
    const timer = setInterval(() => response.write('.'), 20)
    response.on('close', () => clearInterval(timer))
  })
  expect(await refusal(get(own(), feed.url, { ms: 300 }))).toContain('too long')
})

it('rejects endless headers', async () => {
  feed.answer((_url, _request, response) => {
    for (let n = 0; n < 40; n++) response.setHeader(`x-${n}`, 'x'.repeat(1_000))
    response.end()
  })
  expect(await refusal(get(own()))).toContain('headers of the response are too large')
})

it('describes the reason of a failure', async () => {
  const gone = await startFeed(() => {})
  await gone.stop()
  expect(await refusal(get(client({ allow: [gone.host] }), gone.url))).toContain('refused the connection')
  const resolve: PublicFetchOptions['resolve'] = (_hostname, done) =>
    done(Object.assign(new Error('x'), { code: 'ENOTFOUND' }), [])
  expect(await refusal(get(client({ resolve }), 'https://feed.example/'))).toContain('not known')
})
