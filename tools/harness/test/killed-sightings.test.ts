/** @module-tag long */
import { setTimeout as sleep } from 'node:timers/promises'
import { collectorApi, type IngestResult, sightingsApi } from '@iodine/contracts'
import { NO_LIMITS, newId, runs, type SignedInUser, telegramPost } from '@iodine/test-kit'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { startTestApp, type TestApp } from '../src/index.js'
import { BLOCKED_MS, killAtWork, type SpawnedPart, spawnPart } from './spawned.js'

const KILLS = runs(3)
const CLIENTS = 2
const BATCH = 20

let app: TestApp
let parts: SpawnedPart[]

beforeAll(async () => {
  app = await startTestApp({ env: { ...NO_LIMITS, LOG_LEVEL: 'silent' } })
  // In the order of the kills: the service that indexes records, and the one whose outbox has pending entries.
  parts = [await spawnPart(app, 'sightings'), await spawnPart(app, 'collector')]
  for (const part of parts) await part.start()
})
afterAll(async () => {
  for (const part of parts ?? []) await part.kill()
  await app?.stop()
})

/** Returns a text that is unique to a record. */
const textOf = (mark: string) => `Witness ${mark} reports ${[...mark].reverse().join('')} near the harbour`

it(
  'search finds each acknowledged record, and no deleted one, after kills of any part',
  async () => {
    const users = await Promise.all(Array.from({ length: CLIENTS }, () => app.signUp()))
    const stored: { user: SignedInUser; id: string; mark: string }[] = []
    const deleted: { user: SignedInUser; mark: string }[] = []
    let unanswered = 0
    const collect = (user: SignedInUser) => async (isRunning: () => boolean) => {
      while (isRunning()) {
        const marks = Array.from({ length: BATCH }, newId)
        const answer = await user.api.send('POST', '/telegram/data', {
          records: marks.map(mark => telegramPost({ description: textOf(mark) })),
        })
        if (answer.status !== 200) {
          unanswered++
          await sleep(20)
          continue
        }
        const results = (answer.body as { results: IngestResult[] }).results
        const added = results.flatMap((result, n) =>
          'id' in result ? [{ user, id: result.id, mark: marks[n] ?? '' }] : [],
        )
        const [gone, ...kept] = added
        stored.push(...kept)
        if (!gone) continue
        const { status } = await user.api.send('DELETE', `/telegram/data/${gone.id}`)
        if (status === 200) deleted.push({ user, mark: gone.mark })
        else unanswered++
        await sleep(20)
      }
    }
    for (let kill = 0; kill < KILLS; kill++) {
      const part = parts[kill % parts.length] as SpawnedPart
      const before = stored.length
      await killAtWork(part, users.map(collect), () =>
        vi.waitFor(() => expect(stored.length).toBeGreaterThan(before), { timeout: BLOCKED_MS, interval: 5 }),
      )
      await part.start()
    }
    const ask = ({ api }: SignedInUser, mark: string) =>
      api.call(sightingsApi.searchSightings, { body: { text: textOf(mark), scope: 'own', limit: 1 } })
    const isFound = async ({ user, id, mark }: (typeof stored)[number]) =>
      (await ask(user, mark)).items.some(item => item.id === id && item.matches.includes('exact'))
    const missing = new Set(stored)
    await vi.waitFor(
      async () => {
        for (const record of missing) {
          if (!(await isFound(record)))
            throw new Error(`${missing.size} of ${stored.length} are not found yet`)
          missing.delete(record)
        }
      },
      { timeout: BLOCKED_MS, interval: 200 },
    )
    const isLeft = async ({ user, mark }: (typeof deleted)[number]) =>
      (await ask(user, mark)).items.some(({ matches }) => matches.includes('exact'))
    for (const each of deleted)
      await vi.waitFor(async () => expect(await isLeft(each)).toBe(false), {
        timeout: BLOCKED_MS,
        interval: 200,
      })
    expect(deleted.length).toBeGreaterThan(0)
    if (process.env.ROUNDS)
      console.log(
        `${KILLS} kills, ${unanswered} requests failed by them; ${stored.length} records found, ${deleted.length} deleted ones not`,
      )
    const { results } = await (users[0] as SignedInUser).api.call(collectorApi.ingestRecords, {
      params: { source: 'telegram' },
      body: { records: [telegramPost()] },
    })
    expect(results).toMatchObject([{ status: 'created' }])
  },
  (KILLS + 2) * BLOCKED_MS,
)
