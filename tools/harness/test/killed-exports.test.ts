/** @module-tag long */
import { setTimeout as sleep } from 'node:timers/promises'
import { collectorApi, personalDataInternal, profileApi, servicesWith } from '@iodine/contracts'
import { NO_LIMITS, runs, type SignedInUser, tiktokPost } from '@iodine/test-kit'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { startTestApp, type TestApp } from '../src/index.js'
import { BLOCKED_MS, type SpawnedPart, spawnPart } from './spawned.js'

const KILLS = runs(4)
const RECORDS = Number(process.env.RECORDS ?? 6_000)
const BATCH = 500
const SERVICES = servicesWith(personalDataInternal.exportUser)

let app: TestApp
let auth: SpawnedPart
let ana: SignedInUser

beforeAll(async () => {
  app = await startTestApp({
    env: { ...NO_LIMITS, LOG_LEVEL: 'silent', QUOTA_RECORDS: String(RECORDS) },
  })
  ana = await app.signUp()
  for (let n = 0; n < RECORDS; n += BATCH)
    await ana.api.call(collectorApi.ingestRecords, {
      params: { source: 'tiktok' },
      body: {
        records: Array.from({ length: BATCH }, (_, m) => tiktokPost({ description: `clip ${n + m}` })),
      },
    })
  auth = await spawnPart(app, 'auth')
  await auth.start()
})
afterAll(async () => {
  await auth?.kill()
  await app?.stop()
})

it('an export whose service is killed during work completes once, with all data', {
  timeout: (KILLS + 1) * BLOCKED_MS,
}, async () => {
  const { api } = ana
  const patiently = { timeout: BLOCKED_MS, interval: 20 }
  const { id } = await api.call(profileApi.createDataExport)
  // The gateway returns 503 while auth is down.
  const look = () => api.call(profileApi.getDataExport)
  let through = 0
  let killed = 0
  for (let kill = 0; kill < KILLS; kill++) {
    const now = await vi.waitFor(async () => {
      const now = await look()
      if (now?.state === 'working') expect(now.done).toBeGreaterThanOrEqual(through)
      return now
    }, patiently)
    if (now?.state !== 'working') break
    through = now.done
    await sleep(Math.random() * 100)
    await auth.kill()
    killed++
    await auth.start()
  }
  // Proves that kills happened during work.
  expect(killed).toBeGreaterThanOrEqual(Math.min(KILLS, 2))
  await vi.waitFor(async () => expect((await look())?.state).toBe('ready'), {
    timeout: BLOCKED_MS,
    interval: 100,
  })
  const answer = await fetch(`${app.url}/api/v1/profile/data-export/${id}`, {
    headers: { authorization: `Bearer ${ana.token}` },
  })
  const file = await answer.json()
  for (const service of SERVICES) expect(Array.isArray(file[service])).toBe(true)
  const clips = file.collector.map(
    (item: { data: object }) => /clip \d+/.exec(JSON.stringify(item.data))?.[0],
  )
  expect(clips).toHaveLength(RECORDS)
  expect(new Set(clips).size).toBe(RECORDS)
  expect(file.auth[0].data).toMatchObject({ email: ana.email })
  await app.mail.waitForMail(ana.email)
})
