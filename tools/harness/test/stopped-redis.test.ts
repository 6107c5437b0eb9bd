/** @module-tag long */
import { setTimeout as sleep } from 'node:timers/promises'
import { campaignsApi, communityApi, importsApi, iodsApi, narrativesApi, profileApi } from '@iodine/contracts'
import {
  type FaultProxy,
  iodInput,
  NO_LIMITS,
  newId,
  type SignedInUser,
  startFaultProxy,
  startTestRedis,
} from '@iodine/test-kit'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { startTestApp, type TestApp } from '../src/index.js'

const OUTAGE_MS = 60_000
const USERS = 4
/** Number of objects in the imported file, all indicators. */
const OBJECTS = 50

let redis: Awaited<ReturnType<typeof startTestRedis>>
let link: FaultProxy
let app: TestApp
let users: SignedInUser[]
beforeAll(async () => {
  redis = await startTestRedis()
  link = await startFaultProxy(() => Number(new URL(redis.url).port))
  const through = new URL(redis.url)
  through.port = String(link.port)
  app = await startTestApp({ env: { ...NO_LIMITS, LOG_LEVEL: 'silent', REDIS_URL: through.href } })
  users = await Promise.all(Array.from({ length: USERS }, () => app.signUp()))
  for (const { api } of users) await api.call(profileApi.updateOpenaiKey, { body: { api_key: 'sk-test' } })
})
afterAll(async () => {
  link?.set('open')
  await app?.stop()
  await link?.stop()
  await redis?.stop()
})

const within = (timeout: number) => ({ timeout, interval: 100 })
const totalIods = async ({ api, id }: SignedInUser) =>
  (await api.call(communityApi.getUser, { params: { id } })).total_iods
const bundle = () =>
  new TextEncoder().encode(
    JSON.stringify({
      type: 'bundle',
      objects: Array.from({ length: OBJECTS }, (_, n) => ({
        type: 'indicator',
        id: `indicator--00000000-0000-4000-8000-${String(n).padStart(12, '0')}`,
        modified: '2026-01-01T00:00:00Z',
        pattern_type: 'stix',
        pattern: `[url:value = 'https://example.org/${n}']`,
      })),
    }),
  )

it('continues events, imports and exports while Redis is down under load; mails and extractions follow later', {
  timeout: OUTAGE_MS + 300_000,
}, async () => {
  const created = new Map(users.map(user => [user, 0]))
  let isOver = false
  const load = users.map(async user => {
    while (!isOver) {
      await user.api.call(iodsApi.createIod, { body: iodInput() })
      created.set(user, (created.get(user) ?? 0) + 1)
      await sleep(20)
    }
  })
  const caughtUp = async () => {
    for (const user of users) {
      const atLeast = created.get(user) ?? 0
      await vi.waitFor(
        async () => expect(await totalIods(user)).toBeGreaterThanOrEqual(atLeast),
        within(30_000),
      )
    }
  }
  await caughtUp()
  const [ana, ben, eve] = users as [SignedInUser, SignedInUser, SignedInUser]
  const text = () => `Mirrors heat lake ${newId()}. Nobody asks why.`
  const writing = ana.api.send('POST', '/narratives/', { text: text() })

  link.set('reset')
  const began = Date.now()
  // The gateway queries auth for sessions once its connection is lost.
  await vi.waitFor(
    async () => expect((await ben.api.send('GET', '/profile/me')).status).toBe(200),
    within(10_000),
  )
  const email = `${newId()}@example.org`
  expect((await app.api.send('POST', '/auth/request-magic-link', { email })).status).toBe(200)

  const campaign = await ben.api.call(campaignsApi.createCampaign, { body: { name: 'Outage' } })
  const query = { campaign_id: campaign.id, format: 'stix' } as const
  const { id } = await ben.api.call(importsApi.createImport, { query, body: bundle() })
  const stateIs = (state: string) =>
    vi.waitFor(
      async () => expect((await ben.api.call(importsApi.getImport, { params: { id } })).state).toBe(state),
      within(30_000),
    )
  await stateIs('planned')
  await ben.api.call(importsApi.applyImport, { params: { id }, body: {} })
  await stateIs('done')
  await eve.api.call(profileApi.createDataExport)
  await vi.waitFor(
    async () => expect((await eve.api.call(profileApi.getDataExport))?.state).toBe('ready'),
    within(30_000),
  )
  await caughtUp()
  // Delayed work has not been done in another way.
  expect(app.mail.mails.filter(mail => mail.to.includes(email))).toEqual([])
  await sleep(began + OUTAGE_MS - Date.now())
  await caughtUp()
  link.set('open')

  expect([201, 503, 504]).toContain((await writing).status)
  await app.mail.waitForMail(email)
  await app.mail.waitForMail(eve.email)
  const { status } = await ana.api.send('POST', '/narratives/', { text: text() })
  expect([201, 503, 504]).toContain(status)
  isOver = true
  await Promise.all(load)
  // No data is lost or duplicated.
  for (const user of users) {
    const { username } = await user.api.call(profileApi.getProfile)
    const listed = await user.api.call(iodsApi.listIods, { query: { created_by: username ?? '' } })
    const imported = user === ben ? OBJECTS : 0
    expect(listed).toHaveLength((created.get(user) ?? 0) + imported)
    await vi.waitFor(async () => expect(await totalIods(user)).toBe(listed.length), within(30_000))
  }
  await vi.waitFor(async () => {
    const narratives = await ana.api.call(narrativesApi.listNarratives)
    expect(narratives.length).toBeGreaterThan(0)
    expect(narratives).toHaveLength(new Set(narratives.map(each => each.text)).size)
    expect((await ana.api.call(communityApi.getUser, { params: { id: ana.id } })).total_narratives).toBe(
      narratives.length,
    )
  }, within(120_000))
  expect(app.mail.mails.filter(mail => mail.to.includes(email))).toHaveLength(1)
})
