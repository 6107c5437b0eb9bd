import { mock } from 'node:test'
import { API_SCOPES, DETAILS, missingScope, OPERATIONS, SOURCES } from '@iodine/contracts'
import { connectRedis, SESSION_CACHE_MS, SESSION_REVOKED, sessionKey } from '@iodine/service-kit'
import { samplePath } from '@iodine/test-kit'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import {
  LONG_REDIS_TIMEOUT,
  startServerWithRedisLink,
  startTestServer,
  type TestServer,
} from './test-server.js'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer({}, LONG_REDIS_TIMEOUT)
})
afterEach(() => mock.timers.reset())
afterAll(() => server?.close())

const ask = (bearer: string, path = '/iods', method = 'GET', at = server) =>
  fetch(`${at.url}/api/v1${path}`, { method, headers: { authorization: `Bearer ${bearer}` } })
const statusOf = async (...args: Parameters<typeof ask>) => (await ask(...args)).status
const expectRefused = async (response: Response) =>
  expect([response.status, await response.json()]).toEqual([401, { detail: DETAILS.unauthenticated }])
const keyOf = (hash: string, at = server) => sessionKey(at.settings.REDIS_PREFIX ?? '', hash)

it('forwards the service token of auth, never the API token', async () => {
  const { secret, token } = await server.apiToken(['read'])
  server.seen.length = 0
  expect(await statusOf(secret)).toBe(200)
  expect(server.seen.map(({ headers }) => headers.authorization)).toEqual([`Bearer ${token}`])
  // A public operation receives no token.
  expect(await statusOf(secret, '/seals/checkpoint')).toBe(200)
  expect(server.seen.at(-1)?.headers.authorization).toBeUndefined()
  expect(JSON.stringify(server.seen)).not.toContain(secret)
  // The service token is neither a session nor an API token.
  await expectRefused(await ask(token))
})

it('forwards the operations of a token’s scopes and rejects all others', async () => {
  for (const scope of API_SCOPES) {
    const { secret } = await server.apiToken([scope])
    for (const { spec } of OPERATIONS)
      for (const source of spec.path.includes(':source') ? SOURCES : ['']) {
        const path = samplePath(spec.path, source)
        server.seen.length = 0
        const answer = await ask(secret, path, spec.method)
        const isOpen = spec.access === 'anyone' || spec.scopes?.includes(scope)
        expect([spec.method, path, answer.status]).toEqual([spec.method, path, isOpen ? 200 : 403])
        expect(server.seen).toHaveLength(isOpen ? 1 : 0)
        if (isOpen) continue
        expect(await answer.json()).toEqual({
          detail: spec.scopes ? missingScope(spec.scopes) : DETAILS.apiTokenRefused,
        })
        expect(answer.headers.get('www-authenticate')).toBe(
          spec.scopes ? `Bearer error="insufficient_scope", scope="${spec.scopes.join(' ')}"` : null,
        )
      }
    // Paths outside the contracts are closed as well.
    expect(await statusOf(secret, '/iods/unknown/route')).toBe(404)
    expect(await statusOf(secret, '/iods', 'HEAD')).toBe(scope === 'read' ? 200 : 403)
  }
})

it.each([
  '',
  'iodine_api_',
  `iodine_api_${'x'.repeat(42)}`,
  `iodine_api_${'x'.repeat(44)}`,
  `iodine_api_${'x'.repeat(42)}!`,
  `iodine_feed_${'x'.repeat(43)}`,
  `IODINE_API_${'x'.repeat(43)}`,
])('rejects a malformed token (%j) without a query to auth', async given => {
  const before = server.tokenChecks()
  await expectRefused(await ask(given))
  expect(server.tokenChecks()).toBe(before)
})

it('queries auth about a token once a minute', async () => {
  const { secret, hash } = await server.apiToken(['read'])
  const before = server.tokenChecks()
  const statuses = await Promise.all(Array.from({ length: 40 }, () => statusOf(secret)))
  expect(new Set(statuses)).toEqual(new Set([200]))
  for (let n = 0; n < 100; n++) await statusOf(secret)
  expect(server.tokenChecks()).toBe(before + 1)
  mock.timers.enable({ apis: ['Date'], now: Date.now() + SESSION_CACHE_MS })
  expect(await statusOf(secret)).toBe(200)
  expect(server.tokenChecks()).toBe(before + 2)
  // The next query detects a revocation without a tombstone.
  server.liveTokens.delete(hash)
  mock.timers.reset()
  mock.timers.enable({ apis: ['Date'], now: Date.now() + 2 * SESSION_CACHE_MS })
  await expectRefused(await ask(secret))
})

it('rejects a revoked token at the next request', async () => {
  const { secret, hash } = await server.apiToken(['read'])
  expect(await statusOf(secret)).toBe(200)
  const redis = await connectRedis(server.settings.REDIS_URL ?? '')
  await redis.set(keyOf(hash), SESSION_REVOKED)
  const before = server.tokenChecks()
  await expectRefused(await ask(secret))
  expect(server.tokenChecks()).toBe(before)
  redis.disconnect()
})

it('rejects an expired token, also from the cache', async () => {
  const { secret } = await server.apiToken(['read'], 30_000)
  expect(await statusOf(secret)).toBe(200)
  mock.timers.enable({ apis: ['Date'], now: Date.now() + 30_001 })
  await expectRefused(await ask(secret))
  mock.timers.reset()
  await server.stop('auth')
  mock.timers.enable({ apis: ['Date'], now: Date.now() + 30_001 })
  const answer = await ask(secret)
  mock.timers.reset()
  await server.start('auth')
  await expectRefused(answer)
})

it('accepts cached tokens while auth is down, answers 503 for unknown and 401 for revoked ones', async () => {
  const [seen, unseen, revoked] = [
    await server.apiToken(['read']),
    await server.apiToken(['read']),
    await server.apiToken(['read']),
  ]
  for (const { secret } of [seen, revoked]) expect(await statusOf(secret)).toBe(200)
  const redis = await connectRedis(server.settings.REDIS_URL ?? '')
  await redis.set(keyOf(revoked.hash), SESSION_REVOKED)
  redis.disconnect()
  mock.timers.enable({ apis: ['Date'], now: Date.now() + SESSION_CACHE_MS })
  await server.stop('auth')
  const statuses = [seen, unseen, revoked].map(({ secret }) => statusOf(secret))
  const answered = await Promise.all(statuses)
  await server.start('auth')
  expect(answered).toEqual([200, 503, 401])
})

it('answers 503 if Redis lost its data and auth is down', async () => {
  const { secret } = await server.apiToken(['read'])
  expect(await statusOf(secret)).toBe(200)
  const redis = await connectRedis(server.settings.REDIS_URL ?? '')
  await redis.flushall()
  redis.disconnect()
  await server.stop('auth')
  const answer = await statusOf(secret)
  await server.start('auth')
  expect([answer, await statusOf(secret)]).toEqual([503, 200])
})

it('queries auth at each request during and shortly after an outage of Redis', async () => {
  const { server: other, redis: own, link, close } = await startServerWithRedisLink()
  const [ended, seen, revoked] = [
    await other.apiToken(['read']),
    await other.apiToken(['read']),
    await other.apiToken(['read']),
  ]
  const status = ({ secret }: typeof ended) => statusOf(secret, '/iods', 'GET', other)
  for (const each of [ended, seen, revoked]) expect(await status(each)).toBe(200)
  link.set('reset')
  const before = other.tokenChecks()
  await expect
    .poll(async () => (await status(revoked)) === 200 && other.tokenChecks() > before + 1)
    .toBe(true)
  // One revocation reaches only auth's database, the other only Redis.
  other.liveTokens.delete(ended.hash)
  await own.set(keyOf(revoked.hash, other), SESSION_REVOKED)
  link.set('open')
  await expect.poll(() => status(revoked)).toBe(401)
  expect(await status(ended)).toBe(401)
  // States from before the outage are invalid while auth is down.
  await other.stop('auth')
  expect([await status(ended), await status(seen)]).toEqual([503, 503])
  await close()
})

it('counts tokens against the limit of their user, and unknown tokens against that of the address', async () => {
  const limited = await startTestServer({
    RATE_LIMITS: 'on',
    USER_REQUESTS_A_MINUTE: '5',
    STRANGER_REQUESTS_A_MINUTE: '4',
  })
  const [one, two] = [await limited.apiToken(['read']), await limited.apiToken(['read'])]
  const session = await limited.token()
  const mine = { user_id: session.id }
  for (const { hash } of [one, two]) {
    const live = limited.liveTokens.get(hash)
    if (live) limited.liveTokens.set(hash, { ...live, ...mine })
  }
  const status = (bearer: string) => statusOf(bearer, '/iods', 'GET', limited)
  expect([
    await status(one.secret),
    await status(two.secret),
    await status(session.token),
    await status(one.secret),
    // A request without the required scope counts as well.
    await statusOf(one.secret, '/iods', 'POST', limited),
    await status(two.secret),
    await status(session.token),
  ]).toEqual([200, 200, 200, 200, 403, 429, 429])

  const before = limited.tokenChecks()
  const guesses = []
  for (let n = 0; n < 10; n++) guesses.push(await status(`iodine_api_${String(n).repeat(43)}`))
  expect(guesses).toEqual([...Array(4).fill(401), ...Array(6).fill(429)])
  expect(limited.tokenChecks()).toBe(before + 4)
  await limited.close()
})
