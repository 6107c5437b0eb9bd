import { type AuditEntry, type auditInternal, type BodyOf, endpoint, repairInternal } from '@iodine/contracts'
import { newId, type ServiceBed, startServiceBed } from '@iodine/test-kit'
import { afterAll, beforeAll, beforeEach, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { networkOf } from '../src/http/addresses.js'
import {
  createStoreService,
  HttpError,
  prepareModels,
  readConfig,
  type StoreService,
  serveRepair,
  storeConfigSchema,
} from '../src/index.js'
import { settingsReport } from '../src/observe/settings-report.js'

const remove = endpoint('user', 'POST /things/:id/remove', {
  summary: '',
  params: z.strictObject({ id: z.string() }),
  body: z.strictObject({
    outcome: z.enum(['done', 'nothing', 'refused', 'broken']),
    count: z.int().optional(),
  }),
  response: z.strictObject({ done: z.boolean() }),
})

let bed: ServiceBed
let service: StoreService
let url: string
/** What the log has got; null while it is down. */
let appended: AuditEntry[] | null = []
/** Actions that the log does not know. */
let unknown: string[] = []

beforeAll(async () => {
  bed = await startServiceBed()
  // The name of a service that is asked for its repair.
  service = await createStoreService('iods', readConfig(storeConfigSchema, bed.env), bed.deps)
  service.audit.keepLog({
    async append(entries) {
      if (!appended) throw new HttpError(503, 'down')
      if (entries.some(({ action }) => unknown.includes(action))) throw new HttpError(422, 'unknown action')
      const known = new Set(appended.map(({ id }) => id))
      appended.push(...entries.filter(({ id }) => !known.has(id)))
    },
  })
  service.route(remove, async call => {
    const { params, body } = call
    const what = { action: 'campaign.deleted', subject: { kind: 'campaign', id: params.id } } as const
    return service.audit.during(call, what, async note => {
      if (body.outcome === 'refused') throw new HttpError(403, 'no')
      if (body.outcome === 'broken') throw new Error('broken')
      note({ count: body.count ?? 1, isNothing: body.outcome === 'nothing' })
      return { done: true }
    })
  })
  serveRepair(service, async () => 0)
  await prepareModels(service.mongo)
  url = await bed.listen(service)
})
afterAll(() => bed?.stop())

const outbox = () => service.mongo.collection('audit_outbox')
beforeEach(async () => {
  appended = []
  unknown = []
  await outbox().deleteMany({})
})

type Outcome = z.input<typeof remove.body>['outcome']
const call = async (token: string, outcome: Outcome, { id = newId(), headers = {}, count = 1 } = {}) =>
  fetch(`${url}/api/v1/things/${id}/remove`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ outcome, count }),
  })
const logged = (n: number) => vi.waitFor(() => expect(appended).toHaveLength(n), 20_000)
const repair = () => bed.internal(repairInternal.repair)

it('records who, when, from where, by what, what, on what, how many and the request', async () => {
  const ana = await bed.user('ana')
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
  expect(await outbox().countDocuments()).toBe(0)
})

it('keeps an id that a client chose for its request as a hash alone', async () => {
  const { token } = await bed.user()
  await call(token, 'done', { headers: { 'x-request-id': 'meet-me-at-noon' } })
  await logged(1)
  expect(appended?.[0]?.request_id).toMatch(/^[0-9a-f]{32}$/)
})

it('records nothing of what was refused or changed nothing', async () => {
  const { token } = await bed.user()
  expect((await call(token, 'refused')).status).toBe(403)
  expect((await call(token, 'nothing')).status).toBe(200)
  await call(token, 'done')
  await logged(1)
  expect(await outbox().countDocuments()).toBe(0)
})

it('hands over what was owed while the log was down', async () => {
  const { token } = await bed.user()
  appended = null
  for (let n = 0; n < 3; n++) expect((await call(token, 'done')).status).toBe(200)
  expect(await repair()).toEqual({ repaired: 0 })
  appended = []
  expect((await repair()).repaired).toBe(3)
  expect(appended).toHaveLength(3)
})

it('tells of an action that was cut off, or failed within, that its outcome is unknown', async () => {
  const { token } = await bed.user()
  expect((await call(token, 'broken')).status).toBe(500)
  // As after a kill: the entry waits until no request can be under way any more.
  expect(await repair()).toEqual({ repaired: 0 })
  expect(await outbox().countDocuments({ open: true })).toBe(1)
  await outbox().updateMany({}, { $set: { due_at: new Date() } })
  await repair()
  expect(appended).toMatchObject([{ action: 'campaign.deleted', outcome: 'unknown' }])
})

it('an entry that the log does not know keeps back none of the others', async () => {
  appended = null
  await service.audit.record('operator', { action: 'account.exported', subject: { kind: 'account' } })
  await service.audit.record('system', { action: 'account.deleted', subject: { kind: 'account' } })
  unknown = ['account.exported']
  appended = []
  await repair()
  expect(appended.map(({ action }) => action)).toEqual(['account.deleted'])
  unknown = []
  await outbox().updateMany({}, { $set: { due_at: new Date() } })
  await repair()
  expect(appended.map(({ action, actor }) => [action, actor])).toEqual([
    ['account.deleted', { kind: 'system', id: null }],
    ['account.exported', { kind: 'operator', id: null }],
  ])
})

it('counts what a script does again and again in one entry an hour, and nobody else’s with it', async () => {
  const [flood, other] = [await bed.user(), await bed.user()]
  for (let n = 0; n < 80; n++) await call(flood.token, n < 70 ? 'done' : 'refused', { count: 2 })
  await call(other.token, 'done')
  await logged(51)
  const folded = await outbox().find().toArray()
  expect(folded).toHaveLength(1)
  expect(folded[0]).toMatchObject({
    entry: { actor: { id: flood.id }, times: 20, count: 40, subject: { kind: 'campaign', id: null } },
  })
  // It is handed over once its hour is past.
  expect(await repair()).toEqual({ repaired: 0 })
  await outbox().updateMany({}, { $set: { due_at: new Date() } })
  await repair()
  expect(appended?.at(-1)).toMatchObject({ outcome: 'done', times: 20, count: 40 })
})

it('cuts addresses to networks', () => {
  expect(
    ['192.0.2.77', '::ffff:192.0.2.77', '2001:db8:12:34:5::6', '::1', 'fe80::1%eth0', 'nowhere', ''].map(
      networkOf,
    ),
  ).toEqual(['192.0.2.0/24', '192.0.2.0/24', '2001:db8:12::/48', '0:0:0::/48', 'fe80:0:0::/48', null, null])
})

it('reports settings by digests, and of secrets nothing but that they are set', () => {
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
