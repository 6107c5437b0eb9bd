import { PassThrough } from 'node:stream'
import { text } from 'node:stream/consumers'
import { runAccount, runAuditLog } from '@iodine/auth'
import {
  type AuditItem,
  adminApi,
  auditApi,
  campaignsApi,
  capturesApi,
  capturesInternal,
  collectorApi,
  iodsApi,
  OPEN_SETTINGS,
  profileApi,
  SECRET_SETTINGS,
  SERVICE_NAMES,
  sightingsApi,
} from '@iodine/contracts'
import { connectMongo } from '@iodine/service-kit'
import { iodInput, NO_LIMITS, rounds, type SignedInUser, sealCapture, tiktokPost } from '@iodine/test-kit'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { startTestStack, type TestStack } from '../src/index.js'
import { settings } from './settings.js'
import { killAtWork, type SpawnedPart, spawnPart } from './spawned.js'

let stack: TestStack
let admin: SignedInUser
let campaigns: SpawnedPart | undefined
beforeAll(async () => {
  stack = await startTestStack({
    env: {
      ...NO_LIMITS,
      ADMIN_EMAILS: 'boss@example.org',
      OPENAI_MODEL: 'canary-model-name',
      LOG_LEVEL: 'info',
    },
  })
  admin = await stack.signUp('boss@example.org', 'boss')
}, 240_000)
afterAll(async () => {
  await campaigns?.kill()
  await stack?.stop()
})

const list = (query: object = {}) => admin.api.call(auditApi.listAudit, { query })
const account = async (...args: string[]) => {
  const stdout = new PassThrough()
  const written = text(stdout)
  const code = await runAccount(stack.peers, args, { say: () => {}, stdout, folder: '/nowhere' })
  stdout.end()
  return { code, written: await written }
}
const verify = () => runAuditLog(stack.peers, ['verify'], { say: () => {} })

it('has what administrators, operators and members do to others’ things or in bulk, and no word of it', async () => {
  const canary = 'canary7d0c51f4'
  const user = await stack.signUp(`${canary}@example.org`, canary)
  const { api } = user
  const iod = await api.call(iodsApi.createIod, { body: iodInput({ value: `https://${canary}.example/` }) })
  const campaign = await api.call(campaignsApi.createCampaign, { body: { name: `Of ${canary}` } })
  const params = { id: campaign.id }
  await api.call(campaignsApi.addIod, { params, body: { iod_id: iod.id } })
  expect((await api.send('GET', `/campaigns/${campaign.id}/export?format=csv`)).status).toBe(200)
  await api.call(campaignsApi.updateSharing, { params, body: { published: true } })
  await api.call(campaignsApi.updateSharing, { params, body: { published: false } })
  // Nothing changes: no entry.
  await api.call(campaignsApi.updateSharing, { params, body: { published: false } })
  const other = await stack.signUp()
  await other.api.call(campaignsApi.removeIod, { params, body: { iod_id: iod.id } })
  await other.api.call(campaignsApi.removeIod, { params, body: { iod_id: iod.id } })
  expect((await other.api.send('DELETE', `/campaigns/${campaign.id}`)).status).toBe(403)
  await api.call(campaignsApi.deleteCampaign, { params })
  const capture = await sealCapture(api.call, { text: `A page of ${canary}` })
  await api.call(capturesApi.shareCapture, { params: { id: capture.id }, body: { shared: true } })
  expect((await other.api.send('GET', `/captures/${capture.id}/wacz`)).status).toBe(200)
  await api.call(collectorApi.ingestRecords, {
    params: { source: 'tiktok' },
    body: { records: [tiktokPost({ description: canary })] },
  })
  const [record] = await api.call(collectorApi.listRecords, { params: { source: 'tiktok' } })
  await api.call(collectorApi.shareRecords, {
    params: { source: 'tiktok' },
    body: { ids: [record?.id ?? ''], shared: true, as: 'anonymous' },
  })
  await api.call(sightingsApi.setCounting, { body: { counted: true } })
  const key = await api.call(profileApi.createFeedKey, { body: { label: canary, tlp: 'green' } })
  await admin.api.call(adminApi.createBetaCode, { body: { email: `guest-${canary}@example.org` } })
  await stack.peers.call('collector', capturesInternal.redactCapture, {
    params: { id: capture.id },
    body: { reason: canary },
  })
  expect((await account('export', user.email, '-')).written).toContain(canary)
  expect((await account('suspend', user.email)).code).toBe(0)
  expect((await account('delete', user.email)).code).toBe(0)

  const found = await vi.waitFor(async () => {
    const entries = (await list()).filter(({ action }) => action !== 'settings.started')
    expect(entries.map(({ action }) => action).sort()).toEqual([
      'account.deleted',
      'account.exported',
      'account.suspended',
      'admin.signed-in',
      'beta-code.created',
      'campaign.deleted',
      'campaign.exported',
      'campaign.iod-removed',
      'campaign.published',
      'campaign.withdrawn',
      'capture.exported',
      'capture.redacted',
      'capture.shared',
      'feed-key.created',
      'key.used',
      'key.used',
      'records.shared',
      'sightings.counted',
    ])
    return entries
  }, 30_000)
  const of = (action: string) => found.find(entry => entry.action === action) as AuditItem
  expect(of('campaign.iod-removed')).toMatchObject({
    actor: { kind: 'user', id: other.id },
    actor_account: { username: expect.any(String), deleted: false },
    subject: { kind: 'campaign', id: campaign.id },
    item: iod.id,
    count: 1,
    via: 'web',
    network: '127.0.0.0/24',
    request_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
  })
  expect(of('campaign.exported')).toMatchObject({ detail: 'csv', count: 1, actor: { id: user.id } })
  expect(of('campaign.deleted')).toMatchObject({ actor_account: { username: null, deleted: true } })
  expect(of('records.shared')).toMatchObject({ detail: 'anonymous', count: 1 })
  expect(of('capture.redacted')).toMatchObject({ actor: { kind: 'operator', id: null }, network: null })
  expect(of('account.deleted')).toMatchObject({ actor: { kind: 'operator' }, subject: { id: user.id } })

  const csv = String((await admin.api.send('GET', '/admin/audit/export')).body)
  const { databases } = await stack.dump()
  const stored = (JSON.parse(databases) as [string, string, unknown[]][]).filter(([, name]) =>
    name.startsWith('audit_'),
  )
  // The dump has the log, and the request lines of the log file have its requests.
  expect(JSON.stringify(stored)).toContain(of('campaign.deleted').hash)
  expect(stack.log()).toContain(of('campaign.deleted').request_id)
  for (const word of [
    canary,
    key.key,
    user.token,
    admin.token,
    'boss',
    'canary-model-name',
    'mongodb://',
    '127.0.0.1',
  ])
    for (const [place, content] of Object.entries({ csv, stored: JSON.stringify(stored) }))
      expect(content.includes(word), `${word} in ${place}`).toBe(false)
  expect(await verify()).toBe(0)
}, 120_000)

it('has the settings that each part has started with, and secrets by name alone', async () => {
  const begun = await vi.waitFor(async () => {
    const entries = await list({ action: ['settings.started'] })
    const names = new Set(entries.flatMap(entry => entry.settings?.map(({ name }) => name) ?? []))
    // Of auth, of a service, of the workers, of the gateway.
    for (const name of ['ADMIN_EMAILS', 'QUOTA_IODS', 'OPENAI_MODEL', 'TRUST_PROXY'])
      expect([...names]).toContain(name)
    return entries
  }, 30_000)
  for (const entry of begun) {
    expect(entry).toMatchObject({ actor: { kind: 'system', id: null }, network: null, via: null })
    for (const { name, fingerprint } of entry.settings ?? [])
      expect([name, fingerprint === null]).toEqual([
        name,
        (SECRET_SETTINGS as readonly string[]).includes(name),
      ])
  }
})

it('knows each setting that is not an address of a part itself', () => {
  const own = /^(HOST|PORT|METRICS_PORT|\w+_PREFIX|WORKERS_URL|DRAIN_MS|WEB_ROOT|REMOTES_ROOT)$/
  const addresses = SERVICE_NAMES.map(name => `${name.toUpperCase()}_URL`)
  const known: readonly string[] = [...OPEN_SETTINGS, ...SECRET_SETTINGS]
  const read = [...settings()].flatMap(([name, { parts }]) => (parts.length > 0 ? name : []))
  const unknown = read.filter(name => !known.includes(name) && !addresses.includes(name) && !own.test(name))
  expect(unknown).toEqual([])
  expect(known.filter(name => !settings().has(name))).toEqual([])
})

it('gets what was done while auth was away once it is back', async () => {
  const { api } = await stack.signUp()
  const { id } = await api.call(campaignsApi.createCampaign, { body: { name: 'Gone meanwhile' } })
  await stack.parts.auth.stop()
  await api.call(campaignsApi.deleteCampaign, { params: { id } })
  await stack.parts.campaigns.stop()
  await stack.parts.auth.start()
  await stack.parts.campaigns.start()
  await vi.waitFor(async () => {
    expect(await list({ subject: id })).toMatchObject([{ action: 'campaign.deleted', outcome: 'done' }])
  }, 30_000)
}, 60_000)

const KILLS = rounds(2)
it('a campaigns service that is killed between an action and its hand-over loses no entry', {
  timeout: 120_000 + KILLS * 60_000,
}, async () => {
  campaigns = await spawnPart(stack, 'campaigns')
  const users: SignedInUser[] = []
  const deleted: string[] = []
  const unanswered: string[] = []
  for (let kill = 0; kill < KILLS; kill++) {
    await campaigns.start()
    const before = deleted.length
    // New ones: a transaction that a kill has left behind keeps its user's usage for a minute.
    const fresh = await Promise.all([1, 2, 3].map(() => stack.signUp()))
    users.push(...fresh)
    const clients = fresh.map(({ api }) => async (isRunning: () => boolean) => {
      while (isRunning()) {
        const made = await api
          .call(campaignsApi.createCampaign, { body: { name: 'Short-lived' } })
          .catch(() => undefined)
        if (!made) continue
        await api.call(campaignsApi.deleteCampaign, { params: { id: made.id } }).then(
          () => deleted.push(made.id),
          () => unanswered.push(made.id),
        )
      }
    })
    await killAtWork(campaigns, clients, () =>
      vi.waitFor(() => expect(deleted.length).toBeGreaterThan(before), { timeout: 30_000, interval: 5 }),
    )
  }
  await campaigns.start()
  const { MONGODB_URI, MONGODB_PREFIX } = stack.parts.campaigns.env
  const mongo = await connectMongo(MONGODB_URI ?? '', `${MONGODB_PREFIX}_campaigns`)
  try {
    // What a kill has cut off, and what was counted together, would wait for minutes.
    await mongo.collection('audit_outbox').updateMany({}, { $set: { due_at: new Date() } })
    const gone = new Set(deleted)
    for (const id of unanswered) {
      const { status } = await admin.api.send('GET', `/campaigns/${id}`)
      if (status === 404) gone.add(id)
    }
    await vi.waitFor(async () => {
      expect(await mongo.collection('audit_outbox').countDocuments()).toBe(0)
      const entries = (await list({ action: ['campaign.deleted'] })).filter(({ actor }) =>
        users.some(({ id }) => id === actor.id),
      )
      const named = new Set(entries.map(({ subject }) => subject.id))
      const counted = entries.reduce((sum, { subject, times }) => sum + (subject.id === null ? times : 0), 0)
      const unnamed = [...gone].filter(id => !named.has(id))
      // The first fifty of a user have entries of their own.
      expect(counted).toBeGreaterThanOrEqual(unnamed.length)
      for (const user of users) {
        const own = entries.filter(({ actor, subject }) => actor.id === user.id && subject.id !== null)
        expect(own.length).toBeLessThanOrEqual(50)
      }
    }, 60_000)
  } finally {
    await mongo.close()
  }
  expect(await verify()).toBe(0)
})
