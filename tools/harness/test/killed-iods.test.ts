/** @module-tag long */
import { setTimeout as sleep } from 'node:timers/promises'
import { iodsApi } from '@iodine/contracts'
import { facetsOf, iodInput, NO_LIMITS, runs, type SignedInUser } from '@iodine/test-kit'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { startTestApp, type TestApp } from '../src/index.js'
import { killAtWork, type SpawnedPart, spawnPart } from './spawned.js'

const KILLS = runs(5)
const CLIENTS = 4

let app: TestApp
let iods: SpawnedPart
let reader: SignedInUser

beforeAll(async () => {
  app = await startTestApp({ env: { ...NO_LIMITS, LOG_LEVEL: 'silent' } })
  reader = await app.signUp()
  iods = await spawnPart(app, 'iods')
})
afterAll(async () => {
  await iods?.kill()
  await app?.stop()
})

it('an iods service killed during the creation of IODs keeps list, search and counts consistent', {
  timeout: 60_000 + KILLS * 15_000,
}, async () => {
  const acknowledged = new Set<string>()
  let unanswered = 0
  for (let kill = 0; kill < KILLS; kill++) {
    // New users each time: a transaction left open by a kill blocks its user until the database ends it.
    const users = await Promise.all(Array.from({ length: CLIENTS }, () => app.signUp()))
    await iods.start()
    const create =
      ({ api }: SignedInUser) =>
      async (isRunning: () => boolean) => {
        while (isRunning()) {
          const answer = await api.send('POST', '/iods', iodInput({ value: `kill ${kill} ${Math.random()}` }))
          if (answer.status === 201) acknowledged.add(answer.body.id)
          else {
            unanswered++
            await sleep(20)
          }
        }
      }
    const before = acknowledged.size
    await killAtWork(iods, users.map(create), () =>
      vi.waitFor(() => expect(acknowledged.size).toBeGreaterThan(before), { timeout: 30_000, interval: 5 }),
    )
  }
  await iods.start()
  const { api } = reader
  const list = await api.call(iodsApi.listIods)
  expect(await api.call(iodsApi.getIodFacets)).toEqual(facetsOf(list))
  expect((await api.send('GET', '/iods?limit=1')).headers.get('x-total-count')).toBe(String(list.length))
  const ids = new Set(list.map(({ id }) => id))
  expect([...acknowledged].filter(id => !ids.has(id))).toEqual([])
  for (let kill = 0; kill < KILLS; kill++) {
    const q = `kill ${kill} `
    const found = await api.call(iodsApi.listIods, { query: { q } })
    expect(found.map(({ id }) => id)).toEqual(
      list.filter(({ value }) => value.startsWith(q)).map(({ id }) => id),
    )
  }
  // Proves that kills happened during work.
  expect(unanswered).toBeGreaterThan(0)
  expect(acknowledged.size).toBeGreaterThanOrEqual(KILLS)
  if (process.env.ROUNDS)
    console.log(
      `${KILLS} kills: ${acknowledged.size} acknowledged, ${list.length} stored, ${unanswered} refused`,
    )
})
