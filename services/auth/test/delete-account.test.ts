import {
  accountsInternal,
  authInternal,
  DETAILS,
  DONE,
  LIMITS,
  personalDataInternal,
} from '@iodine/contracts'
import { hashOf, sessionKey } from '@iodine/service-kit'
import { runs, startTestRedis } from '@iodine/test-kit'
import { describe, expect, it, vi } from 'vitest'
import {
  DAY_MS,
  expireIn,
  serverOfFile,
  sidOf,
  startReplica,
  startTestServer,
  statusOf,
  type TestServer,
  tokenIn,
} from './test-server.js'

const server = serverOfFile()

type User = Awaited<ReturnType<TestServer['signIn']>>
const models = () => server.service.mongo.models
const users = () => models().User!
const use = (token: string, at = server) => at.anyone.send('POST', '/auth/use-account-link', { token })
const expire = () => expireIn(server)
const keep = ({ api }: User) => api.send('DELETE', '/profile/deletion')
const check = (token: string) =>
  statusOf(server.internal(authInternal.checkSession, { body: { sid: sidOf(token) } }))
const dead = { status: 400, body: { detail: DETAILS.badToken } }

/** Requests the deletion of the user's account; resolves to the token of the mail. */
const ask = async ({ api }: User, email: string, at = server, confirm = email) => {
  const before = at.mails.length
  expect((await api.send('POST', '/profile/deletion', { confirm })).status).toBe(202)
  return tokenIn(await at.mail('confirm-deletion', email, before))
}
/** Signs in a user whose account is scheduled for deletion. */
const leaver = async (name: string) => {
  const email = `${name}@example.org`
  const token = await ask(await server.signIn(email), email)
  expect((await use(token)).status).toBe(200)
  return { email, user: await server.signIn(email), token }
}

describe('the deletion of the own account', () => {
  it('requires a typed confirmation and a mailed link, and ends all sessions', async () => {
    const email = 'leaves@example.org'
    const [one, two] = [await server.signIn(email), await server.signIn(email)]
    await one.api.send('POST', '/profile/setup-username', { username: 'Leaves_Soon' })
    const { code } = (await one.api.send('POST', '/auth/generate-extension-code')).body
    for (const confirm of ['', 'delete', 'leaves', 'other@example.org', 'Leaves_Soo', '@'])
      expect(await one.api.send('POST', '/profile/deletion', { confirm })).toMatchObject({
        status: 422,
        body: { detail: [DETAILS.notConfirmed] },
      })
    expect(server.mails.filter(({ template }) => template === 'confirm-deletion')).toEqual([])
    for (const confirm of [' @leaves_soon', 'Leaves_Soon', 'Leaves@Example.org '])
      await ask(one, email, server, confirm)
    const token = await ask(one, email)
    // Only the newest link is valid.
    expect(await models().AccountLink!.find().select('_id').lean()).toEqual([{ _id: hashOf(token) }])
    const asked = await server.anyone.send('POST', '/auth/read-account-link', { token })
    expect(asked.body).toEqual({ purpose: 'deletion', email, new_email: null })
    expect(await check(one.token)).toBe(200)

    const before = Date.now()
    const { status, body } = await use(token)
    expect([status, body.outcome, body.email]).toEqual([200, 'scheduled', email])
    expect(Date.parse(body.delete_at) - before).toBeGreaterThanOrEqual(LIMITS.deletionDelayMs)
    expect(Date.parse(body.delete_at) - before).toBeLessThan(LIMITS.deletionDelayMs + 60_000)
    for (const each of [one, two]) expect(await check(each.token)).toBe(404)
    expect(await server.anyone.send('POST', '/auth/redeem-extension-code', { code })).toMatchObject({
      status: 400,
    })
    expect(await server.mail('deletion-scheduled', email)).toMatchObject({ delete_at: body.delete_at })
    expect(await use(token)).toMatchObject(dead)

    const back = await server.signIn(email)
    const deletion = async () => (await back.api.send('GET', '/profile/deletion')).body
    expect(await deletion()).toEqual({ delete_at: body.delete_at })
    for (let times = 0; times < 2; times++)
      expect(await keep(back)).toMatchObject({ status: 200, body: { email } })
    expect(await deletion()).toEqual({ delete_at: null })
    await users().updateOne({ email }, { last_active_at: new Date() })
    expect(await expire()).toEqual({ warned: 0, deleted: 0 })
  })

  it('happens after seven days, by one of two replicas', async () => {
    const { email, user } = await leaver('week')
    const { id } = (await user.api.send('GET', '/profile/me')).body
    await users().updateOne({ email }, { delete_at: new Date(Date.now() + 60_000) })
    expect(await expire()).toMatchObject({ deleted: 0 })
    const replica = await startReplica(server.fixture)
    await replica.service.tasks.run('account-expiry')
    await users().updateOne({ email }, { delete_at: new Date(Date.now() - 1_000) })
    expect(await expireIn(server, replica)).toMatchObject({ deleted: 1 })
    await replica.close()
    expect(await users().exists({ _id: id })).toBeNull()
    expect(await check(user.token)).toBe(404)
    await vi.waitFor(() => expect(server.fixture.forgotten).toContain(id), 30_000)
    expect((await user.api.send('DELETE', '/profile/deletion')).status).toBe(401)
  })

  it('includes the comments if the owner wishes, unless they withdraw it', async () => {
    const asked = new Map<string, Set<string>>()
    server.fixture.answer(personalDataInternal.eraseUser, ({ params, query }) => {
      asked.set(params.id, (asked.get(params.id) ?? new Set()).add(query.comments))
      return DONE
    })
    const request = async (name: string, delete_comments: boolean) => {
      const email = `${name}@example.org`
      const { api } = await server.signIn(email)
      const before = server.mails.length
      await api.send('POST', '/profile/deletion', { confirm: email, delete_comments })
      await use(tokenIn(await server.mail('confirm-deletion', email, before)))
      return { email, user: await server.signIn(email) }
    }
    const close = async (email: string) => {
      const { _id } = (await users().findOne({ email }).lean<{ _id: unknown }>()) ?? {}
      await users().updateOne({ email }, { delete_at: new Date(Date.now() - 1_000) })
      await expire()
      await vi.waitFor(() => expect(asked.has(String(_id))).toBe(true), 30_000)
      return [...(asked.get(String(_id)) ?? [])]
    }
    expect(await close((await request('comments', true)).email)).toEqual(['delete'])
    const { email, user } = await request('withdrawn', true)
    await keep(user)
    await request('withdrawn', false)
    expect(await close(email)).toEqual(['keep'])
  })

  it('is scheduled once by 50 uses of a link, and never again by it after a withdrawal', {
    tags: 'long',
  }, async () => {
    for (let round = 0; round < runs(2); round++) {
      const email = `fifty${round}@example.org`
      const token = await ask(await server.signIn(email), email)
      const answers = await Promise.all(Array.from({ length: 50 }, () => use(token)))
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
      expect(answers.filter(({ status }) => status === 400)).toHaveLength(49)
      await server.mail('deletion-scheduled', email)
      const told = server.mails.filter(mail => mail.template === 'deletion-scheduled' && mail.to === email)
      expect(told).toHaveLength(1)
      const user = await server.signIn(email)
      await keep(user)
      for (let n = 0; n < 5; n++) expect(await use(token)).toMatchObject(dead)
      expect((await user.api.send('GET', '/profile/deletion')).body.delete_at).toBeNull()
      await users().deleteOne({ email })
    }
  })

  it('and a concurrent withdrawal end in one of both states', async () => {
    const ends = new Set<string>()
    for (let round = 0; round < runs(8); round++) {
      const { email, user } = await leaver(`undo${round}`)
      await users().updateOne({ email }, { delete_at: new Date(Date.now() - 1_000) })
      const [kept, { deleted }] = await (round % 2
        ? Promise.all([keep(user), expire()])
        : Promise.all([expire(), keep(user)]).then(([a, b]) => [b, a] as const))
      const doc = await users().findOne({ email }).lean<{ delete_at?: Date }>()
      if (deleted === 1) {
        expect([kept.status, doc]).toEqual([401, null])
        ends.add('deleted')
      } else {
        expect(kept.status).toBe(200)
        expect(doc).not.toBeNull()
        expect(doc).not.toHaveProperty('delete_at')
        ends.add('kept')
      }
    }
    expect(ends.size).toBeGreaterThan(0)
  })

  it('requires a link of the last 15 minutes', async () => {
    const email = 'stale@example.org'
    const token = await ask(await server.signIn(email), email)
    const { expires_at } = (await models().AccountLink!.findById(hashOf(token)).lean<{ expires_at: Date }>())!
    expect((expires_at.getTime() - Date.now()) / 60_000).toBeCloseTo(15, 0)
    await models().AccountLink!.updateOne({ _id: hashOf(token) }, { expires_at: new Date(Date.now() - 1) })
    expect(await use(token)).toMatchObject(dead)
    expect(await users().findOne({ email }).lean()).not.toHaveProperty('delete_at')
  })

  it('stays scheduled under a suspension, which invalidates pending links', async () => {
    const waiting = 'waiting@example.org'
    const token = await ask(await server.signIn(waiting), waiting)
    const { email } = await leaver('banned')
    for (const each of [waiting, email])
      await server.internal(accountsInternal.suspendAccount, { body: { email: each } })
    expect(await use(token)).toMatchObject(dead)
    await users().updateOne({ email }, { delete_at: new Date(Date.now() - 1_000) })
    expect(await expire()).toMatchObject({ deleted: 1 })
    expect(await users().exists({ email })).toBeNull()
    expect(await users().exists({ email: waiting })).not.toBeNull()
  })

  it('happens at once for the operator, also when scheduled', async () => {
    const { email } = await leaver('hurried')
    await server.internal(accountsInternal.deleteAccount, { body: { email } })
    expect(await users().exists({ email })).toBeNull()
  })

  it('invalidates feed keys until it is withdrawn', async () => {
    const email = 'feeds@example.org'
    const user = await server.signIn(email)
    const { key } = (await user.api.send('POST', '/profile/feed-keys', { label: 'Hub', tlp: 'green' })).body
    const checkKey = () =>
      statusOf(server.internal(authInternal.checkFeedKey, { body: { hash: hashOf(key) } }))
    expect(await checkKey()).toBe(200)
    await use(await ask(user, email))
    expect(await checkKey()).toBe(404)
    await keep(await server.signIn(email))
    expect(await checkKey()).toBe(200)
  })

  it('invalidates API tokens until it is withdrawn', async () => {
    const { user } = await leaver('scripts')
    const expires_at = new Date(Date.now() + DAY_MS).toISOString()
    const made = await user.api.send('POST', '/profile/api-tokens', {
      name: 'Mine',
      scopes: ['read'],
      expires_at,
    })
    expect(made.status).toBe(201)
    const { token } = made.body
    const checkToken = () =>
      statusOf(server.internal(authInternal.checkApiToken, { body: { hash: hashOf(token) } }))
    expect(await checkToken()).toBe(404)
    await keep(user)
    expect(await checkToken()).toBe(200)
  })

  it('requires a passkey session of an administrator where passkeys are required', async () => {
    const strict = await startTestServer(server.fixture, { ADMIN_PASSKEYS: 'required' })
    const admin = await strict.signIn('root@example.org')
    const id = (await admin.api.send('GET', '/profile/me')).body.id
    await models().Passkey!.create({
      user_id: id,
      slot: 0,
      credential_id: 'AAAA',
      public_key: Buffer.from('key'),
      counter: 0,
      name: 'Key',
      created_at: new Date(),
    })
    expect(await admin.api.send('POST', '/profile/deletion', { confirm: 'root@example.org' })).toMatchObject({
      status: 403,
      body: { detail: DETAILS.passkeySession },
    })
    await models().Session!.updateMany({ user_id: id }, { by: 'passkey' })
    expect(tokenIn({ ...(await mailedTo(admin, strict)) })).not.toBe('')
    await strict.close()
  })
  const mailedTo = async (admin: User, strict: TestServer) => {
    const email = 'root@example.org'
    expect((await admin.api.send('POST', '/profile/deletion', { confirm: email })).status).toBe(202)
    return strict.mail('confirm-deletion', email)
  }

  it('is scheduled while Redis is down; the sessions end after the recovery', {
    tags: 'long',
  }, async () => {
    const redis = await startTestRedis()
    const lonely = await startTestServer(server.fixture, { REDIS_URL: redis.url })
    const email = 'offline@example.org'
    const user = await lonely.signIn(email)
    const token = await ask(user, email, lonely)
    await redis.stop()
    expect(await use(token, lonely)).toMatchObject({ status: 200, body: { outcome: 'scheduled' } })
    await lonely.close()
    // The mail about the deletion waits for Redis.
    await vi.waitFor(() => server.mail('deletion-scheduled', email), 30_000)
    expect(await check(user.token)).toBe(404)
    const key = sessionKey(server.service.config.REDIS_PREFIX, sidOf(user.token))
    await expect.poll(() => server.service.redis.get(key), { timeout: 30_000 }).toBe('revoked')
  })
})
