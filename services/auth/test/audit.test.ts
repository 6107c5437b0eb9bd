import {
  type AuditEntry,
  accountsInternal,
  adminApi,
  auditApi,
  auditInternal,
  authInternal,
  LIMITS,
  peopleApi,
  personalDataInternal,
  profileApi,
} from '@iodine/contracts'
import { createPeers, newAuditEntry } from '@iodine/service-kit'
import { type ApiClient, deferred, newId, type ServiceFixture, startServiceFixture } from '@iodine/test-kit'
import { afterAll, beforeAll, beforeEach, expect, it, vi } from 'vitest'
import { createAuditAppender } from '../src/audit/commands/append-audit.js'
import { expireAudit } from '../src/audit/commands/expire-audit.js'
import { verifyChain } from '../src/audit/queries/audit-chain.js'
import { runAuditLog } from '../src/index.js'
import type { AuthModels } from '../src/models.js'
import { Authenticator } from './authenticator.js'
import { PUBLIC_URL, startTestServer, statusOf, type TestServer, tokenIn } from './test-server.js'

let fixture: ServiceFixture
/** Two replicas of the service. */
let server: TestServer
let replica: TestServer
let admin: ApiClient
beforeAll(async () => {
  fixture = await startServiceFixture()
  server = await startTestServer(fixture)
  replica = await startTestServer(fixture)
  admin = (await server.signIn('boss@example.org')).api
  // Both replicas report their settings at start.
  const reported = () => server.service.mongo.models.PartSettings?.exists({ _id: 'auth' })
  await vi.waitFor(async () => expect(await reported()).toBeTruthy(), 30_000)
})
afterAll(async () => {
  await replica?.close()
  await server?.close()
  await fixture?.stop()
})

const entries = () => server.service.mongo.collection('audit_entries')
const head = () => server.service.mongo.collection('audit_head')
beforeEach(async () => {
  // The start and the sign-ins have recorded entries.
  const pending = () => server.service.mongo.collection('outbox').countDocuments({ kind: 'audit' })
  await expect.poll(pending, { timeout: 20_000 }).toBe(0)
  await Promise.all([entries().deleteMany({}), head().deleteMany({})])
})

const made = (changes: Partial<AuditEntry> = {}): AuditEntry => ({
  ...newAuditEntry('operator', { action: 'account.suspended', subject: { kind: 'account', id: newId() } }),
  ...changes,
})
const append = (list: AuditEntry[], at = server) =>
  at.internal(auditInternal.appendAudit, { body: { entries: list } })
const verify = (noted?: { seq: number; hash: string }) =>
  server.internal(auditInternal.verifyAudit, { body: noted ? { head: noted } : {} })
const ofActions = (actions: string[]) =>
  vi.waitFor(async () => {
    const found = await admin.call(auditApi.listAudit)
    expect(found.map(({ action }) => action)).toEqual(actions)
    return found
  }, 20_000)

it('builds one chain from concurrent appends of two replicas', async () => {
  const lists = Array.from({ length: 50 }, (_, n) => Array.from({ length: 1 + (n % 3) }, () => made()))
  await Promise.all(lists.map((list, n) => append(list, n % 2 ? server : replica)))
  const all = lists.flat()
  const stored = await entries().find().sort({ seq: 1 }).toArray()
  expect(stored.map(({ seq }) => seq)).toEqual(all.map((_, n) => n + 1))
  expect(stored.map(({ entry }) => entry.id).sort()).toEqual(all.map(({ id }) => id).sort())
  expect(await verify()).toMatchObject({ fault: null, entries: all.length })
  // The entries of one call keep their order; other entries may come between them.
  const place = new Map(stored.map(({ entry, seq }) => [entry.id, seq]))
  for (const list of lists) {
    const places = list.map(({ id }) => place.get(id) ?? 0)
    expect(places).toEqual([...places].sort((a, b) => a - b))
  }
})

it('stores an entry once, however often and wherever it arrives', async () => {
  const list = [made(), made()]
  await Promise.all(Array.from({ length: 20 }, (_, n) => append([...list, made()], n % 2 ? server : replica)))
  await append([...list, ...list])
  expect(await entries().countDocuments()).toBe(22)
  // The state after an append that was interrupted before it stored the head.
  await head().deleteMany({})
  await append(list)
  expect(await head().findOne()).toMatchObject({ seq: 22 })
  expect(await verify()).toMatchObject({ fault: null, entries: 22 })
})

it('detects a change, a gap, a swap, and a removed beginning or end', async () => {
  await append(Array.from({ length: 9 }, () => made()))
  const { head: noted } = await verify()
  const whole = await entries().find().sort({ seq: 1 }).toArray()
  const wholeHead = await head().find().toArray()
  const restore = async () => {
    await Promise.all([entries().deleteMany({}), head().deleteMany({})])
    await Promise.all([entries().insertMany(whole), head().insertMany(wholeHead)])
    expect(await verify(noted)).toMatchObject({ fault: null, entries: 9 })
  }
  const faults: Record<string, [tamper: () => Promise<unknown>, fault: object]> = {
    'a changed entry': [
      () => entries().updateOne({ seq: 4 }, { $set: { 'entry.actor.kind': 'system' } }),
      { seq: 4, kind: 'changed' },
    ],
    'a changed time in the list': [
      () => entries().updateOne({ seq: 4 }, { $set: { created_at: new Date(0) } }),
      { seq: 4, kind: 'changed' },
    ],
    'a field that was added': [
      () => entries().updateOne({ seq: 4 }, { $set: { 'entry.extra': 1 } }),
      { seq: 4, kind: 'changed' },
    ],
    'a gap': [() => entries().deleteOne({ seq: 5 }), { seq: 5, kind: 'missing' }],
    'the beginning': [() => entries().deleteMany({ seq: { $lte: 3 } }), { seq: 1, kind: 'missing' }],
    'the end': [() => entries().deleteMany({ seq: { $gte: 8 } }), { seq: 8, kind: 'missing' }],
    everything: [() => entries().deleteMany({}), { seq: 1, kind: 'missing' }],
    'two that were swapped': [
      async () => {
        await entries().updateOne({ seq: 3 }, { $set: { seq: 100 } })
        await entries().updateOne({ seq: 4 }, { $set: { seq: 3 } })
        await entries().updateOne({ seq: 100 }, { $set: { seq: 4 } })
      },
      { seq: 3, kind: 'changed' },
    ],
    'one that was replaced by another valid one': [
      async () => {
        const [, , third] = whole
        await entries().deleteMany({ seq: { $gte: 3 } })
        await head().deleteMany({})
        await append([made()])
        await entries().insertMany(whole.slice(3))
        expect(third?.seq).toBe(3)
      },
      { seq: 4, kind: 'moved' },
    ],
  }
  for (const [name, [tamper, fault]] of Object.entries(faults)) {
    await tamper()
    expect([name, (await verify()).fault]).toEqual([name, fault])
    await restore()
  }
  // A log rewritten from some position on is consistent: only an end stored elsewhere reveals it.
  await entries().deleteMany({ seq: { $gte: 6 } })
  await head().deleteMany({})
  await append(Array.from({ length: 6 }, () => made()))
  expect((await verify()).fault).toBeNull()
  expect((await verify(noted)).fault).toEqual({ seq: 9, kind: 'changed' })
})

it('the operator’s command reports the result as exit code', async () => {
  const peers = createPeers({ AUTH_URL: server.url, SERVICE_KEY: fixture.env.SERVICE_KEY ?? '' } as never)
  const run = async (...args: string[]) => {
    const said: string[] = []
    const code = await runAuditLog(peers, args, { say: line => void said.push(line) })
    return { code, said: said.join('\n') }
  }
  try {
    await append([made(), made(), made()])
    const intact = await run('verify')
    expect(intact).toEqual({ code: 0, said: expect.stringContaining('is intact: 3 entries since 20') })
    const noted = /\d+:[0-9a-f]{64}$/.exec(intact.said)?.[0] ?? ''
    expect(await run('verify', noted)).toMatchObject({ code: 0 })
    expect(
      await run(
        'verify',
        noted.replace(/.$/, last => (last === '0' ? '1' : '0')),
      ),
    ).toEqual({
      code: 1,
      said: expect.stringContaining('broken at entry 3: its content was changed'),
    })
    // An attacker with access to the database pretends a regular removal of old entries.
    const { AuditEntry: auditEntries, AuditHead: auditHead } = server.service.mongo.models
    const [, middle] = await entries().find().sort({ seq: 1 }).toArray()
    await createAuditAppender({ auditEntries, auditHead } as unknown as AuthModels)([
      made({ action: 'audit.expired', checkpoint: { seq: 2, hash: middle?.hash } }),
    ])
    const removed = await entries()
      .find({ seq: { $lte: 2 } })
      .toArray()
    await entries().deleteMany({ seq: { $lte: 2 } })
    expect(await run('verify')).toMatchObject({ code: 0 })
    expect(await run('verify', noted)).toMatchObject({ code: 0 })
    expect(await run('verify', `2:${middle?.hash}`)).toMatchObject({ code: 0 })
    expect(await run('verify', `1:${removed[0]?.hash}`)).toEqual({
      code: 2,
      said: expect.stringContaining('Entry 1 has expired: its hash was not compared.'),
    })
    await entries().insertMany(removed)
    await entries().deleteMany({ seq: { $gte: 4 } })
    await head().deleteMany({})
    await entries().deleteOne({ seq: 2 })
    expect(await run('verify')).toEqual({
      code: 1,
      said: expect.stringContaining('broken at entry 2: it is missing'),
    })
    for (const args of [[], ['check'], ['verify', 'x'], ['verify', noted, 'more']])
      expect(await run(...args)).toMatchObject({ code: 2 })
  } finally {
    await peers.close()
  }
  const nobody = createPeers({
    AUTH_URL: 'http://127.0.0.1:1',
    SERVICE_KEY: fixture.env.SERVICE_KEY ?? '',
  } as never)
  expect(await runAuditLog(nobody, ['verify'], { say: () => {} })).toBe(2)
  await nobody.close()
})

it('removes old entries as a block and leaves a valid chain', async () => {
  const old = (days: number) => made({ at: new Date(Date.now() - days * 86_400_000).toISOString() })
  // The fourth entry is young and the fifth old: a block ends before the first young one.
  await append([old(500), old(400), old(366), old(3), old(400), old(1)])
  const { AuditEntry: auditEntries, AuditHead: auditHead } = server.service.mongo.models
  const models = { auditEntries, auditHead } as unknown as AuthModels
  const context = { models, appendAudit: createAuditAppender(models) }
  expect(await expireAudit(context)).toBe(3)
  const left = await entries().find().sort({ seq: 1 }).toArray()
  expect(left.map(({ seq }) => seq)).toEqual([4, 5, 6, 7])
  expect(left.at(-1)?.entry).toMatchObject({
    action: 'audit.expired',
    actor: { kind: 'system', id: null },
    count: 3,
    checkpoint: { seq: 3, hash: left[0]?.prev },
  })
  expect(await verify()).toMatchObject({ fault: null, entries: 4 })
  expect(await expireAudit(context)).toBe(0)
  // Removing one entry more leaves a gap.
  await entries().deleteOne({ seq: 4 })
  expect((await verify()).fault).toEqual({ seq: 4, kind: 'missing' })
  await entries().insertOne(left[0] as never)
  // An interrupted removal is completed; meanwhile the checkpoint counts.
  await entries().insertOne({ ...left[0], _id: undefined, seq: 2 } as never)
  expect((await verify()).fault).toBeNull()
  expect(await expireAudit(context)).toBe(1)
  // An end noted right before the first remaining entry can still be compared.
  const [first] = left
  const hash = String(first?.prev)
  expect((await verify({ seq: 3, hash })).fault).toBeNull()
  expect((await verify({ seq: 3, hash: hash.replace(/^./, c => (c === '0' ? '1' : '0')) })).fault).toEqual({
    seq: 3,
    kind: 'changed',
  })
  // A year later all entries are old; the last checkpoint stays in the chain.
  expect(await expireAudit(context, Date.now() + LIMITS.auditMs + 1)).toBe(4)
  expect(await verify()).toMatchObject({ fault: null, entries: 1 })
})

it('rejects removal entries from other services', async () => {
  await append([made(), made(), made()])
  const { head: checkpoint } = await verify()
  const forged = { actor: { kind: 'system', id: null }, subject: { kind: 'deployment', id: null } } as const
  for (const entry of [
    made({ ...forged, action: 'audit.expired', checkpoint }),
    made({ ...forged, action: 'audit.expired' }),
    made({ checkpoint }),
  ])
    expect(await statusOf(append([made(), entry]))).toBe(422)
  await server.service.tasks.run('audit-expiry')
  const { AuditEntry: auditEntries, AuditHead: auditHead } = server.service.mongo.models
  const models = { auditEntries, auditHead } as unknown as AuthModels
  expect(await expireAudit({ models, appendAudit: createAuditAppender(models) })).toBe(0)
  expect(await verify(checkpoint)).toMatchObject({ fault: null, entries: 3 })
})

it('a check during the removal of old entries reports only real faults', async () => {
  const { AuditEntry, AuditHead: auditHead } = server.service.mongo.models
  const whole = { auditEntries: AuditEntry, auditHead } as unknown as AuthModels
  const context = { models: whole, appendAudit: createAuditAppender(whole) }
  /** Returns models for a check: `happens` runs once, after the check has read the chain's start. */
  const beforeEntries = (happens: () => Promise<unknown>) => {
    let isPast = false
    const auditEntries = new Proxy(whole.auditEntries, {
      get: (model, name) => {
        const value = Reflect.get(model, name)
        if (name !== 'find' || isPast) return value
        return (...args: Parameters<typeof model.find>) => {
          const query = model.find(...args)
          const open = query.cursor.bind(query)
          query.cursor = (options => {
            if (isPast) return open(options)
            isPast = true
            return (async function* () {
              await happens()
              yield* open(options)
            })()
          }) as typeof query.cursor
          return query
        }
      },
    })
    return { auditEntries, auditHead: whole.auditHead }
  }
  const old = (days: number) => made({ at: new Date(Date.now() - days * 86_400_000).toISOString() })
  const fill = async () => {
    await Promise.all([entries().deleteMany({}), head().deleteMany({})])
    await append([old(500), old(400), old(3), old(2), old(1)])
  }
  await fill()
  const removing = beforeEntries(async () => expect(await expireAudit(context)).toBe(2))
  expect(await verifyChain(removing)).toMatchObject({ fault: null, entries: 4 })
  await fill()
  const both = beforeEntries(async () => {
    await expireAudit(context)
    await entries().deleteOne({ seq: 4 })
  })
  expect((await verifyChain(both)).fault).toEqual({ seq: 4, kind: 'missing' })
  await fill()
  const cut = beforeEntries(() => entries().deleteMany({ seq: { $lte: 2 } }))
  expect((await verifyChain(cut)).fault).toEqual({ seq: 1, kind: 'missing' })
})

it('is available only to administrators', async () => {
  const { api } = await server.signIn('ana@example.org')
  for (const path of ['/admin/audit', '/admin/audit/state', '/admin/audit/export']) {
    expect([path, (await api.send('GET', path)).status]).toEqual([path, 403])
    expect([path, (await server.anyone.send('GET', path)).status]).toEqual([path, 401])
  }
})

it('lists newest first, in pages, by action, actor, subject and time, with present usernames', async () => {
  const { api } = await server.signIn('writer@example.org')
  await api.call(profileApi.setupUsername, { body: { username: 'Writer' } })
  const { id } = await api.call(profileApi.getProfile)
  const day = (n: number) => new Date(Date.UTC(2026, 0, n)).toISOString()
  const gone = newId()
  const campaign = newId()
  const list = [
    made({ at: day(1) }),
    made({
      at: day(2),
      action: 'campaign.deleted',
      actor: { kind: 'user', id },
      subject: { kind: 'campaign', id: campaign },
    }),
    made({ at: day(3), actor: { kind: 'user', id: gone }, subject: { kind: 'account', id } }),
    made({
      at: day(4),
      action: 'campaign.iod-removed',
      subject: { kind: 'campaign', id: null },
      item: campaign,
    }),
  ]
  await append(list)
  const [first, second, third, fourth] = list.map(entry => entry.id)
  const ids = async (query: object) =>
    (await admin.call(auditApi.listAudit, { query })).map(entry => entry.id)
  expect(await ids({})).toEqual([fourth, third, second, first])
  expect(await ids({ actor: 'wRITER' })).toEqual([second])
  expect(await ids({ actor: id.toUpperCase() })).toEqual([second])
  expect(await ids({ actor: 'nobody' })).toEqual([])
  expect(await ids({ actor_kind: 'operator' })).toEqual([fourth, first])
  expect(await ids({ subject: 'writer' })).toEqual([third])
  expect(await ids({ subject: campaign })).toEqual([fourth, second])
  expect(await ids({ action: ['campaign.deleted', 'campaign.iod-removed'] })).toEqual([fourth, second])
  expect(await ids({ from: day(2), to: day(4) })).toEqual([fourth, third, second])
  const page = await admin.send('GET', '/admin/audit?limit=3')
  expect(page.headers.get('x-total-count')).toBe('4')
  const next = page.headers.get('x-next-cursor')
  expect(await ids({ limit: '3', cursor: next })).toEqual([first])
  const shown = await admin.call(auditApi.listAudit)
  expect(shown[1]).toMatchObject({
    actor_account: { username: null, deleted: true },
    subject_account: { username: 'Writer', deleted: false },
  })
  expect(shown[2]).toMatchObject({
    actor_account: { username: 'Writer', deleted: false },
    subject_account: null,
  })
  for (const query of ['action=nothing', 'from=yesterday', 'actor_kind=x', 'limit=0', 'cursor=x', 'x=y'])
    expect([query, (await admin.send('GET', `/admin/audit?${query}`)).status]).toEqual([query, 422])
  expect(await admin.call(auditApi.getAuditState)).toMatchObject({ fault: null, entries: 4, since: day(1) })
})

it('reports a changed entry to administrators once the cached state has expired', async () => {
  await append([made(), made(), made()])
  const state = () => admin.call(auditApi.getAuditState)
  await expect.poll(state).toMatchObject({ fault: null, entries: 3 })
  await entries().updateOne({ seq: 2 }, { $set: { 'entry.count': 1_000 } })
  await expect.poll(state).toMatchObject({ fault: { seq: 2, kind: 'changed' } })
})

it('exports CSV without formulas and records the export', async () => {
  const { AuditEntry: auditEntries, AuditHead: auditHead } = server.service.mongo.models
  await createAuditAppender({ auditEntries, auditHead } as unknown as AuthModels)([
    made({ settings: [{ name: 'LOG_LEVEL', change: 'set', fingerprint: '0123456789abcdef' }] }),
    made({ checkpoint: { seq: 1, hash: 'a'.repeat(64) } }),
    made({ action: 'campaign.deleted', subject: { kind: 'campaign', id: newId() }, network: '192.0.2.0/24' }),
  ])
  const answer = await admin.send('GET', '/admin/audit/export?action=account.suspended')
  expect(answer.status).toBe(200)
  const rows = String(answer.body).trim().split('\r\n')
  const names = rows[0]?.split(',') ?? []
  expect(rows).toHaveLength(3)
  for (const row of rows) {
    const cells = row.split(',')
    expect(cells).toHaveLength(names.length)
    for (const cell of cells) expect(cell).toMatch(/^([0-9a-z][\w:./ -]*)?$/i)
  }
  const [entry] = await ofActions([
    'audit.exported',
    'campaign.deleted',
    'account.suspended',
    'account.suspended',
  ])
  expect(entry).toMatchObject({ count: 2, detail: 'csv', actor: { kind: 'user' } })
})

it('records only sign-ins of administrators', async () => {
  await server.signIn('ana@example.org')
  await server.signIn('root@example.org')
  const [entry] = await ofActions(['admin.signed-in'])
  expect(entry).toMatchObject({ detail: 'link', via: 'web', network: '127.0.0.0/24', outcome: 'done' })
  expect(entry?.actor.id).toBe(entry?.subject.id)
})

it('records beta codes, feed keys and the operator’s actions on accounts', async () => {
  const email = 'suspect@example.org'
  const { api } = await server.signIn(email)
  const { id } = await api.call(profileApi.getProfile)
  const { id: code } = await admin.call(adminApi.createBetaCode, {
    body: { email: 'canary-guest@example.org' },
  })
  const key = await api.call(profileApi.createFeedKey, { body: { label: 'canary label', tlp: 'amber' } })
  await api.call(profileApi.deleteFeedKey, { params: { id: key.id } })
  expect(await statusOf(api.call(profileApi.deleteFeedKey, { params: { id: key.id } }))).toBe(404)
  for (const endpoint of ['suspendAccount', 'unsuspendAccount', 'resetPasskeys', 'deleteAccount'] as const)
    await server.internal(accountsInternal[endpoint], { body: { email } })
  const list = await ofActions([
    'account.deleted',
    'account.passkeys-reset',
    'account.unsuspended',
    'account.suspended',
    'feed-key.revoked',
    'feed-key.created',
    'beta-code.created',
  ])
  expect(list.at(-1)).toMatchObject({ subject: { kind: 'beta-code', id: code }, actor: { kind: 'user' } })
  expect(list[5]).toMatchObject({ subject: { kind: 'feed-key', id: key.id }, detail: 'amber', actor: { id } })
  for (const entry of list.slice(0, 4))
    expect(entry).toMatchObject({
      actor: { kind: 'operator', id: null },
      via: null,
      network: null,
      subject: { kind: 'account', id },
      subject_account: { username: null, deleted: true },
    })
  const whole = JSON.stringify(await entries().find().toArray())
  for (const secret of [email, 'canary', key.key]) expect(whole).not.toContain(secret)
})

it('records administrators’ actions on accounts', async () => {
  const { api } = await server.signIn('managed@example.org')
  const { id } = await api.call(profileApi.getProfile)
  const params = { id }
  await admin.call(peopleApi.suspendPerson, { params })
  await admin.call(peopleApi.unsuspendPerson, { params })
  await server.signIn('managed@example.org')
  await admin.call(peopleApi.endPersonSessions, { params })
  await admin.call(peopleApi.changeLimits, { params, body: { iods: 77 } })
  await admin.call(peopleApi.changeLimits, { params, body: { iods: null, records: 5 } })
  const list = await ofActions([
    'account.limits-changed',
    'account.limits-changed',
    'account.sessions-ended',
    'account.unsuspended',
    'account.suspended',
  ])
  for (const entry of list)
    expect(entry).toMatchObject({ actor: { kind: 'user' }, subject: { id }, via: 'web' })
  expect(list[0]).toMatchObject({ detail: null, count: null })
  expect(list[1]).toMatchObject({ detail: 'iods', count: 77 })
  expect(list[2]).toMatchObject({ count: 1 })
})

it('records users’ actions on their own account, unless they had no effect', async () => {
  const [email, to] = ['own@example.org', 'own.next@example.org']
  const { api } = await server.signIn(email)
  const { id } = await api.call(profileApi.getProfile)
  const use = async (token: string) =>
    expect((await server.anyone.send('POST', '/auth/use-account-link', { token })).status).toBe(200)

  const { challenge } = await api.call(profileApi.newPasskeyOptions)
  const credential = new Authenticator(PUBLIC_URL).create(challenge)
  const passkey = await api.call(profileApi.createPasskey, { body: { name: 'canary key', credential } })
  await api.call(profileApi.deletePasskey, { params: { id: passkey.id } })

  const asks = deferred()
  fixture.answer(personalDataInternal.exportUser, async () => {
    await asks.promise
    return []
  })
  const params = { id: (await api.call(profileApi.createDataExport)).id }
  expect(await statusOf(api.call(profileApi.createDataExport))).toBe(409)
  asks.resolve()
  const state = async () => (await api.call(profileApi.getDataExport))?.state
  await vi.waitFor(async () => expect(await state()).toBe('ready'), 30_000)
  expect((await api.send('GET', `/profile/data-export/${params.id}`)).status).toBe(200)
  expect((await api.send('GET', `/profile/data-export/${newId()}`)).status).toBe(404)

  await api.call(profileApi.withdrawAddressChange)
  await api.call(profileApi.requestAddressChange, { body: { email: to } })
  await api.call(profileApi.withdrawAddressChange)
  expect(await statusOf(api.call(profileApi.requestAddressChange, { body: { email } }))).toBe(422)
  const asked = server.mails.length
  await api.call(profileApi.requestAddressChange, { body: { email: to } })
  await use(tokenIn(await server.mail('confirm-old-address', email, asked)))
  await use(tokenIn(await server.mail('confirm-new-address', to, asked)))

  await api.call(profileApi.withdrawDeletion)
  await api.call(profileApi.requestDeletion, { body: { confirm: to } })
  const deletion = tokenIn(await server.mail('confirm-deletion', to))
  await use(deletion)
  expect((await server.anyone.send('POST', '/auth/use-account-link', { token: deletion })).status).toBe(400)
  await (await server.signIn(to)).api.call(profileApi.withdrawDeletion)

  const list = await ofActions([
    'account.deletion-withdrawn',
    'account.deletion-scheduled',
    'account.deletion-requested',
    'account.address-changed',
    'account.address-change-requested',
    'account.address-change-withdrawn',
    'account.address-change-requested',
    'account.export-downloaded',
    'account.exported',
    'passkey.deleted',
    'passkey.created',
  ])
  for (const entry of list) expect(entry).toMatchObject({ actor: { kind: 'user', id }, outcome: 'done' })
  for (const entry of list.slice(0, -2)) expect(entry.subject).toEqual({ kind: 'account', id })
  for (const entry of list.slice(-2)) expect(entry.subject).toEqual({ kind: 'passkey', id: passkey.id })
  const whole = JSON.stringify(await entries().find().toArray())
  for (const secret of [email, to, 'canary', deletion]) expect(whole).not.toContain(secret)
})

it('records the settings that changed since the last start, without secrets', async () => {
  const digest = (character: string) => character.repeat(64)
  const report = (settings: { name: string; digest: string | null }[], at = server) =>
    at.internal(auditInternal.reportSettings, { body: { part: 'testpart', settings } as never })
  const first = [
    { name: 'LOG_LEVEL', digest: digest('a') },
    { name: 'QUOTA_IODS', digest: digest('b') },
    { name: 'SECRETS_KEY', digest: null },
  ]
  await Promise.all([report(first), report(first, replica), report(first), report(first, replica)])
  const second = [
    { name: 'LOG_LEVEL', digest: digest('c') },
    { name: 'SECRETS_KEY', digest: null },
    { name: 'SMTP_URL', digest: null },
  ]
  await report(second)
  await report(second)
  await report(first)
  const list = await ofActions(['settings.started', 'settings.started', 'settings.started'])
  const print = expect.stringMatching(/^[0-9a-f]{16}$/)
  const [back, changed, begun] = list.map(({ settings }) => settings)
  expect(begun).toEqual([
    { name: 'LOG_LEVEL', change: 'set', fingerprint: print },
    { name: 'QUOTA_IODS', change: 'set', fingerprint: print },
    { name: 'SECRETS_KEY', change: 'set', fingerprint: null },
  ])
  expect(changed).toEqual([
    { name: 'LOG_LEVEL', change: 'changed', fingerprint: print },
    { name: 'QUOTA_IODS', change: 'unset', fingerprint: null },
    { name: 'SMTP_URL', change: 'set', fingerprint: null },
  ])
  // Equal values have equal fingerprints, which differ from the digests.
  expect(back?.[0]).toEqual({ ...begun?.[0], change: 'changed' })
  expect(back?.[0]?.fingerprint).not.toBe(digest('a').slice(0, 16))
  expect(list[0]).toMatchObject({ count: 3, actor: { kind: 'system' } })
  expect(await statusOf(report([{ name: 'PATH', digest: null }]))).toBe(422)
})

it('keeps the id of a deleted account, and exports its entries before the deletion', async () => {
  const email = 'leaves@example.org'
  const { api } = await server.signIn(email)
  const { id } = await api.call(profileApi.getProfile)
  const by = newId()
  await append([
    made({ actor: { kind: 'user', id }, network: '192.0.2.0/24' }),
    made({ actor: { kind: 'user', id: by }, network: '198.51.100.0/24', subject: { kind: 'account', id } }),
    made(),
  ])
  const exported = await server.internal(personalDataInternal.exportUser, { params: { id } })
  const own = exported.filter(({ kind }) => kind === 'audit_entry')
  expect(own).toHaveLength(2)
  expect(JSON.stringify(own)).toContain('192.0.2.0/24')
  for (const others of [by, '198.51.100.0/24']) expect(JSON.stringify(own)).not.toContain(others)
  await server.internal(accountsInternal.deleteAccount, { body: { email } })
  expect(await server.internal(authInternal.lookupUsers, { body: { ids: [id] } })).toEqual([])
  const list = await admin.call(auditApi.listAudit, { query: { actor: id } })
  expect(list).toMatchObject([{ actor: { id }, actor_account: { username: null, deleted: true } }])
})

it('delivers an entry of a killed process to the log', async () => {
  const entry = made()
  const now = new Date()
  await server.service.mongo.collection('outbox').insertOne({
    kind: 'audit',
    payload: entry,
    attempts: 1,
    lease: 'of a killed one',
    due_at: now,
    created_at: now,
  })
  server.service.outbox.wake()
  await expect.poll(() => entries().countDocuments({ 'entry.id': entry.id }), { timeout: 30_000 }).toBe(1)
})
