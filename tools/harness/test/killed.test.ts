/** @module-tag long */
import { setTimeout as sleep } from 'node:timers/promises'
import { graphApi, narrativesApi, profileApi } from '@iodine/contracts'
import { type Connection, connectMongo } from '@iodine/service-kit'
import { type AiAnswer, type Answer, runs, type SignedInUser } from '@iodine/test-kit'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { startTestApp, type TestApp } from '../src/index.js'
import { type SpawnedPart, spawnPart } from './spawned.js'

const SHORT = 2
const KILLS = runs(SHORT)
const KILLS_IN_A_ROW = 5
const TEXTS_PER_KILL = 5
/** The product's value, but shorter in the short run, where waiting for it would take most of the time. */
const LOCK_MS = KILLS > SHORT ? 15_000 : 2_000

let app: TestApp
let stored: Connection
let users: SignedInUser[]
let worker: SpawnedPart

beforeAll(async () => {
  app = await startTestApp({
    env: { EXTRACTION_WAIT_MS: '3000', EXTRACTION_LOCK_MS: String(LOCK_MS), LOG_LEVEL: 'silent' },
  })
  worker = await spawnPart(app, 'workers')
  const { MONGODB_URI, MONGODB_PREFIX } = app.parts.narratives.env
  stored = await connectMongo(MONGODB_URI ?? '', `${MONGODB_PREFIX}_narratives`)
  await worker.start()
  users = await Promise.all(Array.from({ length: 3 }, () => app.signUp()))
  for (const { api } of users) await api.call(profileApi.updateOpenaiKey, { body: { api_key: 'sk-test' } })
  await worker.kill()
})
afterAll(async () => {
  await worker?.kill()
  await stored?.close()
  await app?.stop()
})

/** Returns the provider's answer for a text, of the same kind for each retry. */
const provider = (text: string): AiAnswer => {
  const answer = /refused/.test(text) ? 'refusal' : /failing/.test(text) ? 'failing' : 'simple'
  return { after: Math.random() * 800, answer }
}
const KINDS = ['plain', 'plain', 'refused', 'plain', 'failing'] as const
const ENDS = {
  plain: { state: 'done' },
  refused: { state: 'failed', failure: 'refused' },
  failing: { state: 'failed', failure: 'provider_failed' },
} as const

interface Sent {
  kind: keyof typeof ENDS
  user: SignedInUser
  /** Identifies the narrative, since a failed one has no text. */
  src: string
  answer: Promise<Answer>
}

let made = 0
const send = (): Sent => {
  const kind = KINDS[made % KINDS.length] ?? 'plain'
  const user = users[made % users.length] as SignedInUser
  const src = `text/${made++}`
  const text = `Somebody tells ${kind} stories about ${src}. Nobody asks why.`
  return { kind, user, src, answer: user.api.send('POST', '/narratives/', { text, src }) }
}

const endOf = (src: string) =>
  stored.collection('narratives').find({ src }).project({ _id: 0, state: 1, failure: 1 }).toArray()

it('workers killed at random times complete each narrative once, as done or failed with a reason', {
  timeout: 60_000 + KILLS * 30_000,
}, async () => {
  app.ai.always(provider)
  let interrupted = 0
  const recoveries: number[] = []
  const all: Sent[] = []
  for (let killed = 0; killed < KILLS; ) {
    const sent: Sent[] = []
    for (let row = 0; row < KILLS_IN_A_ROW && killed < KILLS; row++, killed++) {
      await worker.start()
      sent.push(...Array.from({ length: TEXTS_PER_KILL }, send))
      const before = app.ai.requests.length
      // The first worker of a series is certainly killed during work, the others at any time.
      if (row === 0) await vi.waitFor(() => expect(app.ai.requests.length).toBeGreaterThan(before), 30_000)
      await sleep(Math.random() * (row === 0 ? 500 : 1_500))
      await worker.kill()
      interrupted += Number(app.ai.requests.length > before)
    }
    await worker.start()
    const restarted = Date.now()
    for (const { kind, src } of sent)
      await vi.waitFor(async () => expect(await endOf(src), src).toEqual([ENDS[kind]]), {
        timeout: restarted + 90_000 - Date.now(),
        interval: 100,
      })
    recoveries.push(Date.now() - restarted)
    for (const { kind, answer } of sent)
      expect([504, kind === 'plain' ? 201 : kind === 'refused' ? 422 : 502]).toContain((await answer).status)
    await worker.kill()
    all.push(...sent)
  }
  expect(interrupted).toBeGreaterThan(0)

  for (const { id, api } of users) {
    const narratives = await api.call(narrativesApi.listNarratives)
    const done = all.filter(({ user, kind }) => user.id === id && kind === 'plain')
    expect(narratives.map(({ src }) => src).sort()).toEqual(done.map(({ src }) => src).sort())
    const triplets = narratives.flatMap(narrative => narrative.triplets.map(triplet => triplet.id))
    expect(triplets).toHaveLength(2 * done.length)
    expect(new Set(triplets).size).toBe(triplets.length)
    const { links } = await api.call(graphApi.getTriplets)
    const counted = links.filter(({ type }) => type === 'subject_to_verb').map(({ count }) => count)
    expect(counted.reduce((sum, count) => sum + count, 0)).toBe(triplets.length)
  }
  if (KILLS > SHORT)
    console.log(
      `${KILLS} kills, ${interrupted} of them with calls under way; ${all.length} narratives ended once; slowest recovery ${Math.max(...recoveries)} ms`,
    )
})
