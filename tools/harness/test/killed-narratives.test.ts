/** @module-tag long */
import { setTimeout as sleep } from 'node:timers/promises'
import { graphApi, narrativesApi, profileApi } from '@iodine/contracts'
import { type Connection, connectMongo, storeEntries } from '@iodine/service-kit'
import { NO_LIMITS, runs, type SignedInUser } from '@iodine/test-kit'
import mongoose from 'mongoose'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { startTestApp, type TestApp } from '../src/index.js'
import { BLOCKED_MS, killAtWork, type SpawnedPart, spawnPart } from './spawned.js'

const KILLS = runs(2)
const WRITERS = 3

let app: TestApp
let stored: Connection
let narratives: SpawnedPart

beforeAll(async () => {
  app = await startTestApp({ env: { ...NO_LIMITS, LOG_LEVEL: 'silent' } })
  const { MONGODB_URI, MONGODB_PREFIX } = app.parts.narratives.env
  stored = await connectMongo(MONGODB_URI ?? '', `${MONGODB_PREFIX}_narratives`)
  narratives = await spawnPart(app, 'narratives')
})
afterAll(async () => {
  await narratives?.kill()
  await stored?.close()
  await app?.stop()
})

it('a narratives service killed while it folds and builds sums answers what the edges say', {
  timeout: 3 * KILLS * BLOCKED_MS,
}, async () => {
  const users: SignedInUser[] = []
  let answered = 0
  let refused = 0
  const summed = () => stored.collection('summed')
  const idOf = ({ id }: SignedInUser) => new mongoose.Types.ObjectId(id)
  const isSummed = (user: SignedInUser) => summed().countDocuments({ _id: idOf(user), graph: { $ne: null } })
  /** Has the user's sums built again: a graph this small has none unless they are wanted. */
  const want = async (user: SignedInUser) => {
    const { id } = user
    await summed().updateOne({ _id: idOf(user) }, { $set: { graph: null }, $unset: { building: 1 } })
    await storeEntries(stored, [{ kind: 'sums', payload: { id }, key: id }])
  }
  const isWanted = ({ id }: SignedInUser) =>
    stored.collection('outbox').countDocuments({ kind: 'sums', key: id })
  const isAtWork = async (user: SignedInUser) => {
    const states = [{ graph: { $ne: null } }, { building: { $exists: true } }]
    expect(await summed().countDocuments({ _id: idOf(user), $or: states })).toBe(1)
  }

  for (let kill = 0; kill < KILLS; kill++) {
    // Another each time: a transaction that a kill leaves open blocks its user until the database ends it.
    const user = await app.signUp()
    await user.api.call(profileApi.updateOpenaiKey, { body: { api_key: 'sk-test' } })
    users.push(user)
    await narratives.start()
    const again = (work: () => Promise<{ status: number }>) => async (isRunning: () => boolean) => {
      while (isRunning()) {
        const status = await work().then(
          answer => answer.status,
          () => 503,
        )
        if (status < 300) answered++
        else {
          refused++
          await sleep(20)
        }
      }
    }
    let made = 0
    let kept = 0
    const clients = [
      ...Array.from({ length: WRITERS }, () =>
        again(async () => {
          const text = `Somebody tells stories about ${made++ % 7}. Nobody asks why.`
          const answer = await user.api.send('POST', '/narratives/', { text, src: `source/${made % 3}` })
          if (answer.status === 201 && ++kept % 4 === 0)
            await user.api.send('DELETE', `/narratives/${answer.body.id}`)
          return answer
        }),
      ),
      again(async () => {
        const answer = await user.api.send('GET', '/graph/triplets?limit=5')
        if (!(await isWanted(user))) await want(user)
        return answer
      }),
    ]
    const isKept = (least: number) =>
      vi.waitFor(() => expect(kept).toBeGreaterThan(least), { timeout: BLOCKED_MS, interval: 5 })
    const isDue = async () => {
      await isKept(2)
      await isKept(6)
      await vi.waitFor(() => isAtWork(user), { timeout: BLOCKED_MS, interval: 5 })
    }
    await killAtWork(narratives, clients, isDue, 500)
  }
  expect(answered).toBeGreaterThan(KILLS)

  await narratives.start()
  for (const user of users) {
    await vi.waitFor(
      async () => {
        const open = { user_id: idOf(user), state: 'open' }
        expect(await stored.collection('narratives').countDocuments(open)).toBe(0)
        // \`want\` stops a build that runs, and adds no second entry.
        expect(await isWanted(user)).toBe(0)
      },
      { timeout: 2 * BLOCKED_MS, interval: 200 },
    )
    await want(user)
    await vi.waitFor(async () => expect(await isSummed(user)).toBe(1), { timeout: BLOCKED_MS, interval: 200 })
    for (const limit of [1, 3, 5_000]) {
      const kept = await user.api.call(graphApi.getTriplets, { query: { limit } as never })
      const counted = await user.api.call(graphApi.getTriplets, {
        query: { limit, start_date: '1970-01-01' } as never,
      })
      expect(JSON.stringify(kept)).toBe(JSON.stringify(counted))
    }
    expect(await isSummed(user)).toBe(1)
    const list = await user.api.call(narrativesApi.listNarratives)
    const { links } = await user.api.call(graphApi.getTriplets, { query: { limit: 5_000 } as never })
    const counts = links.filter(({ type }) => type === 'subject_to_verb').map(({ count }) => count)
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(list.flatMap(each => each.triplets).length)
  }
  if (process.env.ROUNDS) console.log(`${KILLS} kills: ${answered} calls answered, ${refused} refused`)
})
