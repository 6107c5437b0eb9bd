import { accountsInternal, authInternal, DETAILS, LIMITS } from '@iodine/contracts'
import { hashOf, sessionKey } from '@iodine/service-kit'
import { rounds, startTestRedis } from '@iodine/test-kit'
import { describe, expect, it, vi } from 'vitest'
import {
  DAY_MS,
  expireIn,
  type Rig,
  rigOfFile,
  sidOf,
  startReplica,
  startRig,
  statusOf,
  tokenIn,
} from './rig.js'

const rig = rigOfFile()

type User = Awaited<ReturnType<Rig['signIn']>>
const models = () => rig.service.mongo.models
const users = () => models().User!
const use = (token: string, at = rig) => at.anyone.send('POST', '/auth/use-account-link', { token })
const expire = () => expireIn(rig)
const keep = ({ api }: User) => api.send('DELETE', '/profile/deletion')
const check = (token: string) =>
  statusOf(rig.internal(authInternal.checkSession, { body: { sid: sidOf(token) } }))
const dead = { status: 400, body: { detail: DETAILS.badToken } }

/** Asks for the deletion of the user's account; resolves to the token of the mail. */
const ask = async ({ api }: User, email: string, at = rig, confirm = email) => {
  const before = at.mails.length
  expect((await api.send('POST', '/profile/deletion', { confirm })).status).toBe(202)
  return tokenIn(await at.mail('confirm-deletion', email, before))
}
/** A signed-in user whose account is to be deleted. */
const leaver = async (name: string) => {
  const email = `${name}@example.org`
  const token = await ask(await rig.signIn(email), email)
  expect((await use(token)).status).toBe(200)
  return { email, user: await rig.signIn(email), token }
}

describe('deleting the own account', () => {
  it('takes a typed confirmation and a mailed link, and ends all sessions', async () => {
    const email = 'leaves@example.org'
    const [one, two] = [await rig.signIn(email), await rig.signIn(email)]
    await one.api.send('POST', '/profile/setup-username', { username: 'Leaves_Soon' })
    const { code } = (await one.api.send('POST', '/auth/generate-extension-code')).body
    for (const confirm of ['', 'delete', 'leaves', 'other@example.org', 'Leaves_Soo', '@'])
      expect(await one.api.send('POST', '/profile/deletion', { confirm })).toMatchObject({
        status: 422,
        body: { detail: [DETAILS.notConfirmed] },
      })
    expect(rig.mails.filter(({ template }) => template === 'confirm-deletion')).toEqual([])
    for (const confirm of [' @leaves_soon', 'Leaves_Soon', 'Leaves@Example.org '])
      await ask(one, email, rig, confirm)
    const token = await ask(one, email)
    // Of the links, the newest alone works.
    expect(await models().AccountLink!.find().select('_id').lean()).toEqual([{ _id: hashOf(token) }])
    const asked = await rig.anyone.send('POST', '/auth/read-account-link', { token })
    expect(asked.body).toEqual({ purpose: 'deletion', email, new_email: null })
    expect(await check(one.token)).toBe(200)

    const before = Date.now()
    const { status, body } = await use(token)
    expect([status, body.outcome, body.email]).toEqual([200, 'scheduled', email])
    expect(Date.parse(body.delete_at) - before).toBeGreaterThanOrEqual(LIMITS.deletionDelayMs)
    expect(Date.parse(body.delete_at) - before).toBeLessThan(LIMITS.deletionDelayMs + 60_000)
    for (const each of [one, two]) expect(await check(each.token)).toBe(404)
    expect(await rig.anyone.send('POST', '/auth/redeem-extension-code', { code })).toMatchObject({
      status: 400,
    })
    expect(await rig.mail('deletion-scheduled', email)).toMatchObject({ delete_at: body.delete_at })
    expect(await use(token)).toMatchObject(dead)

    const back = await rig.signIn(email)
    const deletion = async () => (await back.api.send('GET', '/profile/deletion')).body
    expect(await deletion()).toEqual({ delete_at: body.delete_at })
    for (let times = 0; times < 2; times++)
      expect(await keep(back)).toMatchObject({ status: 200, body: { email } })
    expect(await deletion()).toEqual({ delete_at: null })
    await users().updateOne({ email }, { last_active_at: new Date() })
    expect(await expire()).toEqual({ warned: 0, deleted: 0 })
  })

  it('is done seven days later, not sooner, by one of two replicas', async () => {
    const { email, user } = await leaver('week')
    const { id } = (await user.api.send('GET', '/profile/me')).body
    await users().updateOne({ email }, { delete_at: new Date(Date.now() + 60_000) })
    expect(await expire()).toMatchObject({ deleted: 0 })
    const replica = await startReplica(rig.bed)
    await replica.service.tasks.run('account-expiry')
    await users().updateOne({ email }, { delete_at: new Date(Date.now() - 1_000) })
    expect(await expireIn(rig, replica)).toMatchObject({ deleted: 1 })
    await replica.close()
    expect(await users().exists({ _id: id })).toBeNull()
    expect(await check(user.token)).toBe(404)
    await vi.waitFor(() => expect(rig.bed.forgotten).toContain(id), 30_000)
    expect((await user.api.send('DELETE', '/profile/deletion')).status).toBe(401)
  })

  it('is scheduled once by a link that is used 50 times, and by none after the account is kept', {
    tags: 'long',
  }, async () => {
    for (let round = 0; round < rounds(2); round++) {
      const email = `fifty${round}@example.org`
      const token = await ask(await rig.signIn(email), email)
      const answers = await Promise.all(Array.from({ length: 50 }, () => use(token)))
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
      expect(answers.filter(({ status }) => status === 400)).toHaveLength(49)
      await rig.mail('deletion-scheduled', email)
      const told = rig.mails.filter(mail => mail.template === 'deletion-scheduled' && mail.to === email)
      expect(told).toHaveLength(1)
      const user = await rig.signIn(email)
      await keep(user)
      for (let n = 0; n < 5; n++) expect(await use(token)).toMatchObject(dead)
      expect((await user.api.send('GET', '/profile/deletion')).body.delete_at).toBeNull()
      await users().deleteOne({ email })
    }
  })

  it('and keeping the account at the same time end in one of both, whole', async () => {
    const ends = new Set<string>()
    for (let round = 0; round < rounds(8); round++) {
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

  it('needs a link of the last 15 minutes', async () => {
    const email = 'stale@example.org'
    const token = await ask(await rig.signIn(email), email)
    const { expires_at } = (await models().AccountLink!.findById(hashOf(token)).lean<{ expires_at: Date }>())!
    expect((expires_at.getTime() - Date.now()) / 60_000).toBeCloseTo(15, 0)
    await models().AccountLink!.updateOne({ _id: hashOf(token) }, { expires_at: new Date(Date.now() - 1) })
    expect(await use(token)).toMatchObject(dead)
    expect(await users().findOne({ email }).lean()).not.toHaveProperty('delete_at')
  })

  it('stays as it was asked for under a suspension, which voids links that wait', async () => {
    const waiting = 'waiting@example.org'
    const token = await ask(await rig.signIn(waiting), waiting)
    const { email } = await leaver('banned')
    for (const each of [waiting, email])
      await rig.internal(accountsInternal.suspendAccount, { body: { email: each } })
    expect(await use(token)).toMatchObject(dead)
    await users().updateOne({ email }, { delete_at: new Date(Date.now() - 1_000) })
    expect(await expire()).toMatchObject({ deleted: 1 })
    expect(await users().exists({ email })).toBeNull()
    expect(await users().exists({ email: waiting })).not.toBeNull()
  })

  it('is done at once by the team, whatever its owner has asked for', async () => {
    const { email } = await leaver('hurried')
    await rig.internal(accountsInternal.deleteAccount, { body: { email } })
    expect(await users().exists({ email })).toBeNull()
  })

  it('refuses feed keys until the account is kept', async () => {
    const email = 'feeds@example.org'
    const user = await rig.signIn(email)
    const { key } = (await user.api.send('POST', '/profile/feed-keys', { label: 'Hub', tlp: 'green' })).body
    const checkKey = () => statusOf(rig.internal(authInternal.checkFeedKey, { body: { hash: hashOf(key) } }))
    expect(await checkKey()).toBe(200)
    await use(await ask(user, email))
    expect(await checkKey()).toBe(404)
    await keep(await rig.signIn(email))
    expect(await checkKey()).toBe(200)
  })

  it('refuses API tokens until the account is kept', async () => {
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
      statusOf(rig.internal(authInternal.checkApiToken, { body: { hash: hashOf(token) } }))
    expect(await checkToken()).toBe(404)
    await keep(user)
    expect(await checkToken()).toBe(200)
  })

  it('of an administrator takes a session that a passkey opened, where those are required', async () => {
    const strict = await startRig(rig.bed, { ADMIN_PASSKEYS: 'required' })
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
  const mailedTo = async (admin: User, strict: Rig) => {
    const email = 'root@example.org'
    expect((await admin.api.send('POST', '/profile/deletion', { confirm: email })).status).toBe(202)
    return strict.mail('confirm-deletion', email)
  }

  it('is scheduled while Redis is down, and the sessions are dead once it is back', {
    tags: 'long',
  }, async () => {
    const redis = await startTestRedis()
    const lonely = await startRig(rig.bed, { REDIS_URL: redis.url })
    const email = 'offline@example.org'
    const user = await lonely.signIn(email)
    const token = await ask(user, email, lonely)
    await redis.stop()
    expect(await use(token, lonely)).toMatchObject({ status: 200, body: { outcome: 'scheduled' } })
    await lonely.close()
    // The mail that says so waits for Redis.
    await vi.waitFor(() => rig.mail('deletion-scheduled', email), 30_000)
    expect(await check(user.token)).toBe(404)
    const key = sessionKey(rig.service.config.REDIS_PREFIX, sidOf(user.token))
    await expect.poll(() => rig.service.redis.get(key), { timeout: 30_000 }).toBe('revoked')
  })
})
