/** @module-tag long */
import { setTimeout as sleep } from 'node:timers/promises'
import { campaignsApi, iodsApi, REPORT_FILES, reportsApi } from '@iodine/contracts'
import { type Connection, connectMongo } from '@iodine/service-kit'
import { iodInput, NO_LIMITS, runs, type SignedInUser } from '@iodine/test-kit'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { startTestApp, type TestApp } from '../src/index.js'
import { BLOCKED_MS, endLeases, type SpawnedPart, spawnPart } from './spawned.js'

const KILLS = runs(8)
const IODS = 300
const REPORTS = {
  REPORTS: 'reviewed',
  REPORTS_CONTACT: 'desk@iodine.example',
  REPORTS_LEGAL_NOTICE: 'Example Institute',
}

let app: TestApp
let stored: Connection
let campaigns: SpawnedPart
let ana: SignedInUser

beforeAll(async () => {
  app = await startTestApp({ env: { ...NO_LIMITS, ...REPORTS, LOG_LEVEL: 'silent' } })
  ana = await app.signUp()
  const { MONGODB_URI, MONGODB_PREFIX } = app.parts.campaigns.env
  stored = await connectMongo(MONGODB_URI ?? '', `${MONGODB_PREFIX}_campaigns`)
}, 240_000)
afterAll(async () => {
  await campaigns?.kill()
  await stored?.close()
  await app?.stop()
})

/** Creates a campaign that is TLP:CLEAR. Resolves to its id. */
const clearCampaign = async (): Promise<string> => {
  const { call } = ana.api
  const { id } = await call(campaignsApi.createCampaign, { body: { name: 'Copies' } })
  const ids: string[] = []
  for (let n = 0; n < IODS; n++) {
    const body = iodInput({ value: `copy-${n}.example`, category: 'DOMAIN' })
    ids.push((await call(iodsApi.createIod, { body })).id)
  }
  for (let at = 0; at < ids.length; at += 100)
    await call(campaignsApi.addIods, { params: { id }, body: { iod_ids: ids.slice(at, at + 100) } })
  await call(campaignsApi.updateSharing, { params: { id }, body: { tlp: 'clear' } })
  return id
}

/** Returns the names of the stored files of each version. */
const filesOfVersions = async (): Promise<string[][]> => {
  const versions = await stored
    .collection('report_versions')
    .find({}, { projection: { _id: 1 } })
    .toArray()
  const files = stored.collection('report_files')
  return Promise.all(
    versions.map(async ({ _id }) =>
      (await files.find({ version_id: _id }).toArray()).map(({ name }) => name),
    ),
  )
}

it('a campaigns service killed while it stores a report leaves all files of a version or none', {
  timeout: (KILLS + 1) * BLOCKED_MS,
}, async () => {
  const { call } = ana.api
  const campaign = await clearCampaign()
  campaigns = await spawnPart(app, 'campaigns')
  await campaigns.start()
  const patiently = { timeout: BLOCKED_MS, interval: 50 }
  const all = Object.keys(REPORT_FILES).sort()
  let killed = 0
  for (let kill = 0; kill < KILLS; kill++) {
    const { id } = await vi.waitFor(
      () => call(reportsApi.createReport, { params: { id: campaign } }),
      patiently,
    )
    const params = { id }
    const findings = [{ text: 'One owner', confidence: 'low' as const, evidence_ids: [] }]
    const body = { title: 'Copies', summary: 'A summary', method: 'By hand', findings }
    await call(reportsApi.editReport, { params, body })
    await call(reportsApi.handInReport, { params })
    await sleep(Math.random() * 1_500)
    const before = (await filesOfVersions()).length
    await campaigns.kill()
    if (before === 0) killed++
    for (const names of await filesOfVersions()) expect(names.sort()).toEqual(all)
    // The lease of the first killed process ends by itself.
    if (kill > 0) await endLeases(stored)
    await campaigns.start()
    await vi.waitFor(async () => {
      const { state } = await call(reportsApi.getReport, { params })
      expect(state).toBe('review')
    }, patiently)
    expect((await filesOfVersions()).map(names => names.sort())).toEqual([all])
    await vi.waitFor(() => call(reportsApi.deleteReport, { params }), patiently)
    expect(await stored.collection('report_files').countDocuments()).toBe(0)
  }
  // Proves that kills happened before the version was stored.
  expect(killed).toBeGreaterThan(0)
})
