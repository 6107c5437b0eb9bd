import {
  authApi,
  authInternal,
  type BackupFault,
  backupsInternal,
  DETAILS,
  DONE,
  LIMITS,
  outboxInternal,
  peopleApi,
  profileApi,
  SERVICE_NAMES,
  systemApi,
  usageInternal,
} from '@iodine/contracts'
import { createPeers, HttpError, hashOf, SESSION_REVOKED, sessionKey } from '@iodine/service-kit'
import {
  type ApiClient,
  runs,
  type ServiceFixture,
  startServiceFixture,
  startTestRedis,
} from '@iodine/test-kit'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { runBackupDone, runBackupFailed } from '../src/backup-done.js'
import { startTestServer, statusOf, type TestServer } from './test-server.js'

let fixture: ServiceFixture
let server: TestServer
let boss: Awaited<ReturnType<TestServer['signIn']>>
/** Limits that the fixture received, by user, and whether it rejects them. */
const sentLimits = new Map<string, { revision: number; limits: object }[]>()
let isDown = false

beforeAll(async () => {
  fixture = await startServiceFixture()
  server = await startTestServer(fixture)
  fixture.answer(usageInternal.getUsage, () => ({ iods: { used: 3, limit: 5 } }))
  fixture.answer(usageInternal.setLimits, ({ params, body }) => {
    if (isDown) throw new Error('down')
    sentLimits.set(params.id, [...(sentLimits.get(params.id) ?? []), body])
    return { done: true as const }
  })
  boss = await server.signIn('boss@example.org')
})
afterAll(async () => {
  await server?.close()
  await fixture?.stop()
})
beforeEach(() => {
  isDown = false
})

const sidOf = (token: string): string =>
  JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()).sid
const member = async (email: string, username?: string) => {
  const signedIn = await server.signIn(email)
  if (username) await signedIn.api.call(profileApi.setupUsername, { body: { username } })
  return { ...signedIn, id: (await signedIn.api.call(profileApi.getProfile)).id }
}
const found = async (search: string) =>
  (await boss.api.call(peopleApi.listPeople, { query: { search } })).map(({ email }) => email).sort()
const check = (token: string) => server.internal(authInternal.checkSession, { body: { sid: sidOf(token) } })

describe('people', () => {
  it('are found by a prefix of the name or address, and by id, with any characters', async () => {
    const ana = await member('ana.one@example.org', 'Ana_One')
    await member('anabel@example.org', 'zoe_1')
    await member('other@example.org', 'anton')
    expect(await found('ANA')).toEqual(['ana.one@example.org', 'anabel@example.org'])
    expect(await found('ana_')).toEqual(['ana.one@example.org'])
    expect(await found('an')).toEqual(['ana.one@example.org', 'anabel@example.org', 'other@example.org'])
    expect(await found('zoe')).toEqual(['anabel@example.org'])
    expect(await found(ana.id)).toEqual(['ana.one@example.org'])
    // The list shows names with an @.
    expect(await found('@Ana_')).toEqual(['ana.one@example.org'])
    for (const hostile of [
      '.*',
      '^a',
      'a.*',
      '(',
      '[',
      '\\\\',
      '$gt',
      'ana.one@example.org$',
      '\u{10ffff}',
      '%',
      '{}',
    ])
      expect([hostile, await found(hostile)]).toEqual([hostile, []])
    const long = await boss.api.send('GET', `/admin/people?search=${'x'.repeat(201)}`)
    expect(long.status).toBe(422)
    const operator = await boss.api.send('GET', '/admin/people?search[$gt]=')
    expect(operator.status).toBe(422)
  })

  it('are listed newest first in pages, each once', async () => {
    for (const search of [undefined, 'page']) {
      const seen: string[] = []
      for (let n = 0; n < 5 && !search; n++) await member(`page${n}@example.org`)
      let cursor: string | undefined
      do {
        const query = new URLSearchParams({
          limit: '2',
          ...(search && { search }),
          ...(cursor && { cursor }),
        })
        const page = await boss.api.send('GET', `/admin/people?${query}`)
        expect(page.body.length).toBeLessThanOrEqual(2)
        seen.push(...page.body.map(({ email }: { email: string }) => email))
        cursor = page.headers.get('x-next-cursor') ?? undefined
      } while (cursor)
      expect(new Set(seen).size).toBe(seen.length)
      const pages = [4, 3, 2, 1, 0].map(n => `page${n}@example.org`)
      expect(seen.filter(email => email.startsWith('page'))).toEqual(pages)
      expect(seen.includes('boss@example.org')).toBe(search === undefined)
    }
    expect((await boss.api.send('GET', '/admin/people?limit=101')).status).toBe(422)
    expect((await boss.api.send('GET', '/admin/people?cursor=nonsense')).status).toBe(422)
  })

  it('are available only to administrators', async () => {
    const { api, id } = await member('curious@example.org')
    const calls = [
      ['GET', '/admin/people'],
      ['GET', `/admin/people/${id}`],
      ['POST', `/admin/people/${id}/suspend`],
      ['POST', `/admin/people/${id}/unsuspend`],
      ['POST', `/admin/people/${id}/end-sessions`],
      ['POST', `/admin/people/${id}/revoke-tokens`],
      ['PATCH', `/admin/people/${id}/limits`],
      ['GET', '/admin/parts'],
      ['GET', '/admin/queues'],
    ] as const
    for (const [method, path] of calls) {
      const body = method === 'PATCH' ? { iods: 1 } : undefined
      expect([path, (await api.send(method, path, body)).status]).toEqual([path, 403])
    }
    for (const action of ['suspend', 'end-sessions', 'revoke-tokens']) {
      const unknown = await boss.api.send('POST', `/admin/people/${'0'.repeat(24)}/${action}`)
      expect([action, unknown.status]).toEqual([action, 404])
    }
  })
})

describe('a suspension', () => {
  it('ends all sessions at once and is reversible', async () => {
    const { id, token, api } = await member('noisy@example.org')
    const params = { id }
    expect(await boss.api.call(peopleApi.suspendPerson, { params })).toMatchObject({
      suspended_at: expect.any(String),
      sessions: 0,
    })
    expect(await statusOf(check(token))).toBe(404)
    const key = sessionKey(server.service.config.REDIS_PREFIX, sidOf(token))
    expect(await server.service.redis.get(key)).toBe('revoked')
    expect(await boss.api.call(peopleApi.unsuspendPerson, { params })).toMatchObject({ suspended_at: null })
    expect(await statusOf(check(token))).toBe(404)
    await server.signIn('noisy@example.org')
    expect(api).toBeDefined()
  })

  it('does not apply to administrators, including oneself', async () => {
    const { id: own } = await boss.api.call(profileApi.getProfile)
    const root = await member('root@example.org')
    for (const id of [own, root.id])
      for (const action of ['suspend', 'unsuspend'])
        expect(await boss.api.send('POST', `/admin/people/${id}/${action}`)).toMatchObject({
          status: 409,
          body: { detail: DETAILS.suspendAdmin },
        })
    expect(await statusOf(check(root.token))).toBe(200)
  })

  it('leaves no session to a suspended account under 50 concurrent changes', {
    tags: 'long',
  }, async () => {
    for (let round = 0; round < runs(2); round++) {
      const email = `raced${round}@example.org`
      const { id } = await member(email)
      const params = { id }
      const answers = await Promise.all(
        Array.from({ length: 50 }, (_, n) =>
          boss.api.call(n % 2 ? peopleApi.suspendPerson : peopleApi.unsuspendPerson, { params }),
        ),
      )
      expect(answers).toHaveLength(50)
      const person = await boss.api.call(peopleApi.getPerson, { params })
      if (person.suspended_at) expect(person.sessions).toBe(0)
      await boss.api.call(peopleApi.suspendPerson, { params })
      expect(await boss.api.call(peopleApi.getPerson, { params })).toMatchObject({ sessions: 0 })
    }
  })
})

it('ends all sessions of a person, and of oneself all but the requesting one', async () => {
  const one = await member('everywhere@example.org')
  const two = await server.signIn('everywhere@example.org')
  // A stolen session may have created this code.
  const { code } = await two.api.call(authApi.generateExtensionCode)
  expect(await boss.api.call(peopleApi.endPersonSessions, { params: { id: one.id } })).toEqual({ ended: 2 })
  for (const { token } of [one, two]) expect(await statusOf(check(token))).toBe(404)
  expect(await statusOf(server.anyone.call(authApi.redeemExtensionCode, { body: { code } }))).toBe(400)
  const again = await member('boss@example.org')
  expect(await boss.api.call(peopleApi.endPersonSessions, { params: { id: again.id } })).toEqual({ ended: 1 })
  expect(await statusOf(check(again.token))).toBe(404)
  expect(await statusOf(check(boss.token))).toBe(200)
})

describe('API tokens and feed keys of a person', () => {
  const HOUR_MS = 3_600_000
  const makeToken = async (api: ApiClient, lifeMs = HOUR_MS) => {
    const expires_at = new Date(Date.now() + lifeMs).toISOString()
    const body = { name: 'Theirs alone', scopes: ['read' as const], expires_at }
    return (await api.call(profileApi.createApiToken, { body })).token
  }
  const makeKey = async (api: ApiClient, lifeMs?: number) => {
    const expires_at = lifeMs === undefined ? null : new Date(Date.now() + lifeMs).toISOString()
    const body = { label: 'Theirs alone', tlp: 'green' as const, expires_at }
    return (await api.call(profileApi.createFeedKey, { body })).key
  }
  const isLive = async (secret: string, at = server) => {
    const spec = secret.startsWith('iodine_api_') ? authInternal.checkApiToken : authInternal.checkFeedKey
    return (await statusOf(at.internal(spec, { body: { hash: hashOf(secret) } }))) === 200
  }
  const tombstoneOf = (token: string, at = server) =>
    at.service.redis.get(sessionKey(at.service.config.REDIS_PREFIX, hashOf(token)))
  const revoke = (id: string) => boss.api.call(peopleApi.revokePersonTokens, { params: { id } })
  const entriesOf = (id: string) =>
    server.service.mongo
      .collection('audit_entries')
      .find({ 'entry.action': 'account.tokens-revoked', 'entry.subject.id': id })
      .sort({ seq: 1 })
      .toArray()
  const counts = async (id: string) => {
    const { api_tokens, feed_keys } = await boss.api.call(peopleApi.getPerson, { params: { id } })
    return { api_tokens, feed_keys }
  }

  it('are counted while valid, without their names, and end at once, only those of the person', async () => {
    const [leaked, other] = [await member('leaked@example.org'), await member('not-leaked@example.org')]
    const secrets = [
      await makeToken(leaked.api),
      await makeToken(leaked.api),
      await makeKey(leaked.api),
      await makeKey(leaked.api, HOUR_MS),
    ]
    const others = [await makeToken(other.api), await makeKey(other.api)]
    // Expired: listed only to their owner.
    await Promise.all([makeToken(leaked.api), makeKey(leaked.api, HOUR_MS)])
    for (const model of ['ApiToken', 'FeedKey'])
      await server.service.mongo.models[model]
        ?.findOneAndUpdate({ user_id: leaked.id }, { expires_at: new Date(Date.now() - 1_000) })
        .sort({ _id: -1 })
    expect(await counts(leaked.id)).toEqual({ api_tokens: 2, feed_keys: 2 })
    const shown = await boss.api.send('GET', `/admin/people/${leaked.id}`)
    expect(JSON.stringify(shown.body)).not.toContain('Theirs alone')
    for (const secret of [...secrets, ...others]) expect(await isLive(secret)).toBe(true)

    expect(await revoke(leaked.id)).toEqual({ api_tokens: 2, feed_keys: 2 })
    for (const secret of secrets) expect(await isLive(secret)).toBe(false)
    for (const token of secrets.slice(0, 2)) expect(await tombstoneOf(token)).toBe(SESSION_REVOKED)
    for (const secret of others) expect(await isLive(secret)).toBe(true)
    expect(await counts(leaked.id)).toEqual({ api_tokens: 0, feed_keys: 0 })
    expect(await counts(other.id)).toEqual({ api_tokens: 1, feed_keys: 1 })
    // Sessions stay valid, and their owner still sees expired tokens and keys.
    expect(await statusOf(check(leaked.token))).toBe(200)
    expect(await leaked.api.call(profileApi.listApiTokens)).toHaveLength(1)
    expect(await leaked.api.call(profileApi.listFeedKeys)).toHaveLength(1)
    expect(await revoke(leaked.id)).toEqual({ api_tokens: 0, feed_keys: 0 })

    await expect.poll(async () => (await entriesOf(leaked.id)).length).toBe(2)
    const entries = await entriesOf(leaked.id)
    expect(entries.map(({ entry }) => [entry.count, entry.outcome, entry.via])).toEqual([
      [4, 'done', 'web'],
      [0, 'done', 'web'],
    ])
    for (const secret of ['Theirs', ...secrets, ...secrets.map(hashOf)])
      expect(JSON.stringify(entries)).not.toContain(secret)
  })

  it('of an administrator, including oneself, are revoked as well', async () => {
    const root = await member('root@example.org')
    const { id } = await boss.api.call(profileApi.getProfile)
    const secrets = [await makeToken(root.api), await makeKey(boss.api)]
    expect([await revoke(root.id), await revoke(id)]).toEqual([
      { api_tokens: 1, feed_keys: 0 },
      { api_tokens: 0, feed_keys: 1 },
    ])
    for (const secret of secrets) expect(await isLive(secret)).toBe(false)
  })

  it('that are created meanwhile are revoked and counted, or stay valid', async () => {
    for (let round = 0; round < runs(4); round++) {
      const { id, api } = await member(`making${round}@example.org`)
      const before = [await makeToken(api), await makeKey(api)]
      const making = Array.from({ length: 12 }, (_, n) => (n % 2 ? makeToken(api) : makeKey(api)))
      const revoking = [revoke(id), revoke(id), revoke(id)]
      const made = await Promise.all(making)
      const revoked = (await Promise.all(revoking)).reduce(
        (sum, each) => sum + each.api_tokens + each.feed_keys,
        0,
      )
      for (const secret of before) expect(await isLive(secret)).toBe(false)
      const live = (await Promise.all(made.map(secret => isLive(secret)))).filter(Boolean).length
      expect(revoked + live).toBe(before.length + made.length)
      const left = await counts(id)
      expect(left.api_tokens + left.feed_keys).toBe(live)
      // Another revocation ends the rest, and revoked ones stay invalid.
      expect(await revoke(id)).toEqual(left)
      for (const secret of [...before, ...made]) expect(await isLive(secret)).toBe(false)
      for (const token of made.filter(secret => secret.startsWith('iodine_api_')))
        expect(await tombstoneOf(token)).toBe(SESSION_REVOKED)
    }
  })

  it('are revoked with 503 while Redis is down, and completely after the recovery', {
    tags: 'long',
  }, async () => {
    const redis = await startTestRedis()
    const env = { MONGODB_PREFIX: 'people_without_redis' }
    const alone = await startTestServer(fixture, { ...env, REDIS_URL: redis.url })
    const [{ api }, admin] = [
      await alone.signIn('offline@example.org'),
      await alone.signIn('boss@example.org'),
    ]
    const { id } = await api.call(profileApi.getProfile)
    const secrets = [await makeToken(api), await makeKey(api)]
    await redis.stop()
    for (let n = 0; n < 2; n++)
      expect(await admin.api.send('POST', `/admin/people/${id}/revoke-tokens`)).toMatchObject({
        status: 503,
        body: { detail: DETAILS.tokensRevoking },
      })
    for (const secret of secrets) expect(await isLive(secret, alone)).toBe(false)
    await alone.close()

    const back = await startTestServer(fixture, env)
    await expect.poll(() => tombstoneOf(secrets[0] ?? '', back), { timeout: 30_000 }).toBe(SESSION_REVOKED)
    await back.close()
  })
})

describe('own limits', () => {
  it('reach the services with increasing revisions, and are reset to the deployment’s', async () => {
    const { id } = await member('big@example.org')
    const params = { id }
    const change = (body: object) => boss.api.call(peopleApi.changeLimits, { params, body })
    expect(await change({ iods: 7, records: 9 })).toMatchObject({
      own_limits: { iods: 7, records: 9 },
      limits_pending: false,
    })
    expect(await change({ records: null })).toMatchObject({ own_limits: { iods: 7 }, limits_pending: false })
    const sent = sentLimits.get(id) ?? []
    expect(sent.at(0)?.limits).toEqual({ iods: 7, records: 9 })
    expect(sent.at(-1)?.limits).toEqual({ iods: 7 })
    expect(sent.at(-1)?.revision).toBeGreaterThan(sent.at(0)?.revision ?? 0)
  })

  const isPending = async (id: string) =>
    (await boss.api.call(peopleApi.getPerson, { params: { id } })).limits_pending
  const entries = (key: string) =>
    server.service.mongo.collection('outbox').countDocuments({ kind: 'limits.changed', key })

  it('wait for a service that is down', { tags: 'long' }, async () => {
    const { id } = await member('patient@example.org')
    isDown = true
    const params = { id }
    expect(await boss.api.call(peopleApi.changeLimits, { params, body: { iods: 8 } })).toMatchObject({
      own_limits: { iods: 8 },
      limits_pending: true,
    })
    expect(sentLimits.get(id)).toBeUndefined()
    isDown = false
    await expect.poll(() => isPending(id), { timeout: 30_000 }).toBe(false)
    expect(sentLimits.get(id)?.at(-1)?.limits).toEqual({ iods: 8 })
    await expect.poll(() => entries(id)).toBe(0)
  })

  it('are sent once to services that are up', async () => {
    const { id } = await member('once@example.org')
    await boss.api.call(peopleApi.changeLimits, { params: { id }, body: { iods: 8 } })
    const sent = sentLimits.get(id)?.length
    await expect.poll(() => entries(id), { timeout: 30_000 }).toBe(0)
    expect(sentLimits.get(id)?.length).toBe(sent)
  })

  it('are sent by the outbox if the service was killed before', async () => {
    const { id } = await member('killed@example.org')
    const limits = { own_limits: { iods: 9 }, own_limits_revision: Date.now(), own_limits_pending: true }
    await server.service.mongo.models.User!.updateOne({ _id: id }, limits)
    const now = new Date()
    const entry = {
      kind: 'limits.changed',
      key: id,
      payload: { id },
      attempts: 0,
      due_at: now,
      created_at: now,
    }
    await server.service.mongo.collection('outbox').insertOne(entry)
    server.service.outbox.wake()
    await expect.poll(() => isPending(id), { timeout: 30_000 }).toBe(false)
    expect(sentLimits.get(id)?.at(-1)?.limits).toEqual({ iods: 9 })
  })

  it('are consistent after concurrent changes', { tags: 'long' }, async () => {
    const { id } = await member('many@example.org')
    const params = { id }
    await Promise.all([
      ...[5, 6, 7].map(iods => boss.api.call(peopleApi.changeLimits, { params, body: { iods } })),
      boss.api.call(peopleApi.changeLimits, { params, body: { records: 4 } }),
    ])
    await expect.poll(() => isPending(id), { timeout: 30_000 }).toBe(false)
    const person = await boss.api.call(peopleApi.getPerson, { params })
    expect(person.own_limits).toMatchObject({ records: 4, iods: expect.any(Number) })
    const newest = [...(sentLimits.get(id) ?? [])].sort((a, b) => b.revision - a.revision)[0]
    expect(newest?.limits).toEqual(person.own_limits)
  })

  it('are positive integers of known quotas', async () => {
    const { id } = await member('strict@example.org')
    for (const body of [
      {},
      { iods: 0 },
      { iods: -1 },
      { iods: 1.5 },
      { iods: 2 ** 41 },
      { other: 1 },
      { iods: '5' },
    ])
      expect([body, (await boss.api.send('PATCH', `/admin/people/${id}/limits`, body)).status]).toEqual([
        body,
        422,
      ])
  })
})

it('reports unresponsive parts as down, and queues with their counts and last failures', async () => {
  const alone = await startTestServer(fixture, {
    COLLECTOR_URL: 'http://127.0.0.1:9',
    WORKERS_URL: server.url,
  })
  try {
    const { api } = await alone.signIn('boss@example.org')
    const partOf = async (of: string) => (await api.call(systemApi.listParts)).find(({ name }) => name === of)
    expect(await partOf('collector')).toEqual({
      name: 'collector',
      state: 'down',
      dependencies: null,
      process: null,
    })
    // Also down while it does not answer in time.
    await expect
      .poll(() => partOf('workers'))
      .toMatchObject({
        state: 'up',
        dependencies: { redis: 'up', mongodb: 'up' },
        process: { memory_bytes: expect.any(Number) },
      })
    const secret = 'whose address is ana@example.org'
    alone.service.queues.work('canon', async () => {
      throw Object.assign(new TypeError(secret))
    })
    const job = await alone.service.queues.add('canon', { user_id: '0'.repeat(24) }, { attempts: 1 })
    await alone.service.queues.waitFor('canon', job, 20_000).catch(() => {})
    const queues = await api.call(systemApi.listQueues)
    const canon = queues.find(({ name }) => name === 'canon')
    expect(canon).toMatchObject({ jobs: { failed: 1 }, last_failure: { reason: 'TypeError' } })
    expect(JSON.stringify(queues)).not.toContain('ana@')
    expect(queues.find(({ name }) => name === 'anchors')?.every_ms).toBe(3_600_000)
  } finally {
    await alone.close()
  }
})

it('lists, retries and removes failed work of all services and records it in the audit log', async () => {
  const work = (n: number) => ({
    id: String(n).padStart(24, '0'),
    kind: 'iod.created',
    error: 'not like this',
    attempts: n,
    created_at: new Date(n).toISOString(),
    failed_at: new Date(n).toISOString(),
  })
  let asked = 0
  fixture.answer(outboxInternal.listFailedWork, () => {
    if (++asked === 1) throw new HttpError(503, 'down')
    return [work(asked)]
  })
  const settled: unknown[] = []
  fixture.answer(outboxInternal.resolveFailedEntry, ({ params, body }) => {
    if (params.id === work(9).id) throw new HttpError(404, 'Not found')
    settled.push([params.id, body.action])
    return DONE
  })
  const all = await boss.api.call(systemApi.listFailedWork)
  expect(all).toHaveLength(SERVICE_NAMES.length - 1)
  expect(all.map(({ failed_at }) => failed_at)).toEqual(
    all
      .map(({ failed_at }) => failed_at)
      .toSorted()
      .reverse(),
  )
  const settle = (service: string, n: number, action: 'retry' | 'drop') =>
    boss.api.call(systemApi.resolveFailedEntry, { params: { service, id: work(n).id }, body: { action } })
  await settle('iods', 1, 'retry')
  await settle('auth', 2, 'drop')
  expect(settled).toEqual([
    [work(1).id, 'retry'],
    [work(2).id, 'drop'],
  ])
  await expect(settle('workers', 1, 'drop')).rejects.toMatchObject({ status: 404 })
  await expect(settle('iods', 9, 'drop')).rejects.toMatchObject({ status: 404 })
  const noted = () =>
    server.service.mongo
      .collection('audit_entries')
      .find({ 'entry.item': { $in: [work(1).id, work(2).id] } })
      .toArray()
  await vi.waitFor(
    async () =>
      expect((await noted()).map(({ entry }) => entry.action)).toEqual(['work.retried', 'work.dropped']),
    30_000,
  )
})

it('records backups once and keeps the newest', { tags: 'long' }, async () => {
  const note = (minute: number, bytes: number) =>
    server.internal(backupsInternal.reportBackup, {
      body: { made_at: new Date(minute * 60_000).toISOString(), bytes, duration_ms: 1_500 },
    })
  expect(await boss.api.call(systemApi.listBackups)).toEqual([])
  for (let minute = 1; minute <= LIMITS.backupsKept + 3; minute++) await note(minute, minute)
  await note(LIMITS.backupsKept + 3, 5)
  const backups = await boss.api.call(systemApi.listBackups)
  expect(backups).toHaveLength(LIMITS.backupsKept)
  expect(backups[0]).toEqual({
    ended_at: new Date((LIMITS.backupsKept + 3) * 60_000).toISOString(),
    bytes: 5,
    duration_ms: 1_500,
    fault: null,
  })
  const { api } = await member('backup-curious@example.org')
  expect((await api.send('GET', '/admin/backups')).status).toBe(403)
})

describe('failed backups', () => {
  /** After the backups of other tests, and before now. */
  const SINCE = Date.parse('2001-01-01')
  const fail = (minute: number, fault: BackupFault = 'no-room') =>
    server.internal(backupsInternal.noteFailedBackup, {
      body: { failed_at: new Date(SINCE + minute * 60_000).toISOString(), duration_ms: 20, fault },
    })
  const list = () => boss.api.call(systemApi.listBackups)

  it('are recorded once with a reason; the newest are kept and displace no completed one', async () => {
    const made = await list()
    for (let minute = 1; minute <= LIMITS.backupsKept + 3; minute++) await fail(minute)
    await fail(LIMITS.backupsKept + 3, 'keys-exchanged')
    const all = await list()
    expect(all.slice(LIMITS.backupsKept)).toEqual(made)
    expect(all.slice(0, 2)).toEqual([
      {
        ended_at: new Date(SINCE + (LIMITS.backupsKept + 3) * 60_000).toISOString(),
        duration_ms: 20,
        bytes: null,
        fault: 'keys-exchanged',
      },
      expect.objectContaining({ fault: 'no-room' }),
    ])
    // Completed backups do not displace failed ones either.
    const made_at = new Date(SINCE + 3_600_000).toISOString()
    await server.internal(backupsInternal.reportBackup, { body: { made_at, bytes: 7, duration_ms: 9 } })
    const after = await list()
    expect(after[0]).toEqual({ ended_at: made_at, duration_ms: 9, bytes: 7, fault: null })
    expect(after.filter(({ fault }) => fault)).toEqual(all.filter(({ fault }) => fault))
    // The audit log contains only completed backups: failed ones affect no data.
    const ofBackups = { 'entry.action': /^backup/ }
    const entries = server.service.mongo.collection('audit_entries')
    await expect.poll(() => entries.distinct('entry.action', ofBackups)).toEqual(['backup.made'])
  })

  it('are reported by operators’ tools, like completed ones, with known reasons only', async () => {
    const peers = createPeers({ AUTH_URL: server.url, SERVICE_KEY: server.service.config.SERVICE_KEY })
    const said: string[] = []
    const say = (line: string) => void said.push(line)
    try {
      for (const args of [
        [],
        ['no-room'],
        ['no-room', '-1'],
        ['/backups/2026', '3'],
        ['other', '3', 'more'],
        ['no-room', 'x'],
      ])
        expect([args, await runBackupFailed(peers, args, say)]).toEqual([args, 2])
      expect(said.join('\n')).toContain('REASON: folder-in-use, folder-within-data')
      const before = await list()
      expect(await runBackupFailed(peers, ['no-room', '61'], say)).toBe(0)
      expect(await runBackupDone(peers, ['1024', '62'], say)).toBe(0)
      const added = (await list()).filter(({ ended_at }) => before.every(each => each.ended_at !== ended_at))
      expect(added).toMatchObject([
        { bytes: 1_024, duration_ms: 62_000, fault: null },
        { bytes: null, duration_ms: 61_000, fault: 'no-room' },
      ])
    } finally {
      await peers.close()
    }
    const nobody = createPeers({ AUTH_URL: 'http://127.0.0.1:9', SERVICE_KEY: 'x'.repeat(20) })
    expect(await runBackupFailed(nobody, ['no-room', '1'], say)).toBe(1)
    expect(said.at(-1)).toMatch(/^Not recorded: /)
    await nobody.close()
    const told = { failed_at: new Date().toISOString(), duration_ms: 1, fault: '/backups is full' as 'other' }
    expect(await statusOf(server.internal(backupsInternal.noteFailedBackup, { body: told }))).toBe(422)
  })
})

it('rejects administration in a session opened by link if passkeys are required', async () => {
  const strict = await startTestServer(fixture, { ADMIN_PASSKEYS: 'required' })
  try {
    const { api } = await strict.signIn('boss@example.org')
    for (const path of ['/admin/people', '/admin/parts', '/admin/queues', '/admin/backups'])
      expect(await api.send('GET', path)).toMatchObject({
        status: 403,
        body: { detail: DETAILS.passkeySession },
      })
  } finally {
    await strict.close()
  }
})
