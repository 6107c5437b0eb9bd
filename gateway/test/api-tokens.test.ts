import { mock } from 'node:test'
import { API_SCOPES, DETAILS, missingScope, OPERATIONS, SOURCES } from '@iodine/contracts'
import { connectRedis, SESSION_KNOWN_MS, SESSION_REVOKED, sessionKey } from '@iodine/service-kit'
import { samplePath } from '@iodine/test-kit'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { PATIENT, type Rig, startCutRig, startRig } from './rig.js'

let rig: Rig
beforeAll(async () => {
  rig = await startRig({}, PATIENT)
})
afterEach(() => mock.timers.reset())
afterAll(() => rig?.close())

const ask = (bearer: string, path = '/iods', method = 'GET', at = rig) =>
  fetch(`${at.url}/api/v1${path}`, { method, headers: { authorization: `Bearer ${bearer}` } })
const statusOf = async (...args: Parameters<typeof ask>) => (await ask(...args)).status
const expectRefused = async (response: Response) =>
  expect([response.status, await response.json()]).toEqual([401, { detail: DETAILS.unauthenticated }])
const keyOf = (hash: string, at = rig) => sessionKey(at.settings.REDIS_PREFIX ?? '', hash)

it('is not seen by services, which get what auth made for it', async () => {
  const { secret, token } = await rig.apiToken(['read'])
  rig.seen.length = 0
  expect(await statusOf(secret)).toBe(200)
  expect(rig.seen.map(({ headers }) => headers.authorization)).toEqual([`Bearer ${token}`])
  // An operation that is open to anybody has no use for it.
  expect(await statusOf(secret, '/seals/checkpoint')).toBe(200)
  expect(rig.seen.at(-1)?.headers.authorization).toBeUndefined()
  expect(JSON.stringify(rig.seen)).not.toContain(secret)
  // That is no session, nor is it an API token.
  await expectRefused(await ask(token))
})

it('gets to the operations of its scopes, and no further than the gateway on all others', async () => {
  for (const scope of API_SCOPES) {
    const { secret } = await rig.apiToken([scope])
    for (const { spec } of OPERATIONS)
      for (const source of spec.path.includes(':source') ? SOURCES : ['']) {
        const path = samplePath(spec.path, source)
        rig.seen.length = 0
        const answer = await ask(secret, path, spec.method)
        const isOpen = spec.access === 'anyone' || spec.scopes?.includes(scope)
        expect([spec.method, path, answer.status]).toEqual([spec.method, path, isOpen ? 200 : 403])
        expect(rig.seen).toHaveLength(isOpen ? 1 : 0)
        if (isOpen) continue
        expect(await answer.json()).toEqual({
          detail: spec.scopes ? missingScope(spec.scopes) : DETAILS.apiTokenRefused,
        })
        expect(answer.headers.get('www-authenticate')).toBe(
          spec.scopes ? `Bearer error="insufficient_scope", scope="${spec.scopes.join(' ')}"` : null,
        )
      }
    // What the contracts don't know is closed, too.
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
])('of another form (%j) is refused without a question to auth', async given => {
  const before = rig.tokenChecks()
  await expectRefused(await ask(given))
  expect(rig.tokenChecks()).toBe(before)
})

it('is asked of auth once a minute, however many requests come', async () => {
  const { secret, hash } = await rig.apiToken(['read'])
  const before = rig.tokenChecks()
  const statuses = await Promise.all(Array.from({ length: 40 }, () => statusOf(secret)))
  expect(new Set(statuses)).toEqual(new Set([200]))
  for (let n = 0; n < 100; n++) await statusOf(secret)
  expect(rig.tokenChecks()).toBe(before + 1)
  mock.timers.enable({ apis: ['Date'], now: Date.now() + SESSION_KNOWN_MS })
  expect(await statusOf(secret)).toBe(200)
  expect(rig.tokenChecks()).toBe(before + 2)
  // Then its end in auth's database counts without a tombstone, too.
  rig.liveTokens.delete(hash)
  mock.timers.reset()
  mock.timers.enable({ apis: ['Date'], now: Date.now() + 2 * SESSION_KNOWN_MS })
  await expectRefused(await ask(secret))
})

it('that is revoked is dead at the next request, although it was seen a moment ago', async () => {
  const { secret, hash } = await rig.apiToken(['read'])
  expect(await statusOf(secret)).toBe(200)
  const redis = await connectRedis(rig.settings.REDIS_URL ?? '')
  await redis.set(keyOf(hash), SESSION_REVOKED)
  const before = rig.tokenChecks()
  await expectRefused(await ask(secret))
  expect(rig.tokenChecks()).toBe(before)
  redis.disconnect()
})

it('that has expired is refused at once, whatever is remembered of it', async () => {
  const { secret } = await rig.apiToken(['read'], 30_000)
  expect(await statusOf(secret)).toBe(200)
  mock.timers.enable({ apis: ['Date'], now: Date.now() + 30_001 })
  await expectRefused(await ask(secret))
  mock.timers.reset()
  await rig.stop('auth')
  mock.timers.enable({ apis: ['Date'], now: Date.now() + 30_001 })
  const answer = await ask(secret)
  mock.timers.reset()
  await rig.start('auth')
  await expectRefused(answer)
})

it('that was alive a moment ago is, while auth is down; unknown ones are 503, revoked ones 401', async () => {
  const [seen, unseen, revoked] = [
    await rig.apiToken(['read']),
    await rig.apiToken(['read']),
    await rig.apiToken(['read']),
  ]
  for (const { secret } of [seen, revoked]) expect(await statusOf(secret)).toBe(200)
  const redis = await connectRedis(rig.settings.REDIS_URL ?? '')
  await redis.set(keyOf(revoked.hash), SESSION_REVOKED)
  redis.disconnect()
  mock.timers.enable({ apis: ['Date'], now: Date.now() + SESSION_KNOWN_MS })
  await rig.stop('auth')
  const statuses = [seen, unseen, revoked].map(({ secret }) => statusOf(secret))
  const answered = await Promise.all(statuses)
  await rig.start('auth')
  expect(answered).toEqual([200, 503, 401])
})

it('may have been revoked where Redis has lost its data while auth is down: 503', async () => {
  const { secret } = await rig.apiToken(['read'])
  expect(await statusOf(secret)).toBe(200)
  const redis = await connectRedis(rig.settings.REDIS_URL ?? '')
  await redis.flushall()
  redis.disconnect()
  await rig.stop('auth')
  const answer = await statusOf(secret)
  await rig.start('auth')
  expect([answer, await statusOf(secret)]).toEqual([503, 200])
})

it('is asked of auth at each request while Redis is away, and for a while after', async () => {
  const { rig: other, redis: own, link, close } = await startCutRig()
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
  // The end of one reaches auth's database, not Redis; the other's reaches Redis alone.
  other.liveTokens.delete(ended.hash)
  await own.set(keyOf(revoked.hash, other), SESSION_REVOKED)
  link.set('open')
  await expect.poll(() => status(revoked)).toBe(401)
  expect(await status(ended)).toBe(401)
  // Nothing of before the outage counts while auth is down.
  await other.stop('auth')
  expect([await status(ended), await status(seen)]).toEqual([503, 503])
  await close()
})

it('shares the limits of its user, and guesses stop at the gateway past those of an address', async () => {
  const limited = await startRig({
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
    // A refusal for its scopes counts, too.
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
