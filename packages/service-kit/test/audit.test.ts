import { type AuditEntry, type auditInternal, type BodyOf, endpoint } from '@iodine/contracts'
import { newId, type ServiceFixture, startServiceFixture, startTestRedis } from '@iodine/test-kit'
import { afterAll, beforeAll, beforeEach, expect, it, onTestFinished, vi } from 'vitest'
import { z } from 'zod'
import { networkOf } from '../src/http/addresses.js'
import {
  createStoreService,
  HttpError,
  prepareModels,
  readConfig,
  type StoreService,
  storeConfigSchema,
} from '../src/index.js'
import { settingsReport } from '../src/observe/settings-report.js'

const remove = endpoint('user', 'POST /things/:id/remove', {
  summary: '',
  params: z.strictObject({ id: z.string() }),
  body: z.strictObject({
    outcome: z.enum(['done', 'nothing', 'refused', 'partly', 'broken']),
    count: z.int().optional(),
  }),
  response: z.strictObject({ done: z.boolean() }),
})

const serveRemove = (service: StoreService) =>
  service.route(remove, async call => {
    const { params, body } = call
    const what = { action: 'campaign.deleted', subject: { kind: 'campaign', id: params.id } } as const
    return service.audit.during(call, what, async note => {
      if (body.outcome === 'refused') throw new HttpError(403, 'no')
      if (body.outcome === 'broken') throw new Error('broken')
      note({ count: body.count ?? 1, isNothing: body.outcome === 'nothing' })
      if (body.outcome === 'partly') throw new HttpError(413, 'no more')
      return { done: true }
    })
  })

let fixture: ServiceFixture
let service: StoreService
let url: string
/** Entries that the log has received; null while it is down. */
let appended: AuditEntry[] | null = []
/** Error of the log while it is down. */
let fault: Error
/** Actions that the log does not know. */
let unknown: string[] = []

beforeAll(async () => {
  fixture = await startServiceFixture()
  service = await createStoreService('iods', readConfig(storeConfigSchema, fixture.env), fixture.deps)
  service.audit.keepLog({
    async append(entries) {
      if (!appended) throw fault
      if (entries.some(({ action }) => unknown.includes(action))) throw new HttpError(422, 'unknown action')
      const known = new Set(appended.map(({ id }) => id))
      appended.push(...entries.filter(({ id }) => !known.has(id)))
    },
  })
  serveRemove(service)
  await prepareModels(service.mongo)
  service.outbox.start()
  url = await fixture.listen(service)
})
afterAll(async () => {
  await service?.outbox.close()
  await fixture?.stop()
})

const outbox = () => service.mongo.collection('outbox')
const counts = () => service.mongo.collection('audit_counts')
beforeEach(async () => {
  appended = []
  unknown = []
  fault = new HttpError(503, 'down')
  await outbox().deleteMany({})
  await counts().deleteMany({})
})

type Outcome = z.input<typeof remove.body>['outcome']
const call = async (
  token: string,
  outcome: Outcome,
  { id = newId(), headers = {}, count = 1, at = url } = {},
) =>
  fetch(`${at}/api/v1/things/${id}/remove`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ outcome, count }),
  })
const logged = (n: number) => expect.poll(() => appended).toHaveLength(n)
/** Waits until the outbox has `n` entries: they leave it when the log has them. */
const pending = (n: number) => expect.poll(() => outbox().countDocuments()).toBe(n)
/** Makes all entries due and wakes the outbox. */
const makeDue = async () => {
  await outbox().updateMany({ lease: { $exists: false } }, { $set: { due_at: new Date() } })
  service.outbox.wake()
}

it('records actor, time, network, channel, action, subject, count and request id', async () => {
  const ana = await fixture.user('ana')
  const id = newId().toUpperCase()
  const before = new Date().toISOString()
  const requestId = '01234567-89ab-cdef-0123-456789abcdef'
  const headers = { 'x-request-id': requestId, 'x-forwarded-for': '198.51.100.77' }
  expect((await call(ana.token, 'done', { id, headers, count: 7 })).status).toBe(200)
  await logged(1)
  const [entry] = appended ?? []
  expect(entry).toEqual({
    id: expect.stringMatching(/^[0-9a-f]{24}$/),
    at: expect.any(String),
    action: 'campaign.deleted',
    outcome: 'done',
    actor: { kind: 'user', id: ana.id },
    via: 'web',
    network: '198.51.100.0/24',
    subject: { kind: 'campaign', id: id.toLowerCase() },
    item: null,
    count: 7,
    times: 1,
    detail: null,
    request_id: requestId,
  })
  expect((entry?.at ?? '') >= before).toBe(true)
  await pending(0)
})

it('stores only a hash of a request id that a client chose', async () => {
  const { token } = await fixture.user()
  await call(token, 'done', { headers: { 'x-request-id': 'meet-me-at-noon' } })
  await logged(1)
  expect(appended?.[0]?.request_id).toMatch(/^[0-9a-f]{32}$/)
})

it('records no action that was refused or changed nothing', async () => {
  const { token } = await fixture.user()
  expect((await call(token, 'refused')).status).toBe(403)
  expect((await call(token, 'nothing')).status).toBe(200)
  await call(token, 'done')
  await logged(1)
  await pending(0)
})

it('records the completed part of an action whose rest was refused', async () => {
  const { token } = await fixture.user()
  expect((await call(token, 'partly', { count: 3 })).status).toBe(413)
  await logged(1)
  expect(appended).toMatchObject([{ outcome: 'done', count: 3 }])
  await pending(0)
})

it.each([
  ['is down', new HttpError(503, 'down')],
  ['has a full disk', new HttpError(500, 'failed')],
  ['times out', new HttpError(504, 'late')],
  ['is overloaded', new HttpError(429, 'busy')],
  ['returns invalid JSON', new SyntaxError('no JSON')],
])('answers while the log %s, and delivers the entries later', async (_, answer) => {
  const { token } = await fixture.user()
  appended = null
  fault = answer
  for (let n = 0; n < 3; n++) expect((await call(token, 'done')).status).toBe(200)
  expect(await outbox().countDocuments({ kind: 'audit' })).toBe(3)
  appended = []
  await makeDue()
  await logged(3)
  await pending(0)
})

it('records the outcome `unknown` of an interrupted or failed action', async () => {
  const { token } = await fixture.user()
  expect((await call(token, 'broken')).status).toBe(500)
  // As after a kill: the entry waits until the request must have ended.
  const [open, ...others] = await outbox().find().toArray()
  expect(others).toEqual([])
  expect(open).toMatchObject({ kind: 'audit.open', attempts: 0 })
  expect(open?.due_at.getTime() - open?.created_at.getTime()).toBe(300_000)
  await makeDue()
  await logged(1)
  expect(appended).toMatchObject([{ action: 'campaign.deleted', outcome: 'unknown' }])
  await pending(0)
})

it('delivers a leftover open entry under the id of its completed entry, which the log has', async () => {
  const { token } = await fixture.user()
  await call(token, 'broken')
  const [open] = await outbox().find().toArray()
  await call(token, 'done')
  await logged(1)
  // A process killed between both writes of an end leaves the open entry.
  const [done] = appended as AuditEntry[]
  await outbox().updateOne({ _id: open?._id }, { $set: { 'payload.id': done?.id, key: done?.id } })
  await makeDue()
  await pending(0)
  expect(appended).toEqual([done])
})

it('delivers the other entries if the log rejects one', async () => {
  appended = null
  await service.audit.record('operator', { action: 'account.exported', subject: { kind: 'account' } })
  await service.audit.record('system', { action: 'account.deleted', subject: { kind: 'account' } })
  unknown = ['account.exported']
  appended = []
  await makeDue()
  await logged(1)
  await expect
    .poll(() => service.outbox.failed(10))
    .toMatchObject([{ kind: 'audit', error: 'unknown action' }])
  unknown = []
  await makeDue()
  await logged(2)
  expect(appended.map(({ action, actor }) => [action, actor])).toEqual([
    ['account.deleted', { kind: 'system', id: null }],
    ['account.exported', { kind: 'operator', id: null }],
  ])
})

it('counts repeated actions of a user in one entry an hour, without those of other users', {
  tags: 'long',
}, async () => {
  const [flood, other] = [await fixture.user(), await fixture.user()]
  // All within one hour.
  vi.useFakeTimers({ toFake: ['Date'] })
  onTestFinished(() => void vi.useRealTimers())
  for (let n = 0; n < 80; n++) await call(flood.token, n < 70 ? 'done' : 'refused', { count: 2 })
  await call(other.token, 'done')
  await logged(51)
  await pending(0)
  const counted = await counts().find().toArray()
  expect(counted).toMatchObject([
    { entry: { actor: { id: flood.id }, times: 20, count: 40, subject: { kind: 'campaign', id: null } } },
  ])
  // It is delivered once its hour is past.
  await service.tasks.run('audit-counts')
  expect(await counts().countDocuments()).toBe(1)
  await counts().updateMany({}, { $set: { due_at: new Date() } })
  await service.tasks.run('audit-counts')
  await logged(52)
  expect(appended?.at(-1)).toMatchObject({ outcome: 'done', times: 20, count: 40 })
  await pending(0)
})

it('does not count refusals as separate entries: a script cannot hide an action behind them', {
  tags: 'long',
}, async () => {
  const { token } = await fixture.user()
  for (let n = 0; n < 60; n++) {
    expect((await call(token, 'refused')).status).toBe(403)
    expect((await call(token, 'nothing')).status).toBe(200)
  }
  const id = newId()
  await call(token, 'done', { id })
  await logged(1)
  expect(appended).toMatchObject([{ subject: { id }, times: 1 }])
  await pending(0)
})

it('records actions and counts floods while Redis is down', { tags: 'long' }, async () => {
  const redis = await startTestRedis()
  const lonely = await createStoreService(
    'campaigns',
    readConfig(storeConfigSchema, { ...fixture.env, REDIS_URL: redis.url }),
    fixture.deps,
  )
  try {
    // By id: an entry may be delivered again.
    const got = new Set<string>()
    lonely.audit.keepLog({
      async append(entries) {
        for (const { id } of entries) got.add(id)
      },
    })
    serveRemove(lonely)
    await prepareModels(lonely.mongo)
    lonely.outbox.start()
    const at = await fixture.listen(lonely)
    const { token } = await fixture.user()
    await redis.stop()
    for (const outcome of ['refused', 'nothing'] as const)
      expect((await call(token, outcome, { at })).status).toBe(outcome === 'refused' ? 403 : 200)
    for (let n = 0; n < 53; n++) expect((await call(token, 'done', { at })).status).toBe(200)
    await expect.poll(() => got.size).toBe(50)
    // The counted actions stay, in two entries if an hour begins meanwhile.
    const counted = async () => {
      const kept = await lonely.mongo.collection('audit_counts').find().toArray()
      return kept.reduce((sum, { entry }) => sum + entry.times, 0)
    }
    await expect.poll(counted).toBe(3)
  } finally {
    await lonely.outbox.close()
    await lonely.close()
    await redis.stop()
  }
})

it('truncates addresses to networks', () => {
  expect(
    ['192.0.2.77', '::ffff:192.0.2.77', '2001:db8:12:34:5::6', '::1', 'fe80::1%eth0', 'nowhere', ''].map(
      networkOf,
    ),
  ).toEqual(['192.0.2.0/24', '192.0.2.0/24', '2001:db8:12::/48', '0:0:0::/48', 'fe80:0:0::/48', null, null])
})

it('reports digests of settings, and only the presence of secrets', () => {
  const secret = 'mongodb://user:canary-password@db/'
  const report = settingsReport('auth', {
    LOG_LEVEL: 'info',
    MONGODB_URI: secret,
    PORT: 1,
    QUOTA_IODS: undefined,
  })
  expect(report).toEqual({
    part: 'auth',
    settings: [
      { name: 'LOG_LEVEL', digest: expect.stringMatching(/^[0-9a-f]{64}$/) },
      { name: 'MONGODB_URI', digest: null },
    ],
  } satisfies BodyOf<typeof auditInternal.reportSettings>)
})
