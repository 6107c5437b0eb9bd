import { PassThrough } from 'node:stream'
import { text } from 'node:stream/consumers'
import { runAccount, runAuditLog } from '@iodine/auth'
import {
  API_SCOPES,
  AUDIT_ACTION_NAMES,
  type AuditAction,
  type AuditItem,
  adminApi,
  auditApi,
  authApi,
  backupsInternal,
  campaignsApi,
  capturesApi,
  capturesInternal,
  collectorApi,
  evidenceApi,
  evidenceInternal,
  importsApi,
  iodCommentsApi,
  iodsApi,
  type KeySetting,
  OPEN_SETTINGS,
  peopleApi,
  profileApi,
  SECRET_SETTINGS,
  SERVICE_NAMES,
  sightingsApi,
  subscriptionsApi,
} from '@iodine/contracts'
import { connectMongo } from '@iodine/service-kit'
import {
  apiClient,
  iodInput,
  NO_LIMITS,
  runs,
  type SignedInUser,
  sealCapture,
  tiktokPost,
} from '@iodine/test-kit'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { startTestApp, type TestApp } from '../src/index.js'
import { settings } from './settings.js'
import { BLOCKED_MS, killAtWork, type SpawnedPart, spawnPart } from './spawned.js'

let app: TestApp
let admin: SignedInUser
let campaigns: SpawnedPart | undefined
beforeAll(async () => {
  app = await startTestApp({
    env: {
      ...NO_LIMITS,
      ADMIN_EMAILS: 'boss@example.org',
      OPENAI_MODEL: 'canary-model-name',
      LOG_LEVEL: 'info',
    },
  })
  admin = await app.signUp('boss@example.org', 'the_boss')
})
afterAll(async () => {
  await campaigns?.kill()
  await app?.stop()
})

const list = (query: object = {}) => admin.api.call(auditApi.listAudit, { query })
const account = async (...args: string[]) => {
  const stdout = new PassThrough()
  const written = text(stdout)
  const keys = {
    together: false,
    read: (setting: KeySetting) => app.parts.auth.env[setting] ?? '',
    writer: () => undefined,
  }
  const code = await runAccount(app.peers, args, { say: () => {}, stdout, folder: '/nowhere', keys })
  stdout.end()
  return { code, written: await written }
}
const verify = () => runAuditLog(app.peers, ['verify'], { say: () => {} })

/** Actions of the first test, in alphabetical order. */
const RECORDED = [
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
] as const
/** Actions of the second test. */
const RECORDED_THEN = [
  'account.limits-changed',
  'account.passkeys-reset',
  'account.sessions-ended',
  'account.suspended',
  'account.tokens-revoked',
  'account.unsuspended',
  'api-token.created',
  'api-token.revoked',
  'audit.exported',
  'backup.made',
  'campaign.level-changed',
  'campaign.technique-removed',
  'capture.shared',
  'capture.unshared',
  'comment.deleted',
  'evidence.imported',
  'evidence.redacted',
  'feed-key.created',
  'feed-key.created',
  'feed-key.revoked',
  'import.applied',
  'import.removed',
  'key.rotated',
  'records.shared',
  'records.unshared',
  'sightings.counted',
  'sightings.not-counted',
  'subscription.changed',
  'subscription.created',
  'subscription.deleted',
] as const
/** Actions of the tests of services: auth's `audit.test.ts` and `keys.test.ts`, and campaigns' `reports.test.ts`. */
const RECORDED_ELSEWHERE = [
  'account.address-change-requested',
  'account.address-change-withdrawn',
  'account.address-changed',
  'account.deletion-requested',
  'account.deletion-scheduled',
  'account.deletion-withdrawn',
  'account.export-downloaded',
  'audit.expired',
  'key.dropped',
  'passkey.created',
  'passkey.deleted',
  'report.approved',
  'report.erased',
  'report.handed-in',
  'report.refused',
  'report.reinstated',
  'report.replied',
  'report.taken-out',
  'report.withdrawn',
  'work.dropped',
  'work.retried',
] as const

/** Expects that no word is in the stored or downloaded log or in pending entries. `proof` must be in each of them. */
const expectUnseen = async (words: readonly string[], proof: string) => {
  const csv = String((await admin.api.send('GET', '/admin/audit/export')).body)
  const { databases } = await app.dump()
  const stored = (JSON.parse(databases) as [string, string, unknown[]][]).filter(([, name]) =>
    name.startsWith('audit_'),
  )
  const places = { csv, stored: JSON.stringify(stored) }
  for (const [place, content] of Object.entries(places)) {
    expect(content.includes(proof), `${proof} in ${place}`).toBe(true)
    for (const word of words) expect(content.includes(word), `${word} in ${place}`).toBe(false)
  }
}
const isOfStart = ({ action }: AuditItem) => action === 'settings.started'

it('has tests for each action', () => {
  const all = [...RECORDED, ...RECORDED_THEN, ...RECORDED_ELSEWHERE, 'settings.started']
  expect([...new Set(all)].sort()).toEqual([...AUDIT_ACTION_NAMES].sort())
})

it('records actions of administrators, operators and members on others’ content or in bulk, without the content', async () => {
  const canary = 'canary7d0c51f4'
  const user = await app.signUp(`${canary}@example.org`, canary)
  const { api } = user
  const iod = await api.call(iodsApi.createIod, { body: iodInput({ value: `https://${canary}.example/` }) })
  const campaign = await api.call(campaignsApi.createCampaign, { body: { name: `Of ${canary}` } })
  const params = { id: campaign.id }
  await api.call(campaignsApi.addIod, { params, body: { iod_id: iod.id } })
  expect((await api.send('GET', `/campaigns/${campaign.id}/export?format=csv`)).status).toBe(200)
  await api.call(campaignsApi.updateSharing, { params, body: { published: true } })
  await api.call(campaignsApi.updateSharing, { params, body: { published: false } })
  // An update without a change makes no entry.
  await api.call(campaignsApi.updateSharing, { params, body: { published: false } })
  const other = await app.signUp()
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
  await app.peers.call('collector', capturesInternal.redactCapture, {
    params: { id: capture.id },
    body: { reason: canary },
  })
  expect((await account('export', user.email, '-')).written).toContain(canary)
  expect((await account('suspend', user.email)).code).toBe(0)
  expect((await account('delete', user.email)).code).toBe(0)

  const found = await vi.waitFor(async () => {
    const entries = (await list()).filter(entry => !isOfStart(entry))
    expect(entries.map(({ action }) => action).sort()).toEqual(RECORDED)
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

  // The log file has its request ids.
  expect(app.log()).toContain(of('campaign.deleted').request_id)
  const words = [
    canary,
    key.key,
    user.token,
    admin.token,
    // Long enough not to occur in a base64 key by chance.
    'the_boss',
    'boss@example.org',
    'canary-model-name',
    'mongodb://',
    '127.0.0.1',
  ]
  await expectUnseen(words, of('campaign.deleted').hash)
  expect(await verify()).toBe(0)
}, 300_000)

it('records all other actions, without their content', { tags: 'long', timeout: 300_000 }, async () => {
  const canary = 'canary90aa17be'
  const begun = new Date().toISOString()
  const user = await app.signUp(`${canary}@example.org`, canary)
  const { api } = user
  const account_ = { params: { id: user.id } }
  const token = await api.call(profileApi.createApiToken, {
    body: { name: canary, scopes: ['read'], expires_at: new Date(Date.now() + 3_600_000).toISOString() },
  })
  await api.call(profileApi.revokeApiToken, { params: { id: token.id } })
  const key = await api.call(profileApi.createFeedKey, { body: { label: canary, tlp: 'clear' } })
  await api.call(profileApi.deleteFeedKey, { params: { id: key.id } })
  await api.call(profileApi.createFeedKey, { body: { label: canary, tlp: 'clear' } })

  const iod = await api.call(iodsApi.createIod, { body: iodInput({ value: `${canary}.example` }) })
  await api.call(evidenceApi.importEvidence, {
    params: { id: iod.id },
    body: {
      quotes: [{ start: 0, end: iod.value.length, exact: iod.value, url: `https://${canary}.example/` }],
    },
  })
  const comment = await api.call(iodCommentsApi.createComment, {
    params: { id: iod.id },
    body: { content: canary },
  })
  await admin.api.call(iodCommentsApi.deleteComment, { params: { id: iod.id, cid: comment.id } })
  const [quote] = await api.call(evidenceApi.listEvidence, { params: { id: iod.id } })
  await app.peers.call('iods', evidenceInternal.redactEvidence, { body: { id: quote?.id ?? '' } })

  const campaign = await api.call(campaignsApi.createCampaign, { body: { name: canary } })
  const technique = { params: { id: campaign.id, tid: 'T0002' } }
  await api.call(campaignsApi.addTechnique, technique)
  await api.call(campaignsApi.removeTechnique, technique)
  await api.call(campaignsApi.removeTechnique, technique)
  await api.call(campaignsApi.updateSharing, { params: { id: campaign.id }, body: { tlp: 'amber' } })
  await api.call(campaignsApi.updateSharing, { params: { id: campaign.id }, body: { tlp: 'amber' } })
  const { id: importId } = await api.call(importsApi.createImport, {
    query: { campaign_id: campaign.id, format: 'stix' },
    body: new TextEncoder().encode(`{"type":"x-${canary}","id":"x-${canary}--1"}`),
  })
  const importIs = (state: string) =>
    vi.waitFor(
      async () =>
        expect(await api.call(importsApi.getImport, { params: { id: importId } })).toMatchObject({ state }),
      30_000,
    )
  await importIs('planned')
  await api.call(importsApi.applyImport, { params: { id: importId }, body: {} })
  await importIs('done')
  await api.call(importsApi.deleteImport, { params: { id: importId } })

  const { id: capture } = await sealCapture(api.call, { text: `A page of ${canary}` })
  for (const shared of [true, false, false])
    await api.call(capturesApi.shareCapture, { params: { id: capture }, body: { shared } })
  await api.call(collectorApi.ingestRecords, {
    params: { source: 'tiktok' },
    body: { records: [tiktokPost({ description: canary })] },
  })
  const [record] = await api.call(collectorApi.listRecords, { params: { source: 'tiktok' } })
  for (const shared of [true, false])
    await api.call(collectorApi.shareRecords, {
      params: { source: 'tiktok' },
      body: { ids: [record?.id ?? ''], shared, ...(shared && { as: 'anonymous' as const }) },
    })
  for (const counted of [true, false, false]) await api.call(sightingsApi.setCounting, { body: { counted } })

  const { id: subscription } = await admin.api.call(subscriptionsApi.createSubscription, {
    body: { url: `https://${canary}.example/`, kind: 'taxii', campaign_id: campaign.id },
  })
  const params = { id: subscription }
  await admin.api.call(subscriptionsApi.updateSubscription, { params, body: { every: 30 } })
  await admin.api.call(subscriptionsApi.deleteSubscription, { params })
  await admin.api.call(peopleApi.changeLimits, { ...account_, body: { iods: 77 } })
  await admin.api.call(peopleApi.endPersonSessions, account_)
  await admin.api.call(peopleApi.revokePersonTokens, account_)
  await admin.api.call(peopleApi.suspendPerson, account_)
  expect((await account('unsuspend', user.email)).code).toBe(0)
  expect((await account('reset-passkeys', user.email)).code).toBe(0)
  await app.peers.call('auth', backupsInternal.reportBackup, {
    body: { made_at: new Date().toISOString(), bytes: 1, duration_ms: 1 },
  })
  expect((await admin.api.send('GET', '/admin/audit/export')).status).toBe(200)
  const { SECRETS_KEY = '', JWT_PRIVATE_KEY = '' } = app.parts.auth.env
  const rotated = await account('rotate-keys', 'SECRETS_KEY')
  expect(rotated).toMatchObject({ code: 0, written: expect.stringMatching(/^SECRETS_KEY=/) })

  const keys = [
    ...rotated.written
      .replace(/^SECRETS_KEY=/, '')
      .trim()
      .split(','),
    SECRETS_KEY,
  ]
  const found = await vi.waitFor(async () => {
    const entries = (await list()).filter(entry => entry.at >= begun && !isOfStart(entry))
    expect(entries.map(({ action }) => action).sort()).toEqual(RECORDED_THEN)
    return entries
  }, 30_000)
  const of = (action: string) => found.find(entry => entry.action === action) as AuditItem
  const byUser = { actor: { kind: 'user', id: user.id }, via: 'web', outcome: 'done', times: 1 }
  const byAdmin = { ...byUser, actor: { kind: 'user', id: admin.id } }
  const byOperator = { actor: { kind: 'operator', id: null }, via: null, network: null }
  const ofCampaign = { subject: { kind: 'campaign', id: campaign.id } }
  const expected: Partial<Record<AuditAction, object>> = {
    'api-token.revoked': { ...byUser, subject: { kind: 'api-token', id: token.id } },
    'feed-key.revoked': { ...byUser, subject: { kind: 'feed-key', id: key.id } },
    'comment.deleted': { ...byAdmin, subject: { kind: 'comment', id: comment.id } },
    'evidence.imported': { ...byUser, subject: { kind: 'iod', id: iod.id }, count: 1 },
    'evidence.redacted': { ...byOperator, subject: { kind: 'evidence', id: quote?.id }, count: 1 },
    'campaign.technique-removed': { ...byUser, ...ofCampaign, count: 1 },
    'campaign.level-changed': { ...byUser, ...ofCampaign, detail: 'amber' },
    'import.applied': { ...byUser, ...ofCampaign, item: importId },
    'import.removed': { ...byUser, ...ofCampaign, item: importId },
    'capture.unshared': { ...byUser, subject: { kind: 'capture', id: capture } },
    'records.unshared': { ...byUser, subject: { kind: 'record', id: null }, count: 1, detail: null },
    'sightings.not-counted': { ...byUser, subject: { kind: 'account', id: user.id } },
    'subscription.deleted': { ...byAdmin, subject: { kind: 'subscription', id: subscription } },
    'account.limits-changed': { ...byAdmin, subject: { kind: 'account', id: user.id }, count: 77 },
    'account.sessions-ended': { ...byAdmin, subject: { kind: 'account', id: user.id } },
    'account.tokens-revoked': { ...byAdmin, subject: { kind: 'account', id: user.id }, count: 1 },
    'account.passkeys-reset': { ...byOperator, subject: { kind: 'account', id: user.id } },
    'backup.made': byOperator,
    'key.rotated': { ...byOperator, detail: 'SECRETS_KEY' },
    'audit.exported': { ...byAdmin, detail: 'csv' },
  }
  for (const [action, fields] of Object.entries(expected)) expect(of(action)).toMatchObject(fields)
  const [, signing = ''] = /\n([\w+/]{40,})/.exec(JWT_PRIVATE_KEY.replaceAll('\\n', '\n')) ?? []
  expect(signing).not.toBe('')
  const words = [canary, token.token, key.key, user.token, admin.token, signing, ...keys]
  await expectUnseen(words, of('key.rotated').hash)
  expect(await verify()).toBe(0)
})

it('is open only to sessions of administrators, not to their API tokens, extension or feed keys', async () => {
  const { api } = admin
  const expires_at = new Date(Date.now() + 3_600_000).toISOString()
  const { token } = await api.call(profileApi.createApiToken, {
    body: { name: 'All', scopes: [...API_SCOPES], expires_at },
  })
  const { key } = await api.call(profileApi.createFeedKey, { body: { label: 'Mine', tlp: 'amber' } })
  const { code } = await api.call(authApi.generateExtensionCode)
  const { access_token } = await app.api.call(authApi.redeemExtensionCode, { body: { code } })
  for (const { path } of Object.values(auditApi)) {
    const status = async (given: string) =>
      [path, (await apiClient(app.url, given).send('GET', path)).status] as const
    expect(await status(admin.token)).toEqual([path, 200])
    expect(await status(token)).toEqual([path, 403])
    expect(await status(access_token)).toEqual([path, 403])
    expect(await status(key)).toEqual([path, 401])
  }
})

it('limits a member’s script to 50 entries and one per hour, without losing or delaying entries of others', {
  tags: 'long',
  timeout: 300_000,
}, async () => {
  const [script, other] = [await app.signUp(), await app.signUp()]
  const campaignOf = ({ api }: SignedInUser) =>
    api.call(campaignsApi.createCampaign, { body: { name: 'A campaign' } })
  const [own, others] = [await campaignOf(script), await campaignOf(other)]
  const flood = async (from: number, to: number) => {
    for (let n = from; n < to; n++)
      await script.api.call(sightingsApi.setCounting, { body: { counted: n % 2 === 0 } })
  }
  await flood(0, 130)
  await other.api.call(sightingsApi.setCounting, { body: { counted: true } })
  await vi.waitFor(async () => expect(await list({ actor: other.id })).toHaveLength(1), 30_000)
  await flood(130, 160)
  // Rejected requests make no entries and use up no limit.
  for (let n = 0; n < 60; n++)
    expect((await script.api.send('DELETE', `/campaigns/${others.id}`)).status).toBe(403)
  await script.api.call(campaignsApi.deleteCampaign, { params: { id: own.id } })
  await vi.waitFor(
    async () => expect(await list({ subject: own.id })).toMatchObject([{ action: 'campaign.deleted' }]),
    30_000,
  )
  expect(await list({ subject: others.id })).toEqual([])

  const { MONGODB_URI, MONGODB_PREFIX } = app.parts.sightings.env
  const mongo = await connectMongo(MONGODB_URI ?? '', `${MONGODB_PREFIX}_sightings`)
  try {
    const counts = mongo.collection('audit_counts')
    const hours = await counts.countDocuments()
    // Simulates the end of their hour: the task that delivers them runs at the start.
    await counts.updateMany({}, { $set: { due_at: new Date() } })
    await app.parts.sightings.stop()
    await app.parts.sightings.start()
    for (const action of ['sightings.counted', 'sightings.not-counted'] as const)
      await vi.waitFor(async () => {
        const entries = await list({ actor: script.id, action: [action] })
        expect(entries.reduce((sum, { times }) => sum + times, 0)).toBe(80)
        expect(entries.filter(({ subject }) => subject.id !== null)).toHaveLength(50)
        expect(entries.length).toBeLessThanOrEqual(50 + hours)
      }, 30_000)
    await expect.poll(() => mongo.collection('outbox').countDocuments({ kind: /^audit/ })).toBe(0)
  } finally {
    await mongo.close()
  }
  expect(await verify()).toBe(0)
})

it('records the settings of each part at its start, with only the names of secrets', async () => {
  const begun = await vi.waitFor(async () => {
    const entries = await list({ action: ['settings.started'] })
    const names = new Set(entries.flatMap(entry => entry.settings?.map(({ name }) => name) ?? []))
    // Settings of auth, a service, the workers and the gateway.
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

it('knows each setting except the addresses of parts', () => {
  const own = /^(HOST|PORT|METRICS_PORT|\w+_PREFIX|WORKERS_URL|DRAIN_MS|ROLE)$/
  const addresses = SERVICE_NAMES.map(name => `${name.toUpperCase()}_URL`)
  const known: readonly string[] = [...OPEN_SETTINGS, ...SECRET_SETTINGS]
  const read = [...settings()].flatMap(([name, { parts }]) => (parts.length > 0 ? name : []))
  const unknown = read.filter(name => !known.includes(name) && !addresses.includes(name) && !own.test(name))
  expect(unknown).toEqual([])
  expect(known.filter(name => !settings().has(name))).toEqual([])
  expect(OPEN_SETTINGS.filter(name => /KEY(?!S)|SECRET|TOKEN|PASSWORD|HEADERS/.test(name))).toEqual([])
})

it('receives entries of actions during an outage of auth once it is back', async () => {
  const { api } = await app.signUp()
  const { id } = await api.call(campaignsApi.createCampaign, { body: { name: 'Gone meanwhile' } })
  await app.parts.auth.stop()
  await api.call(campaignsApi.deleteCampaign, { params: { id } })
  await app.parts.campaigns.stop()
  await app.parts.auth.start()
  await app.parts.campaigns.start()
  await vi.waitFor(async () => {
    expect(await list({ subject: id })).toMatchObject([{ action: 'campaign.deleted', outcome: 'done' }])
  }, 30_000)
}, 240_000)

const KILLS = runs(2)
it('loses no entry when the campaigns service is killed between an action and the delivery', {
  tags: 'long',
  timeout: (KILLS + 2) * BLOCKED_MS,
}, async () => {
  campaigns = await spawnPart(app, 'campaigns')
  const users: SignedInUser[] = []
  const deleted: string[] = []
  const unanswered: string[] = []
  for (let kill = 0; kill < KILLS; kill++) {
    await campaigns.start()
    const before = deleted.length
    // New users: a transaction left open by a kill locks its user's usage for a minute.
    const fresh = await Promise.all([1, 2, 3].map(() => app.signUp()))
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
      vi.waitFor(() => expect(deleted.length).toBeGreaterThan(before), { timeout: BLOCKED_MS, interval: 5 }),
    )
  }
  const { MONGODB_URI, MONGODB_PREFIX } = app.parts.campaigns.env
  const mongo = await connectMongo(MONGODB_URI ?? '', `${MONGODB_PREFIX}_campaigns`)
  const pending = { kind: /^audit/ }
  try {
    // Makes interrupted actions and counts due, which would wait for minutes.
    await mongo.collection('outbox').updateMany(pending, { $set: { due_at: new Date() } })
    await mongo.collection('audit_counts').updateMany({}, { $set: { due_at: new Date() } })
    await campaigns.start()
    const gone = new Set(deleted)
    for (const id of unanswered) {
      const { status } = await admin.api.send('GET', `/campaigns/${id}`)
      if (status === 404) gone.add(id)
    }
    await vi.waitFor(async () => {
      expect(await mongo.collection('outbox').countDocuments(pending)).toBe(0)
      expect(await mongo.collection('audit_counts').countDocuments()).toBe(0)
      const entries = (await list({ action: ['campaign.deleted'] })).filter(({ actor }) =>
        users.some(({ id }) => id === actor.id),
      )
      const named = new Set(entries.map(({ subject }) => subject.id))
      const counted = entries.reduce((sum, { subject, times }) => sum + (subject.id === null ? times : 0), 0)
      const unnamed = [...gone].filter(id => !named.has(id))
      // The first fifty actions of a user have separate entries.
      expect(counted).toBeGreaterThanOrEqual(unnamed.length)
      for (const user of users) {
        const own = entries.filter(({ actor, subject }) => actor.id === user.id && subject.id !== null)
        expect(own.length).toBeLessThanOrEqual(50)
      }
    }, BLOCKED_MS)
  } finally {
    await mongo.close()
  }
  expect(await verify()).toBe(0)
})
