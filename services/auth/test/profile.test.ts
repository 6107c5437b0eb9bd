import {
  accountsInternal,
  authInternal,
  communityInternal,
  DETAILS,
  mailsInternal,
  personalDataInternal,
} from '@iodine/contracts'
import { HttpError, newSigningKey, unseal, usersVersionKey } from '@iodine/service-kit'
import { redisContents, startTestRedis } from '@iodine/test-kit'
import { describe, expect, it, vi } from 'vitest'
import { refusal, serverOfFile, startTestServer } from './test-server.js'

const server = serverOfFile()

const users = () => server.service.mongo.models.User!

describe('a username', () => {
  it('is set, shown and changed', async () => {
    const { api } = await server.signIn('name@example.org')
    const chosen = await api.send('POST', '/profile/setup-username', { username: 'Night_Owl' })
    const profile = {
      id: expect.stringMatching(/^[0-9a-f]{24}$/),
      email: 'name@example.org',
      username: 'Night_Owl',
      is_admin: false,
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      has_openai_key: false,
    }
    expect([chosen.status, chosen.body]).toEqual([200, profile])
    expect((await api.send('GET', '/profile/me')).body).toEqual(profile)
    const renamed = await api.send('POST', '/profile/setup-username/', { username: 'night_owl' })
    expect(renamed.body.username).toBe('night_owl')
    const token = await server.linkToken('name@example.org')
    const { body } = await server.anyone.send('POST', '/auth/verify-magic-link', { token })
    expect(body.has_username).toBe(true)
  })

  it.each(['ab', 'x'.repeat(21), 'with space', 'é_accent', 'dash-ed', '', '   ', 'a\nbc', 7, null])(
    'is rejected: %j',
    async username => {
      const { api } = await server.signIn('rules@example.org')
      const answer = await api.send('POST', '/profile/setup-username', { username })
      expect(answer.status).toBe(422)
      if (typeof username === 'string')
        expect(answer.body.detail).toEqual([`username: ${DETAILS.usernameRule}`])
    },
  )

  it('is unique in any case, and is set without other fields', async () => {
    const [one, two] = [await server.signIn('one@example.org'), await server.signIn('two@example.org')]
    const choose = (who: typeof one, username: string) =>
      who.api.send('POST', '/profile/setup-username', { username })
    await choose(one, 'Wanted')
    for (const username of ['Wanted', 'wanted', 'WANTED'])
      expect(await choose(two, username)).toMatchObject(refusal(409, DETAILS.usernameTaken))
    expect((await choose(one, 'WANTED')).status).toBe(200)
    await choose(one, 'Free_again')
    expect((await choose(two, 'wanted')).status).toBe(200)
    const more = await two.api.send('POST', '/profile/setup-username', { username: 'abc', is_admin: true })
    expect(more).toMatchObject({ status: 422, body: { detail: ['is_admin: is not a known field'] } })
  })

  it('is assigned to one of 20 concurrent requests', { tags: 'long' }, async () => {
    const wanting = await Promise.all(
      Array.from({ length: 20 }, (_, n) => server.signIn(`rush${n}@example.org`)),
    )
    const answers = await Promise.all(
      wanting.map(({ api }, n) =>
        api.send('POST', '/profile/setup-username', { username: n % 2 ? 'RushHour' : 'rushhour' }),
      ),
    )
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(19)
  })

  it('is looked up by id, and its change invalidates caches', async () => {
    const { api } = await server.signIn('told@example.org')
    const { id, created_at } = (await api.send('GET', '/profile/me')).body
    const ids = [id, 'a'.repeat(24)]
    const lookup = () => server.internal(authInternal.lookupUsers, { body: { ids } })
    expect(await lookup()).toEqual([{ id, username: null, created_at }])
    const version = () => server.service.redis.get(usersVersionKey(server.service.config.REDIS_PREFIX))
    const before = await version()
    await api.send('POST', '/profile/setup-username', { username: 'told_one' })
    expect(await version()).not.toBe(before)
    expect(await lookup()).toEqual([{ id, username: 'told_one', created_at }])
  })

  it('is unchanged while Redis is down, as caches could not be invalidated', async () => {
    const redis = await startTestRedis()
    const lonely = await startTestServer(server.fixture, { REDIS_URL: redis.url })
    const { api } = await lonely.signIn('lonely@example.org')
    await api.send('POST', '/profile/setup-username', { username: 'lonely_one' })
    await redis.stop()
    expect(await api.send('POST', '/profile/setup-username', { username: 'lonely_two' })).toMatchObject(
      refusal(503, DETAILS.unavailable),
    )
    expect((await api.send('GET', '/profile/me')).body.username).toBe('lonely_one')
    await lonely.close()
  })
})

describe('the community service', () => {
  const told = (id: string) => server.fixture.events.filter(event => event.data.id === id)
  const waiting = (id: string) => server.service.mongo.collection('outbox').find({ key: id }).toArray()

  it('receives each new account and name, also while Redis is empty', async () => {
    const { api } = await server.signIn('event@example.org')
    const { id, created_at } = (await api.send('GET', '/profile/me')).body
    const created = { type: 'user.created', data: { id, username: null, created_at } }
    await vi.waitFor(() => expect(told(id)).toEqual([created]), 30_000)
    for (const [n, username] of ['event_one', 'event_two'].entries()) {
      await server.service.redis.flushall()
      await api.send('POST', '/profile/setup-username', { username })
      const renamed = { type: 'user.renamed', data: { id, username, revision: n + 1 } }
      await vi.waitFor(() => expect(told(id)).toContainEqual(renamed), 30_000)
    }
    await vi.waitFor(async () => expect(await waiting(id)).toEqual([]), 30_000)
  })

  it('receives a permanently rejected account again after a day', async () => {
    server.fixture.answer(communityInternal.applyEvents, () => {
      throw new HttpError(422, 'not like this')
    })
    const { api } = await server.signIn('refused@example.org')
    const { id } = (await api.send('GET', '/profile/me')).body
    await vi.waitFor(
      async () => expect(await waiting(id)).toMatchObject([{ error: 'not like this' }]),
      30_000,
    )
    const [entry] = await waiting(id)
    expect(entry?.due_at.getTime()).toBeGreaterThan(Date.now() + 23 * 3_600_000)
    await server.service.outbox.drop(String(entry?._id))
  })
})

describe('a sign-in mail', () => {
  const waiting = () => server.service.mongo.collection('outbox').find({ kind: 'mail' }).toArray()
  const queue = () => server.service.queues.queue('mail')

  it('is enqueued again as the same mail if Redis lost it before delivery', async () => {
    await queue().pause()
    await server.anyone.send('POST', '/auth/request-magic-link', { email: 'lost@example.org' })
    const before = await vi.waitFor(async () => {
      const [job] = await queue().getJobs(['wait'])
      expect(job).toBeDefined()
      return job
    }, 30_000)
    // Flushing also ends the pause of the queue.
    await server.service.redis.flushall()
    await server.service.mongo
      .collection('outbox')
      .updateMany({ kind: 'mail' }, { $set: { due_at: new Date(0) } })
    server.service.outbox.wake()
    await vi.waitFor(async () => {
      expect(server.mails.filter(({ to }) => to === 'lost@example.org')).toHaveLength(1)
      expect((await waiting()).map(({ key }) => key)).not.toContain(before?.id)
    }, 30_000)
  })

  it('is sealed in the outbox, and removed once a mail server accepts it', async () => {
    await queue().pause()
    await server.anyone.send('POST', '/auth/request-magic-link', { email: 'taken@example.org' })
    const [mail] = await waiting()
    expect(JSON.stringify(mail)).not.toContain('taken@')
    await server.internal(mailsInternal.completeMail, { params: { id: String(mail?.key) } })
    expect(await waiting()).toEqual([])
    await queue().obliterate({ force: true })
    await queue().resume()
  })

  it('is not sent after its link has expired', async () => {
    const now = new Date()
    const payload = { id: 'dead', sealed: 'x', created_at: 0, expires_at: 1 }
    const entry = { kind: 'mail', key: 'dead', payload, attempts: 0, due_at: now, created_at: now }
    await server.service.mongo.collection('outbox').insertOne(entry)
    server.service.outbox.wake()
    await vi.waitFor(async () => expect(await waiting()).toEqual([]), 30_000)
    expect(await queue().getJob('dead')).toBeUndefined()
  })
})

describe('the AI key', () => {
  const canary = 'sk-canary-4f1c9b7e2a'

  it('is stored and removed idempotently and never revealed', async () => {
    const { api } = await server.signIn('key@example.org')
    const answers = [
      await api.send('POST', '/profile/update-openai-key', { api_key: `  ${canary} ` }),
      await api.send('POST', '/profile/update-openai-key', { api_key: canary }),
      await api.send('GET', '/profile/me'),
      await api.send('POST', '/profile/update-openai-key', { api_key: canary, extra: canary }),
      await api.send('POST', '/profile/update-openai-key', `{"api_key":"${canary}"`),
      await api.send('POST', `/profile/update-openai-key/${canary}`, { api_key: canary }),
    ]
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 422, 400, 404])
    expect(answers[0]?.body).toEqual({ has_openai_key: true })
    expect(answers[2]?.body.has_openai_key).toBe(true)

    const { id } = answers[2]?.body ?? {}
    const keyOf = async (id: string) =>
      (await server.internal(authInternal.getSealedAiKey, { params: { id } })).sealed
    const sealed = (await keyOf(id)) ?? ''
    const secrets = server.fixture.env.SECRETS_KEY ?? ''
    expect(unseal(secrets, `ai-key:${id}`, sealed)).toBe(canary)
    const other = await server.signIn('thief@example.org')
    const thief = (await other.api.send('GET', '/profile/me')).body.id
    await users().updateOne({ _id: thief }, { $set: { sealed_ai_key: sealed } })
    const moved = (await keyOf(thief)) ?? ''
    expect(() => unseal(secrets, `ai-key:${thief}`, moved)).toThrow()

    const seen = JSON.stringify([
      answers,
      sealed,
      server.logs,
      await server.dump(),
      await redisContents(server.fixture.redis.url),
    ])
    expect(seen).not.toContain('canary')
    expect(server.logs.length).toBeGreaterThan(10)

    for (let times = 0; times < 2; times++)
      expect(await api.send('DELETE', '/profile/remove-openai-key')).toMatchObject({
        status: 200,
        body: { has_openai_key: false },
      })
    expect(await keyOf(id)).toBeNull()
    expect((await api.send('GET', '/profile/me')).body.has_openai_key).toBe(false)
  })

  it.each(['', '   ', 'two\nlines', 'ключ', 'x'.repeat(501), 5, null])('rejects %j', async api_key => {
    const { api } = await server.signIn('nokey@example.org')
    const answer = await api.send('POST', '/profile/update-openai-key', { api_key })
    expect([answer.status, Object.keys(answer.body)]).toEqual([422, ['detail']])
    if (typeof api_key === 'string' && api_key.trim() === '')
      expect(answer.body.detail).toEqual(['api_key: API key cannot be empty'])
  })

  it('requires a session', async () => {
    for (const [method, path] of [
      ['GET', '/profile/me'],
      ['POST', '/profile/setup-username'],
      ['POST', '/profile/update-openai-key'],
      ['DELETE', '/profile/remove-openai-key'],
      ['GET', '/admin/beta-codes'],
      ['GET', '/admin/beta-codes/creators'],
      ['POST', '/auth/logout'],
    ] as const)
      expect(await server.anyone.send(method, path)).toMatchObject(refusal(401, DETAILS.unauthenticated))
  })
})

describe('an admin', () => {
  it('creates and lists beta codes; others may not', async () => {
    const [admin, user] = [await server.signIn('boss@example.org'), await server.signIn('user@example.org')]
    expect((await admin.api.send('GET', '/profile/me')).body.is_admin).toBe(true)
    for (const [method, body] of [['GET'], ['POST', {}]] as const)
      expect(await user.api.send(method, '/admin/beta-codes', body)).toMatchObject(
        refusal(403, DETAILS.forbidden),
      )
    const free = await admin.api.send('POST', '/admin/beta-codes', {})
    const blank = await admin.api.send('POST', '/admin/beta-codes', { email: '' })
    const bound = await admin.api.send('POST', '/admin/beta-codes', { email: ' Guest@Example.org ' })
    expect([free.status, blank.status, bound.status]).toEqual([201, 201, 201])
    expect(bound.body).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{24}$/),
      code: expect.stringMatching(/^[0-9A-Z]{5}-[0-9A-Z]{5}$/),
      email: 'guest@example.org',
      used: false,
      created_at: expect.any(String),
      used_at: null,
    })
    expect(blank.body.email).toBeNull()
    const list = await admin.api.send('GET', '/admin/beta-codes')
    expect(list.body).toEqual([bound.body, blank.body, free.body])
    expect((await admin.api.send('POST', '/admin/beta-codes', { email: 'x' })).status).toBe(422)
    expect((await admin.api.send('POST', '/admin/beta-codes', { used: true })).status).toBe(422)
  })

  it('lists codes in pages, newest first', async () => {
    const { api } = await server.signIn('boss@example.org')
    for (let n = 0; n < 5; n++) await api.send('POST', '/admin/beta-codes', {})
    const all = (await api.send('GET', '/admin/beta-codes')).body
    const seen: unknown[] = []
    for (let cursor: string | null = ''; cursor !== null; ) {
      const page = await api.send('GET', `/admin/beta-codes?limit=2${cursor && `&cursor=${cursor}`}`)
      expect(page.headers.get('x-total-count')).toBe(String(all.length))
      expect(page.body.length).toBeLessThanOrEqual(2)
      seen.push(...page.body)
      cursor = page.headers.get('x-next-cursor')
    }
    expect(seen).toEqual(all)
    for (const query of ['limit=0', 'limit=501', 'cursor=x', 'limit=1&what=1'])
      expect((await api.send('GET', `/admin/beta-codes?${query}`)).status).toBe(422)
  })

  it('is named as the creator of codes until the account is deleted', async () => {
    const [boss, root] = [await server.signIn('boss@example.org'), await server.signIn('root@example.org')]
    const codes = server.service.mongo.models.BetaCode!
    await codes.create({ code: 'OLDER-CODES', used: false, created_at: new Date(0) })
    const username = 'root_admin'
    const nameless = (await root.api.send('POST', '/admin/beta-codes', {})).body
    await root.api.send('POST', '/profile/setup-username', { username })
    const named = (await root.api.send('POST', '/admin/beta-codes', { email: 'guest@example.org' })).body
    const makerOf = async (code: string) => {
      const all = (await boss.api.send('GET', '/admin/beta-codes')).body
      const creators = (await boss.api.send('GET', '/admin/beta-codes/creators')).body
      expect(creators.map(({ id }: { id: string }) => id)).toEqual(all.map(({ id }: { id: string }) => id))
      return creators[all.findIndex((each: { code: string }) => each.code === code)].created_by_username
    }
    expect([await makerOf(nameless.code), await makerOf(named.code), await makerOf('OLDER-CODES')]).toEqual([
      username,
      username,
      null,
    ])
    const id = (await root.api.send('GET', '/profile/me')).body.id
    const kept = await server.internal(personalDataInternal.exportUser, { params: { id } })
    const made = kept.filter(({ kind }) => kind === 'made_beta_code')
    expect(made).toHaveLength(2)
    expect(JSON.stringify(kept)).not.toContain('guest@example.org')
    await server.internal(accountsInternal.deleteAccount, { body: { email: 'root@example.org' } })
    expect(await makerOf(named.code)).toBeNull()
    expect(await codes.countDocuments({ created_by: id })).toBe(0)
  })

  it('loses the role with the setting, with the token unchanged', async () => {
    const keys = { JWT_PRIVATE_KEY: newSigningKey() }
    const before = await startTestServer(server.fixture, keys)
    const { token } = await before.signIn('root@example.org')
    await before.close()
    const after = await startTestServer(server.fixture, { ...keys, ADMIN_EMAILS: 'boss@example.org' })
    const headers = { authorization: `Bearer ${token}` }
    expect((await after.anyone.send('GET', '/profile/me', undefined, headers)).body.is_admin).toBe(false)
    expect((await after.anyone.send('GET', '/admin/beta-codes', undefined, headers)).status).toBe(403)
    await after.close()
  })
})
