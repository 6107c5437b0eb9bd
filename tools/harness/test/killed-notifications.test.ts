/** @module-tag long */
import { setTimeout as sleep } from 'node:timers/promises'
import { iodsApi, notificationsApi, watchesApi } from '@iodine/contracts'
import { iodInput, NO_LIMITS, newId, runs, type SignedInUser } from '@iodine/test-kit'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { startTestApp, type TestApp } from '../src/index.js'
import { BLOCKED_MS, killAtWork, type SpawnedPart, spawnPart } from './spawned.js'

const KILLS = runs(20)
const CLIENTS = 2

let app: TestApp
let notifications: SpawnedPart
let reader: SignedInUser

beforeAll(async () => {
  app = await startTestApp({ env: { ...NO_LIMITS, LOG_LEVEL: 'silent' } })
  notifications = await spawnPart(app, 'notifications')
  reader = await app.signUp()
})
afterAll(async () => {
  await notifications?.kill()
  await app?.stop()
})

it('a notifications service killed between events and notifications loses none, and doubles none', {
  timeout: 60_000 + KILLS * 15_000 + BLOCKED_MS,
}, async () => {
  const mark = `mark${newId()}`
  await notifications.start()
  await reader.api.call(watchesApi.createWatch, { body: { kind: 'search', search: { q: mark } } })
  const users = await Promise.all(Array.from({ length: CLIENTS }, () => app.signUp()))
  let made = 0
  const counted = async () =>
    (await reader.api.call(notificationsApi.listNotifications, { query: { limit: '100' } })).reduce(
      (sum, { count }) => sum + count,
      0,
    )
  const create =
    ({ api }: SignedInUser) =>
    async (isRunning: () => boolean) => {
      while (isRunning()) {
        await api.call(iodsApi.createIod, { body: iodInput({ value: `${mark} ${Math.random()}` }) })
        made++
        await sleep(20)
      }
    }
  for (let kill = 0; kill < KILLS; kill++) {
    const before = made
    await killAtWork(notifications, users.map(create), () =>
      vi.waitFor(() => expect(made).toBeGreaterThan(before + CLIENTS), { timeout: 30_000, interval: 5 }),
    )
    await notifications.start()
  }
  await vi.waitFor(async () => expect(await counted()).toBe(made), { timeout: BLOCKED_MS, interval: 500 })
  // A doubled one would arrive after the retries of the outbox.
  await sleep(5_000)
  expect(await counted()).toBe(made)
  expect(made).toBeGreaterThanOrEqual(KILLS)
})
