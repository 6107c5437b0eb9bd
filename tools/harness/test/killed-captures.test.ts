/** @module-tag long */
import { setTimeout as sleep } from 'node:timers/promises'
import { type Checkpoint, capturesApi, type ResponseOf, sealsApi } from '@iodine/contracts'
import { leafHash, verifyCheckpoint, verifyConsistency, verifyInclusion } from '@iodine/evidence'
import { type Connection, connectMongo } from '@iodine/service-kit'
import { NO_LIMITS, runs, type SignedInUser, sealCapture } from '@iodine/test-kit'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { startTestApp, type TestApp } from '../src/index.js'
import { BLOCKED_MS, killAtWork, type SpawnedPart, spawnPart } from './spawned.js'

const KILLS = runs(3)
const CLIENTS = 3

let app: TestApp
let stored: Connection
let collector: SpawnedPart
let users: SignedInUser[]

beforeAll(async () => {
  app = await startTestApp({ env: { ...NO_LIMITS, LOG_LEVEL: 'silent' } })
  users = await Promise.all(Array.from({ length: CLIENTS }, () => app.signUp()))
  const { MONGODB_URI, MONGODB_PREFIX } = app.parts.collector.env
  stored = await connectMongo(MONGODB_URI ?? '', `${MONGODB_PREFIX}_collector`)
  collector = await spawnPart(app, 'collector')
})
afterAll(async () => {
  await collector?.kill()
  await stored?.close()
  await app?.stop()
})

type Acknowledged = ResponseOf<typeof capturesApi.sealCapture> & {
  id: string
  text: string
  by: SignedInUser
}

it('a collector service killed between blobs and seals loses no seal, without gaps in the log', {
  timeout: (KILLS + 2) * BLOCKED_MS,
}, async () => {
  const acknowledged: Acknowledged[] = []
  let refused = 0
  let unanswered: { text: string; by: SignedInUser }[] = []
  for (let kill = 0; kill < KILLS; kill++) {
    await collector.start()
    const retries = unanswered
    unanswered = []
    const seal = (by: SignedInUser) => async (isRunning: () => boolean) => {
      for (let n = 0; isRunning(); ) {
        // Retries captures that an earlier kill has left open, as the extension does.
        const index = retries.findIndex(each => each.by === by)
        const text = index >= 0 ? (retries.splice(index, 1)[0]?.text ?? '') : `kill ${kill}, ${n++}, ${by.id}`
        const parts = { dom: `<p>${text}</p>`, text, manifest: { captured_at: '2026-11-23T10:00:00.000Z' } }
        try {
          acknowledged.push({ ...(await sealCapture(by.api.call, parts)), text, by })
        } catch {
          refused++
          unanswered.push({ text, by })
          await sleep(20)
        }
      }
    }
    const before = acknowledged.length
    await killAtWork(collector, users.map(seal), () =>
      vi.waitFor(() => expect(acknowledged.length).toBeGreaterThan(before), {
        timeout: BLOCKED_MS,
        interval: 5,
      }),
    )
  }
  await collector.start()
  // Completes work that the last kill may have interrupted.
  const [someone] = users as [SignedInUser]
  await vi.waitFor(() => sealCapture(someone.api.call, { text: 'the last' }), BLOCKED_MS)

  const { api } = app
  const [key] = await api.call(sealsApi.getSealKeys)
  const now = await api.call(sealsApi.getCheckpoint)
  const isSigned = (checkpoint: Checkpoint) => verifyCheckpoint(checkpoint, key?.public_key ?? '')
  expect(await isSigned(now)).toBe(true)
  // Each position of the log has its capture, its leaf and its signed size.
  const places = await stored.collection('captures').distinct('seq')
  expect(places.sort((a, b) => a - b)).toEqual(Array.from({ length: now.size }, (_, seq) => seq))
  expect(await stored.collection('log_nodes').countDocuments({ _id: /^0\./ as never })).toBe(now.size)
  expect(await stored.collection('checkpoints').countDocuments()).toBe(now.size)
  for (const { id, text, by, seal, checkpoint } of acknowledged) {
    expect(await by.api.call(capturesApi.getCapture, { params: { id } })).toMatchObject({
      state: 'sealed',
      seal,
    })
    expect(await by.api.call(capturesApi.getCaptureText, { params: { id } })).toEqual({ text })
    const leaf = await leafHash(seal)
    const { path } = await api.call(sealsApi.getInclusion, {
      params: { seq: seal.seq },
      query: { size: now.size },
    })
    expect(await verifyInclusion(leaf, seal.seq, now.size, path, now.root)).toBe(true)
    expect(await isSigned(checkpoint)).toBe(true)
    const query = { from: checkpoint.size, to: now.size }
    const consistency = await api.call(sealsApi.getConsistency, { query })
    expect(
      await verifyConsistency(checkpoint.size, now.size, checkpoint.root, now.root, consistency.path),
    ).toBe(true)
  }
  // Proves that kills happened during work.
  expect(refused).toBeGreaterThan(0)
  expect(acknowledged.length).toBeGreaterThanOrEqual(KILLS)
  if (process.env.ROUNDS)
    console.log(`${KILLS} kills: ${acknowledged.length} acknowledged, ${now.size} sealed, ${refused} refused`)
})
