import { mock } from 'node:test'
import {
  API_SCOPES,
  accountsInternal,
  authInternal,
  DETAILS,
  LIMITS,
  personalDataInternal,
  profileApi,
} from '@iodine/contracts'
import { createTokenVerifier, hashOf, SESSION_REVOKED, sessionKey } from '@iodine/service-kit'
import { apiClient, runs, startTestRedis } from '@iodine/test-kit'
import { createLocalJWKSet } from 'jose'
import { afterEach, expect, it } from 'vitest'
import { DAY_MS, serverOfFile, startTestServer, statusOf } from './test-server.js'

const server = serverOfFile()
afterEach(() => mock.timers.reset())

const inDays = (days: number) => new Date(Date.now() + days * DAY_MS).toISOString()
const aToken = (over: object = {}) => ({
  name: 'Nightly',
  scopes: ['read' as const],
  expires_at: inDays(30),
  ...over,
})
const check = (token: string, at = server) =>
  at.internal(authInternal.checkApiToken, { body: { hash: hashOf(token) } })
const isLive = async (token: string) => (await statusOf(check(token))) === 200
const docsOf = (user_id: string, at = server) =>
  at.service.mongo.models.ApiToken?.find({ user_id }).lean() ?? []
const tombstoneOf = (token: string, at = server) =>
  at.service.redis.get(sessionKey(at.service.config.REDIS_PREFIX, hashOf(token)))

it('shows a token once, stores its hash, and lets only its user list and revoke it', async () => {
  const [ana, bo] = [await server.signIn('ana@example.org'), await server.signIn('bo@example.org')]
  const body = aToken({ scopes: ['contribute', 'read'] })
  const made = await ana.api.call(profileApi.createApiToken, { body })
  expect(made).toMatchObject({
    name: 'Nightly',
    scopes: ['read', 'contribute'],
    expires_at: body.expires_at,
    last_used_at: null,
  })
  expect(made.token).toMatch(/^iodine_api_[\w-]{43}$/)
  const { token, ...shown } = made
  expect(await ana.api.call(profileApi.listApiTokens)).toEqual([shown])
  expect(await bo.api.call(profileApi.listApiTokens)).toEqual([])

  const { token: forServices, ...checked } = await check(token)
  const { id: user_id } = (await ana.api.send('GET', '/profile/me')).body
  expect(checked).toEqual({
    id: made.id,
    user_id,
    scopes: ['read', 'contribute'],
    expires_at: body.expires_at,
  })
  const jwks = await (await fetch(`${server.url}/internal/jwks`)).json()
  expect(await createTokenVerifier(createLocalJWKSet(jwks))(forServices)).toEqual({
    id: user_id,
    sid: made.id,
    scope: 'api',
    scopes: ['read', 'contribute'],
  })
  // Neither is a session.
  for (const bearer of [token, forServices]) {
    const api = apiClient(server.url, bearer)
    for (const path of ['/profile/api-tokens', '/profile/sessions'])
      expect((await api.send('GET', path)).status).toBe(bearer === token ? 401 : 403)
  }
  const deletion = { params: { id: made.id } }
  expect(await statusOf(bo.api.call(profileApi.revokeApiToken, deletion))).toBe(404)
  expect(await isLive(token)).toBe(true)
  await ana.api.call(profileApi.revokeApiToken, deletion)
  expect(await isLive(token)).toBe(false)
  expect(await tombstoneOf(token)).toBe(SESSION_REVOKED)
  expect(await statusOf(ana.api.call(profileApi.revokeApiToken, deletion))).toBe(404)
  expect(await ana.api.call(profileApi.listApiTokens)).toEqual([])
  for (const place of [await server.dump(), server.logs.join('\n')]) {
    expect(place).not.toContain(token)
    expect(place).not.toContain(token.slice('iodine_api_'.length))
  }
})

it('records creation and revocation in the audit log without the token and its name', async () => {
  const { api } = await server.signIn('audited@example.org')
  const { id: user_id } = (await api.send('GET', '/profile/me')).body
  const { id, token } = await api.call(profileApi.createApiToken, { body: aToken({ name: 'canary name' }) })
  const revoke = () => statusOf(api.call(profileApi.revokeApiToken, { params: { id } }))
  expect([await revoke(), await revoke()]).toEqual([200, 404])
  const entries = () =>
    server.service.mongo
      .collection('audit_entries')
      .find({ 'entry.actor.id': user_id })
      .sort({ seq: 1 })
      .toArray()
  await expect.poll(async () => (await entries()).length).toBe(2)
  const by = { actor: { kind: 'user', id: user_id }, via: 'web', outcome: 'done' }
  expect((await entries()).map(({ entry }) => entry)).toMatchObject([
    { action: 'api-token.created', subject: { kind: 'api-token', id }, ...by },
    { action: 'api-token.revoked', subject: { kind: 'api-token', id }, ...by },
  ])
  for (const secret of ['canary', token, hashOf(token)])
    expect(JSON.stringify(await entries())).not.toContain(secret)
})

it(`limits a user to ${LIMITS.apiTokensMax} tokens, also under concurrency`, { tags: 'long' }, async () => {
  for (let round = 0; round < runs(1); round++) {
    const { api } = await server.signIn(`many${round}@example.org`)
    const make = () => statusOf(api.call(profileApi.createApiToken, { body: aToken() }))
    const made = await Promise.all(Array.from({ length: 50 }, make))
    expect(made.filter(status => status === 200)).toHaveLength(LIMITS.apiTokensMax)
    expect(made.filter(status => status === 413)).toHaveLength(50 - LIMITS.apiTokensMax)
    const [first] = await api.call(profileApi.listApiTokens)
    await api.call(profileApi.revokeApiToken, { params: { id: first?.id ?? '' } })
    expect(await make()).toBe(200)
    expect(await api.send('POST', '/profile/api-tokens', aToken())).toMatchObject({
      status: 413,
      body: { detail: DETAILS.apiTokensFull },
    })
  }
})

it('rejects a token without name or scope, with an unknown scope, or without an expiry within a year', async () => {
  const { api } = await server.signIn('wrong@example.org')
  for (const wrong of [
    { name: ' ' },
    { name: 'x'.repeat(LIMITS.apiTokenNameMax + 1) },
    { name: 'a\u0000b' },
    { scopes: [] },
    { scopes: ['read', 'read'] },
    { scopes: ['admin'] },
    { scopes: ['full'] },
    { scopes: 'read' },
    { scopes: undefined },
    { expires_at: undefined },
    { expires_at: null },
    { expires_at: 'tomorrow' },
    { expires_at: inDays(-1) },
    { expires_at: inDays(367) },
    { user_id: 'a'.repeat(24) },
  ]) {
    const { status } = await api.send('POST', '/profile/api-tokens', aToken(wrong))
    expect([wrong, status]).toEqual([wrong, 422])
  }
  // Any characters are valid in a name.
  const name = '<img src=x onerror=alert(1)>\u202e'.padEnd(LIMITS.apiTokenNameMax, '%s')
  const body = aToken({ name, expires_at: inDays(365) })
  await api.call(profileApi.createApiToken, { body })
  expect(await api.call(profileApi.listApiTokens)).toMatchObject([{ name }])
})

it('rejects an expired token, lists it for a month, and limits its service token to the same expiry', async () => {
  const { api } = await server.signIn('expires@example.org')
  // The last millisecond of a second: the service token must not expire in the next second.
  const expires_at = new Date(Math.ceil(Date.now() / 1000) * 1000 + 59_999).toISOString()
  const { token } = await api.call(profileApi.createApiToken, { body: aToken({ expires_at }) })
  const { token: forServices } = await check(token)
  const { exp } = JSON.parse(Buffer.from(forServices.split('.')[1] ?? '', 'base64url').toString())
  expect(exp * 1000).toBeLessThanOrEqual(Date.parse(expires_at))
  mock.timers.enable({ apis: ['Date'], now: Date.parse(expires_at) + 1 })
  expect(await isLive(token)).toBe(false)
  expect(await api.call(profileApi.listApiTokens)).toMatchObject([{ expires_at }])
  mock.timers.reset()
  const indexes = await server.service.mongo.models.ApiToken?.collection.indexes()
  expect(indexes).toContainEqual(
    expect.objectContaining({ key: { expires_at: 1 }, expireAfterSeconds: LIMITS.expiredApiTokenMs / 1000 }),
  )
})

it('records the last use to the minute, and as activity of the user', async () => {
  const email = 'away@example.org'
  const { api } = await server.signIn(email)
  const { token } = await api.call(profileApi.createApiToken, { body: aToken() })
  const used = async () => (await api.call(profileApi.listApiTokens))[0]?.last_used_at
  expect(await used()).toBeNull()
  const users = server.service.mongo.models.User
  await users?.updateOne({ email }, { last_active_at: new Date(0), warning_queued_at: new Date() })
  await check(token)
  const first = await used()
  expect(first).toEqual(expect.any(String))
  const user = await users?.findOne({ email }).lean()
  expect(user?.last_active_at.getTime()).toBeGreaterThan(0)
  expect(user?.warning_queued_at).toBeUndefined()
  await check(token)
  expect(await used()).toBe(first)
  mock.timers.enable({ apis: ['Date'], now: Date.parse(first ?? '') + 60_000 })
  await check(token)
  mock.timers.reset()
  expect(Date.parse((await used()) ?? '')).toBe(Date.parse(first ?? '') + 60_000)
})

it('ends tokens with a suspension, a reset of passkeys, and the deletion of the account', async () => {
  const email = 'ends@example.org'
  const { api } = await server.signIn(email)
  const { id } = (await api.send('GET', '/profile/me')).body
  const make = async (by = api) => (await by.call(profileApi.createApiToken, { body: aToken() })).token
  const suspended = [await make(), await make()]
  for (const token of suspended) expect(await isLive(token)).toBe(true)
  await server.internal(accountsInternal.suspendAccount, { body: { email } })
  const expectDead = async (tokens: string[]) => {
    for (const token of tokens)
      expect([await isLive(token), await tombstoneOf(token)]).toEqual([false, SESSION_REVOKED])
    expect(await docsOf(id)).toEqual([])
  }
  await expectDead(suspended)
  await server.internal(accountsInternal.unsuspendAccount, { body: { email } })
  await expectDead(suspended)

  const again = (await server.signIn(email)).api
  const reset = await make(again)
  await server.internal(accountsInternal.resetPasskeys, { body: { email } })
  await expectDead([reset])

  const last = (await server.signIn(email)).api
  const token = await make(last)
  const exported = await server.internal(personalDataInternal.exportUser, { params: { id } })
  expect(exported.filter(({ kind }) => kind === 'api_token')).toMatchObject([
    { data: { name: 'Nightly', scopes: ['read'] } },
  ])
  for (const secret of [token, hashOf(token)]) expect(JSON.stringify(exported)).not.toContain(secret)
  await server.internal(accountsInternal.deleteAccount, { body: { email } })
  await expectDead([token])
})

it('ends tokens created during a suspension', async () => {
  for (let round = 0; round < runs(5); round++) {
    const email = `racer${round}@example.org`
    const { api } = await server.signIn(email)
    const { id } = (await api.send('GET', '/profile/me')).body
    const makings = Array.from({ length: 8 }, () =>
      api.call(profileApi.createApiToken, { body: aToken() }).then(
        ({ token }) => token,
        () => undefined,
      ),
    )
    const suspending = server.internal(accountsInternal.suspendAccount, { body: { email } })
    const tokens = (await Promise.all(makings)).filter(token => token !== undefined)
    await suspending
    for (const token of tokens) expect(await isLive(token)).toBe(false)
    await server.internal(accountsInternal.unsuspendAccount, { body: { email } })
    for (const token of tokens) expect(await isLive(token)).toBe(false)
    expect(await docsOf(id)).toEqual([])
  }
})

it('rejects every check after the revocation of a token in use', async () => {
  const { api } = await server.signIn('used@example.org')
  for (let round = 0; round < runs(5); round++) {
    const made = await api.call(profileApi.createApiToken, { body: aToken({ scopes: [...API_SCOPES] }) })
    let isRevoked = false
    const late: boolean[] = []
    const use = async () => {
      for (let n = 0; n < 20; n++) {
        const after = isRevoked
        const live = await isLive(made.token)
        if (after) late.push(live)
      }
    }
    const revoking = api.call(profileApi.revokeApiToken, { params: { id: made.id } }).then(() => {
      isRevoked = true
    })
    await Promise.all([use(), use(), use(), revoking])
    expect(late).not.toContain(true)
    expect(await tombstoneOf(made.token)).toBe(SESSION_REVOKED)
    expect(await isLive(made.token)).toBe(false)
  }
})

it('answers 503 to a revocation while Redis is down, and completes it after the recovery', async () => {
  const redis = await startTestRedis()
  const other = await startTestServer(server.fixture, {
    REDIS_URL: redis.url,
    MONGODB_PREFIX: 'tokens_without_redis',
  })
  const { api } = await other.signIn('offline@example.org')
  const { id, token } = await api.call(profileApi.createApiToken, { body: aToken() })
  await redis.stop()
  for (let n = 0; n < 2; n++)
    expect(await api.send('DELETE', `/profile/api-tokens/${id}`)).toMatchObject({
      status: 503,
      body: { detail: DETAILS.apiTokenRevoking },
    })
  expect(await statusOf(check(token, other))).toBe(404)
  expect(await api.call(profileApi.listApiTokens)).toEqual([])
  await other.close()

  const back = await startTestServer(server.fixture, { MONGODB_PREFIX: 'tokens_without_redis' })
  await expect.poll(() => tombstoneOf(token, back), { timeout: 30_000 }).toBe(SESSION_REVOKED)
  await expect.poll(() => back.service.mongo.models.ApiToken?.countDocuments()).toBe(0)
  await back.close()
})
