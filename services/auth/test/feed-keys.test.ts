import { accountsInternal, authInternal, DETAILS, personalDataInternal, profileApi } from '@iodine/contracts'
import { createTokenVerifier, hashOf } from '@iodine/service-kit'
import { type ServiceFixture, startServiceFixture } from '@iodine/test-kit'
import { createLocalJWKSet } from 'jose'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startTestServer, statusOf, type TestServer } from './test-server.js'

let fixture: ServiceFixture
let server: TestServer
beforeAll(async () => {
  fixture = await startServiceFixture()
  server = await startTestServer(fixture)
})
afterAll(async () => {
  await server?.close()
  await fixture?.stop()
})

const check = (key: string) => server.internal(authInternal.checkFeedKey, { body: { hash: hashOf(key) } })
const keysOf = (id: string) => server.service.mongo.models.FeedKey?.find({ user_id: id }).lean() ?? []

it('shows a key once, stores its hash, and lets only its user list and revoke it', async () => {
  const [ana, bo] = [await server.signIn('ana@example.org'), await server.signIn('bo@example.org')]
  const made = await ana.api.call(profileApi.createFeedKey, { body: { label: 'OpenCTI', tlp: 'amber' } })
  expect(made).toMatchObject({ label: 'OpenCTI', tlp: 'amber', expires_at: null, last_used_at: null })
  expect(made.key).toMatch(/^iodine_feed_[\w-]{43}$/)
  expect(await server.dump()).not.toContain(made.key)
  const { key: _, ...shown } = made
  expect(await ana.api.call(profileApi.listFeedKeys)).toEqual([shown])
  expect(await bo.api.call(profileApi.listFeedKeys)).toEqual([])
  const deletion = { params: { id: made.id } }
  expect(await statusOf(bo.api.call(profileApi.deleteFeedKey, deletion))).toBe(404)
  const { user_id, token } = await check(made.key)
  const jwks = await (await fetch(`${server.url}/internal/jwks`)).json()
  expect(await createTokenVerifier(createLocalJWKSet(jwks))(token)).toEqual({
    id: user_id,
    sid: made.id,
    scope: 'feed',
    tlp: 'amber',
  })
  expect((await ana.api.call(profileApi.listFeedKeys))[0]?.last_used_at).toEqual(expect.any(String))
  await ana.api.call(profileApi.deleteFeedKey, deletion)
  expect(await statusOf(check(made.key))).toBe(404)
  expect(await statusOf(ana.api.call(profileApi.deleteFeedKey, deletion))).toBe(404)
  // The log does not contain the key.
  expect(server.logs.join('\n')).not.toContain(made.key)
})

it('limits a user to ten keys, also under concurrency', { tags: 'long' }, async () => {
  const { api } = await server.signIn('many@example.org')
  const make = () => statusOf(api.call(profileApi.createFeedKey, { body: { label: 'x', tlp: 'green' } }))
  const made = await Promise.all(Array.from({ length: 25 }, make))
  expect(made.filter(status => status === 200)).toHaveLength(10)
  expect(made.filter(status => status === 413)).toHaveLength(15)
  const [first] = await api.call(profileApi.listFeedKeys)
  await api.call(profileApi.deleteFeedKey, { params: { id: first?.id ?? '' } })
  expect(await make()).toBe(200)
  expect(await api.send('POST', '/profile/feed-keys', { label: 'x', tlp: 'green' })).toMatchObject({
    status: 413,
    body: { detail: DETAILS.feedKeysFull },
  })
})

it('rejects a key with an invalid level, without a label, or with an expiry in the past', async () => {
  const { api } = await server.signIn('wrong@example.org')
  const body = { label: 'x', tlp: 'green' }
  for (const wrong of [
    { tlp: 'red' },
    { tlp: 'none' },
    { label: ' ' },
    { label: 'x'.repeat(101) },
    { expires_at: new Date(Date.now() - 1_000).toISOString() },
    { expires_at: 'tomorrow' },
    { scope: 'full' },
  ])
    expect((await api.send('POST', '/profile/feed-keys', { ...body, ...wrong })).status).toBe(422)
})

it('invalidates a key with its expiry, a suspension, a scheduled deletion, and the deletion of the account', async () => {
  const email = 'ends@example.org'
  const { api } = await server.signIn(email)
  const { id } = (await api.send('GET', '/profile/me')).body
  const expires_at = new Date(Date.now() + 3_600_000).toISOString()
  const { key } = await api.call(profileApi.createFeedKey, { body: { label: 'x', tlp: 'clear', expires_at } })
  expect((await check(key)).user_id).toBe(id)
  await server.service.mongo.models.FeedKey?.updateMany({ user_id: id }, { expires_at: new Date() })
  expect(await statusOf(check(key))).toBe(404)
  await server.service.mongo.models.FeedKey?.updateMany({ user_id: id }, { expires_at: null })
  expect(await statusOf(check(key))).toBe(200)
  await server.internal(accountsInternal.suspendAccount, { body: { email } })
  expect(await statusOf(check(key))).toBe(404)
  await server.internal(accountsInternal.unsuspendAccount, { body: { email } })
  expect(await statusOf(check(key))).toBe(200)
  await server.service.mongo.models.User?.updateOne({ _id: id }, { delete_at: new Date() })
  expect(await statusOf(check(key))).toBe(404)
  await server.service.mongo.models.User?.updateOne({ _id: id }, { $unset: { delete_at: 1 } })
  const exported = await server.internal(personalDataInternal.exportUser, { params: { id } })
  const [item] = exported.filter(({ kind }) => kind === 'feed_key')
  expect(item?.data).toMatchObject({ label: 'x', tlp: 'clear' })
  expect(JSON.stringify(exported)).not.toContain(hashOf(key))
  await server.internal(accountsInternal.deleteAccount, { body: { email } })
  expect(await statusOf(check(key))).toBe(404)
  expect(await keysOf(id)).toEqual([])
})

it('does not count as activity of the user', async () => {
  const email = 'away@example.org'
  const { api } = await server.signIn(email)
  const { key } = await api.call(profileApi.createFeedKey, { body: { label: 'x', tlp: 'clear' } })
  const users = server.service.mongo.models.User
  const then = new Date(0)
  await users?.updateOne({ email }, { last_active_at: then })
  await check(key)
  expect((await users?.findOne({ email }))?.last_active_at).toEqual(then)
})

it('creates no key for an account deleted meanwhile', async () => {
  const { api } = await server.signIn('leaving@example.org')
  const { id } = await api.call(profileApi.getProfile)
  await server.internal(accountsInternal.deleteAccount, { body: { email: 'leaving@example.org' } })
  const made = api.call(profileApi.createFeedKey, { body: { label: 'Late', tlp: 'green' } })
  expect(await statusOf(made)).toBe(401)
  expect(await keysOf(id)).toEqual([])
})
