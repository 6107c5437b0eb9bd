import {
  accountsInternal,
  authInternal,
  DETAILS,
  DONE,
  personalDataInternal,
  servicesWith,
} from '@iodine/contracts'
import { createHttpApp, HttpError, sessionKey } from '@iodine/service-kit'
import { commandsOf, newId, runs, uniquePrefix } from '@iodine/test-kit'
import { Types } from 'mongoose'
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import {
  DAY_MS,
  expireIn,
  serverOfFile,
  sidOf,
  startReplica,
  startTestServer,
  statusOf,
  type TestServer,
} from './test-server.js'

const server = serverOfFile(undefined, { monitorCommands: true })

const daysAgo = (days: number) => new Date(Date.now() - days * DAY_MS)
const models = () => server.service.mongo.models
const users = () => models().User!
const outbox = () => server.service.mongo.collection('outbox')
const ERASURE_SERVICES = servicesWith(personalDataInternal.eraseUser)
const act = (action: 'suspend' | 'unsuspend' | 'delete', email: string) =>
  server.internal(accountsInternal[`${action}Account`], { body: { email } })
const check = (token: string) => server.internal(authInternal.checkSession, { body: { sid: sidOf(token) } })
const idOf = async (email: string): Promise<string> => String((await users().findOne({ email }))?._id)
/** Returns how often all other services have erased a user's data. */
const erasures = (id: string) =>
  server.fixture.forgotten.filter(each => each === id).length / ERASURE_SERVICES.length
const verify = (token: string) => server.anyone.send('POST', '/auth/verify-magic-link', { token })
const forgotten = (id: string, times: number) => vi.waitFor(() => expect(erasures(id)).toBe(times), 30_000)

describe('the last activity', () => {
  it('is recorded once a day, by sign-ins and by sessions in use', async () => {
    const email = 'active@example.org'
    const { token } = await server.signIn(email)
    const lastActive = async () => (await users().findOne({ email }))?.last_active_at as Date
    const first = await lastActive()
    expect(Date.now() - first.getTime()).toBeLessThan(60_000)
    await check(token)
    await server.signIn(email)
    expect(await lastActive()).toEqual(first)
    for (const use of [() => check(token), () => server.signIn(email)]) {
      await users().updateOne({ email }, { last_active_at: daysAgo(100), warning_taken_at: daysAgo(1) })
      await use()
      expect(Date.now() - (await lastActive()).getTime()).toBeLessThan(60_000)
      expect((await users().findOne({ email }).lean()) as object).not.toHaveProperty('warning_taken_at')
    }
  })
})

describe('an inactive account', () => {
  let replica: TestServer
  beforeAll(async () => {
    replica = await startReplica(server.fixture)
  })
  afterAll(() => replica?.close())
  const expire = () => expireIn(server, replica)
  const warnings = (to: string) =>
    server.mails.filter(mail => mail.template === 'inactive-account' && mail.to === to)
  const settled = async () => {
    for (const { service } of [server, replica])
      await expect
        .poll(() => service.queues.queue('mail').getJobCountByTypes('wait', 'active', 'delayed'), {
          timeout: 30_000,
        })
        .toBe(0)
  }
  const sleeper = async (name: string, days: number) => {
    const email = `${name}@example.org`
    await server.signIn(email)
    await users().updateOne({ email }, { last_active_at: daysAgo(days) })
    return email
  }
  afterEach(() => users().deleteMany({ email: /^sleeper/ }))

  it('is warned once by several replicas, 30 days before its deletion', async () => {
    const [soon, later] = [await sleeper('sleeper1', 337), await sleeper('sleeper2', 330)]
    expect(await expire()).toEqual({ warned: 1, deleted: 0 })
    expect(await expire()).toEqual({ warned: 0, deleted: 0 })
    await settled()
    const [warning, ...more] = warnings(soon)
    expect([more, warnings(later)]).toEqual([[], []])
    const left = Date.parse((warning as { delete_at: string }).delete_at) - Date.now()
    expect(left).toBeGreaterThan(29.9 * DAY_MS)
    expect(left).toBeLessThan(31 * DAY_MS)
    expect(await users().countDocuments({ email: /^sleeper/ })).toBe(2)
  })

  it('is warned after a crash before the mail was enqueued', async () => {
    const email = await sleeper('sleeper3', 340)
    await users().updateOne({ email }, { warning_queued_at: daysAgo(0) })
    expect(await expire()).toMatchObject({ warned: 0 })
    await users().updateOne({ email }, { warning_queued_at: daysAgo(0.1) })
    expect(await expire()).toMatchObject({ warned: 1 })
    await expire()
    await settled()
    expect(warnings(email)).toHaveLength(1)
  })

  it('is warned repeatedly and not deleted while the mail server accepts no warning', async () => {
    const email = await sleeper('sleeper6', 800)
    for (let days = 40; days > 0; days -= 10) {
      await users().updateOne({ email }, { warning_queued_at: daysAgo(days) })
      expect(await expire()).toEqual({ warned: 1, deleted: 0 })
      await settled()
    }
    expect(warnings(email)).toHaveLength(4)
    // A pending warning in the queue is not added twice.
    await server.service.queues.queue('mail').pause()
    for (let n = 0; n < 2; n++) {
      await users().updateOne({ email }, { warning_queued_at: daysAgo(1) })
      expect(await expireIn(server)).toMatchObject({ warned: 1 })
    }
    expect(await server.service.queues.queue('mail').getWaitingCount()).toBe(1)
    await server.service.queues.queue('mail').resume()
    await settled()
    expect(await users().countDocuments({ email })).toBe(1)
  })

  it('accepts the first confirmation of a warning, only for the current period of inactivity', async () => {
    const email = await sleeper('sleeper7', 345)
    await expire()
    await settled()
    const { user_id, last_active_at } = warnings(email)[0] as { user_id: string; last_active_at: string }
    const word = (outcome: 'taken' | 'refused', of = last_active_at) =>
      server.internal(accountsInternal.confirmWarning, {
        params: { id: user_id },
        body: { last_active_at: of, outcome },
      })
    const state = async () => users().findOne({ email }).lean<Record<string, unknown>>()
    await word('taken', new Date(0).toISOString())
    expect(await state()).not.toHaveProperty('warning_taken_at')
    await word('refused')
    const first = await state()
    expect(first).toMatchObject({ warning_taken_at: expect.any(Date), warning_refused: true })
    await word('taken')
    expect(await state()).toEqual(first)
    expect(await expire()).toEqual({ warned: 0, deleted: 0 })
  })

  it.each(['taken', 'refused'] as const)(
    'is deleted 30 days after its warning was %s, and never without a warning',
    async outcome => {
      const email = await sleeper('sleeper4', 800)
      const id = await idOf(email)
      expect(await expire()).toEqual({ warned: 1, deleted: 0 })
      await users().updateOne({ email }, { warning_queued_at: daysAgo(31) })
      expect(await expire()).toMatchObject({ deleted: 0 })
      await settled()
      const { user_id, last_active_at } = warnings(email).at(-1) as {
        user_id: string
        last_active_at: string
      }
      await server.internal(accountsInternal.confirmWarning, {
        params: { id: user_id },
        body: { last_active_at, outcome },
      })
      await users().updateOne({ email }, { warning_taken_at: daysAgo(29) })
      expect(await expire()).toMatchObject({ deleted: 0 })
      await users().updateOne({ email }, { warning_taken_at: daysAgo(31) })
      expect(await expire()).toMatchObject({ deleted: 1 })
      expect(await users().exists({ email })).toBeNull()
      await forgotten(id, 1)
    },
  )

  it('is warned by the run that warns a whole batch of 100 others', { tags: 'long' }, async () => {
    const email = await sleeper('sleeper8', 340)
    const user = await users().findOne({ email }).lean<object>()
    await users().insertMany(
      Array.from({ length: 100 }, (_, n) => ({
        ...user,
        _id: new Types.ObjectId(),
        email: `sleeper8-${n}@example.org`,
      })),
    )
    expect(await expireIn(server)).toEqual({ warned: 101, deleted: 0 })
    expect(await users().countDocuments({ email: /^sleeper8/, warning_queued_at: null })).toBe(0)
    await settled()
  })

  it('is kept when its owner returns after the mail, and is warned again in the next period', async () => {
    const email = await sleeper('sleeper5', 340)
    await expire()
    await server.signIn(email)
    await users().updateOne({ email }, { last_active_at: daysAgo(345) })
    expect(await expire()).toEqual({ warned: 1, deleted: 0 })
    await settled()
    expect(warnings(email)).toHaveLength(2)
  })
})

it('expiry writes nothing if nothing is due', async () => {
  const { writes } = await commandsOf(server.service.mongo, async () => {
    for (const name of ['account-expiry', 'audit-expiry']) await server.service.tasks.run(name)
  })
  expect(writes.filter(command => !command.endsWith(' key_uses'))).toEqual([])
})

describe('a suspended account', () => {
  it('loses its sessions, links and codes at once and rejects sign-ins', async () => {
    const email = 'banned@example.org'
    const [one, two] = [await server.signIn(email), await server.signIn(email)]
    const code = (await one.api.send('POST', '/auth/generate-extension-code')).body.code
    const link = await server.linkToken(email)
    await act('suspend', ' Banned@example.org')
    for (const { token } of [one, two]) {
      expect(await statusOf(check(token))).toBe(404)
      const key = sessionKey(server.service.config.REDIS_PREFIX, sidOf(token))
      expect(await server.service.redis.get(key)).toBe('revoked')
    }
    expect(await verify(link)).toMatchObject({ status: 400, body: { detail: DETAILS.badToken } })
    const redeemed = await server.anyone.send('POST', '/auth/redeem-extension-code', { code })
    expect(redeemed).toMatchObject({ status: 400, body: { detail: DETAILS.badExtensionCode } })

    // The response does not reveal the suspension; the suspended mailbox gets no link.
    const [suspended, unknown] = await Promise.all(
      [email, 'nobody-knows@example.org'].map(each =>
        server.anyone.send('POST', '/auth/request-magic-link', { email: each }),
      ),
    )
    expect([suspended?.status, suspended?.body]).toEqual([unknown?.status, unknown?.body])
    const mailed = () => server.mails.filter(mail => mail.to === email).at(-1)
    for (let left = 3_000; left > 0 && mailed()?.template !== 'account-suspended'; left--)
      await new Promise(next => setTimeout(next, 10))
    expect(mailed()).toMatchObject({
      template: 'account-suspended',
      link: expect.not.stringContaining('token'),
    })

    await act('suspend', email)
    await act('unsuspend', email)
    expect((await server.signIn(email)).token).toBeTruthy()
    expect(await statusOf(act('suspend', 'no-one@example.org'))).toBe(404)
  })

  it('has no session after a concurrent sign-in', async () => {
    for (let round = 0; round < runs(5); round++) {
      const email = `flight${round}@example.org`
      await server.signIn(email)
      const link = await server.linkToken(email)
      const [answer] = await Promise.all([verify(link), act('suspend', email)])
      expect([200, 400]).toContain(answer.status)
      expect(await models().Session!.countDocuments({ user_id: await idOf(email) })).toBe(0)
      if (answer.status === 200) {
        const key = sessionKey(server.service.config.REDIS_PREFIX, sidOf(answer.body.access_token))
        expect(await server.service.redis.get(key)).toBe('revoked')
      }
    }
  }, 600_000)
})

describe('a deleted account', () => {
  it('releases its e-mail address and name and leaves no data in this service', async () => {
    const email = 'gone@example.org'
    const before = await server.signIn(email)
    await before.api.send('POST', '/profile/setup-username', { username: 'gone_one' })
    await before.api.send('POST', '/profile/update-openai-key', { api_key: 'sk-gone' })
    await before.api.send('POST', '/auth/generate-extension-code')
    const link = await server.linkToken(email)
    await models().BetaCode!.create([
      { code: 'AAAAA-AAAAA', email, used: true, used_by: email, created_at: new Date() },
      { code: 'BBBBB-BBBBB', email, used: false, created_at: new Date() },
    ])
    const id = await idOf(email)
    expect(await act('delete', email)).toEqual({ id })
    expect(await statusOf(act('delete', email))).toBe(404)

    expect(await statusOf(check(before.token))).toBe(404)
    expect(await server.internal(authInternal.lookupUsers, { body: { ids: [id] } })).toEqual([])
    expect(await verify(link)).toMatchObject({ status: 400 })
    await models().Deletion!.deleteMany({ _id: id })
    // The audit log contains the deletion of this id and no other data of the user.
    const log = models().AuditEntry!
    await vi.waitFor(async () => expect(await log.countDocuments({ 'entry.subject.id': id })).toBe(1), 30_000)
    expect(JSON.stringify(await log.find().lean())).not.toContain(email)
    expect((await log.find({ 'entry.subject.id': id }).lean()).map(({ entry }) => entry.action)).toEqual([
      'account.deleted',
    ])
    await log.deleteMany({ 'entry.subject.id': id })
    await outbox().deleteMany({ key: id })
    const left = await server.dump()
    for (const trace of [email, id, 'gone_one', 'BBBBB-BBBBB']) expect(left).not.toContain(trace)
    expect(await models().BetaCode!.findOne({ code: 'AAAAA-AAAAA' }).lean()).toMatchObject({ used: true })

    const after = await server.signIn(email)
    const named = await after.api.send('POST', '/profile/setup-username', { username: 'Gone_One' })
    expect(named.body).toMatchObject({ username: 'Gone_One', has_openai_key: false })
    expect(named.body.id).not.toBe(id)
  })

  it('is completed after a crash at any point', async () => {
    const email = 'cut@example.org'
    await server.signIn(email)
    const id = await idOf(email)
    // Crash after the deletion mark, which already prevents sign-in.
    await users().updateOne({ email }, { deleted_at: daysAgo(1) })
    expect(await verify(await server.linkToken(email))).toMatchObject({ status: 400 })
    const now = new Date()
    const left = { kind: 'user.deleted', key: id, payload: { id }, attempts: 1, lease: 'of a dead one' }
    await outbox().insertOne({ ...left, due_at: now, created_at: now })
    server.service.outbox.wake()
    await forgotten(id, 1)
    expect(await users().exists({ email })).toBeNull()
  })

  it('removes the jobs with its id from the queues, and no others', async () => {
    const { queues } = server.service
    const email = 'queued@example.org'
    await server.signIn(email)
    const user_id = await idOf(email)
    const later = { delay: 3_600_000 }
    const theirs = await queues.add('canon', { user_id }, later)
    const others = await queues.add('canon', { user_id: newId() }, later)
    await act('delete', email)
    const isThere = async (id: unknown) => (await queues.queue('canon').getJob(String(id))) !== undefined
    await vi.waitFor(async () => expect(await isThere(theirs.id)).toBe(false), 30_000)
    expect(await isThere(others.id)).toBe(true)
  })

  it('is erased by sightings after the collector, which delivers to sightings', async () => {
    const sightings = createHttpApp({ logger: server.fixture.deps.logger })
    const before: number[] = []
    sightings.all('/*', async () => {
      before.push(server.fixture.forgotten.length)
      return DONE
    })
    onTestFinished(() => sightings.close())
    const env = {
      SIGHTINGS_URL: await sightings.listen({ host: '127.0.0.1', port: 0 }),
      MONGODB_PREFIX: uniquePrefix(),
    }
    const other = await startTestServer(server.fixture, env)
    onTestFinished(() => other.close())
    server.fixture.forgotten.length = 0
    server.fixture.answer(personalDataInternal.eraseUser, async ({ params }) => {
      await other.service.mongo.db?.command({ ping: 1 })
      server.fixture.forgotten.push(params.id)
      return DONE
    })
    const email = 'indexed@example.org'
    await other.signIn(email)
    await other.internal(accountsInternal.deleteAccount, { body: { email } })
    await vi.waitFor(() => expect(before).toEqual([ERASURE_SERVICES.length - 1]), 30_000)
  })

  it('is erased once a failed service is up again', async () => {
    let failures = 2
    server.fixture.answer(personalDataInternal.eraseUser, ({ params }) => {
      if (failures-- > 0) throw new HttpError(503, DETAILS.unavailable)
      server.fixture.forgotten.push(params.id)
      return DONE
    })
    const email = 'waits@example.org'
    await server.signIn(email)
    const { id } = await act('delete', email)
    const state = () => server.internal(accountsInternal.getDeletion, { params: { id } })
    await vi.waitFor(async () => expect(await state()).toEqual({ erased: true }), 30_000)
    expect(erasures(id)).toBeGreaterThanOrEqual(1)
  })

  it('is erased at once, and again when no request of it can be in flight', async () => {
    const email = 'twice@example.org'
    await server.signIn(email)
    const { id } = await act('delete', email)
    const state = () => server.internal(accountsInternal.getDeletion, { params: { id } })
    await vi.waitFor(async () => expect(await state()).toEqual({ erased: true }), 30_000)
    const [entry] = await outbox().find({ kind: 'user.deleted', key: id }).toArray()
    const deletion = await models().Deletion!.findById(id).lean<{ deleted_at: Date }>()
    expect((entry?.due_at.getTime() ?? 0) - deletion!.deleted_at.getTime()).toBeGreaterThan(299_000)
    expect(erasures(id)).toBe(1)
    await models().Deletion!.updateOne({ _id: id }, { deleted_at: daysAgo(1) })
    await outbox().updateOne({ kind: 'user.deleted', key: id }, { $set: { due_at: new Date(0) } })
    server.service.outbox.wake()
    await forgotten(id, 2)
    await vi.waitFor(async () => expect(await statusOf(state())).toBe(404), 30_000)
    await vi.waitFor(async () => expect(await outbox().countDocuments({ key: id })).toBe(0), 30_000)
  })
})
