/** @module-tag long */
import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { campaignsApi, importsApi } from '@iodine/contracts'
import { NO_LIMITS, runs, type SignedInUser } from '@iodine/test-kit'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { startTestApp, type TestApp } from '../src/index.js'
import { BLOCKED_MS, type SpawnedPart, spawnPart, spawnReplica } from './spawned.js'

const KILLS = runs(3)
/** Number of objects in the imported file. Every tenth is an indicator. */
const OBJECTS = Number(process.env.OBJECTS ?? 6_000)
/** Characters of padding in each object. */
const PADDING = Number(process.env.PADDING ?? 50)
const JOBS = { ROLE: 'jobs' }

let app: TestApp
let requests: SpawnedPart
/** Two replicas process imports, so that one continues while the other is killed. */
let replicas: SpawnedPart[]
let ana: SignedInUser

beforeAll(async () => {
  app = await startTestApp({ env: { ...NO_LIMITS, LOG_LEVEL: 'silent' } })
  ana = await app.signUp()
  requests = await spawnPart(app, 'campaigns', { ROLE: 'api' })
  replicas = [await spawnReplica(app, 'campaigns', JOBS), await spawnReplica(app, 'campaigns', JOBS)]
  for (const part of [requests, ...replicas]) await part.start()
})
afterAll(async () => {
  for (const part of [requests, ...(replicas ?? [])]) await part?.kill()
  await app?.stop()
})

const id = (type: string, n: number) => `${type}--00000000-0000-4000-8000-${String(n).padStart(12, '0')}`
/** A file, and the parts that its export must preserve unchanged. */
interface Fixture {
  file: string
  whole: string[]
  /** Expected number of objects. */
  count: number
}
const attributeOf = (n: number) =>
  n % 10 === 0
    ? `{"uuid":"${id('', n).slice(2)}","type":"url","x":1.0,"value":"https://example.org/misp/${n}"}`
    : `{"uuid":"${id('', n).slice(2)}","type":"comment","x":9007199254740993,"value":"${'n'.repeat(PADDING)}${n}"}`
const all = Array.from({ length: OBJECTS }, (_, n) => n)
const FIXTURES: Record<'stix' | 'misp', () => Fixture> = {
  stix: () => {
    const whole = all.map(objectOf)
    return { whole, file: `{"type":"bundle","objects":[${whole.join(',')}]}`, count: OBJECTS }
  },
  misp: () => {
    const event = `{"info":"Killed","Attribute":[${all.map(attributeOf).join(' , ')}]}`
    return { whole: [`{"Event":${event}}\n`], file: `{"Event": ${event}}`, count: OBJECTS + 1 }
  },
}
const objectOf = (n: number) =>
  n % 10 === 0
    ? `{"type":"indicator","id":"${id('indicator', n)}","modified":"2026-01-01T00:00:00Z","x":1.0,"pattern_type":"stix","pattern":"[url:value = 'https://example.org/${n}']"}`
    : `{"type":"x-note","id":"${id('x-note', n)}","x":9007199254740993,"text":"${'n'.repeat(PADDING)}${n}"}`

it.each(['stix', 'misp'] as const)(
  'an import of %s whose replica is killed during work is continued by another, and completes once',
  async format => {
    const { api } = ana
    const fixture = FIXTURES[format]()
    const file = new TextEncoder().encode(fixture.file)
    const campaign = await api.call(campaignsApi.createCampaign, { body: { name: 'Killed' } })
    const { id: made } = await api.call(importsApi.createImport, {
      query: { campaign_id: campaign.id, format },
      body: file,
    })
    const params = { id: made }
    const look = () => api.call(importsApi.getImport, { params })
    /** Progress at each kill. Kills alternate between the replicas, each after further progress and a restart. */
    const killed: number[] = []
    const killUntil = async (wanted: 'planned' | 'done', kills: number) => {
      let through = 0
      for (let kill = 0; kill < kills; kill++) {
        const part = replicas[killed.length % 2] as SpawnedPart
        const now = await vi.waitFor(
          async () => {
            const now = await look()
            if (now.state !== wanted) expect(now.done).toBeGreaterThan(through)
            return now
          },
          { timeout: BLOCKED_MS, interval: 20 },
        )
        if (now.state === wanted) break
        through = now.done
        await sleep(Math.random() * 200)
        await part.kill()
        killed.push(through)
        const moved = () =>
          vi.waitFor(
            async () => expect(await look()).not.toMatchObject({ state: now.state, done: through }),
            { timeout: BLOCKED_MS, interval: 50 },
          )
        await moved()
        await part.start()
      }
      await vi.waitFor(async () => expect((await look()).state).toBe(wanted), {
        timeout: BLOCKED_MS + OBJECTS,
        interval: 100,
      })
    }
    await killUntil('planned', Math.ceil(KILLS / 2))
    const indicators = Math.ceil(OBJECTS / 10)
    expect(await look()).toMatchObject({
      objects: fixture.count,
      iods: indicators,
      known_iods: 0,
      refused: 0,
    })
    await api.call(importsApi.applyImport, { params, body: {} })
    await killUntil('done', KILLS)
    // Proves that kills happened during work.
    expect(killed.length).toBeGreaterThan(0)

    expect(await look()).toMatchObject({ done: fixture.count, problem: null })
    const { objects: kept } = await api.call(importsApi.getKept, { params: { id: campaign.id } })
    expect(kept).toBe(fixture.count)
    const { iod_count } = await api.call(campaignsApi.getCampaign, {
      params: { id: campaign.id },
      query: { limit: 1 },
    })
    expect(iod_count).toBe(indicators)
    const answer = await fetch(`${app.url}/api/v1/campaigns/${campaign.id}/export?format=${format}`, {
      headers: { authorization: `Bearer ${ana.token}` },
    })
    const hash = (text: string) => createHash('sha256').update(text).digest('hex')
    const text = await answer.text()
    const separator = format === 'stix' ? ',\n    ' : '\u0000'
    const found = new Set(
      text
        .replace(/\n {2}\]\n\}\n$/, '')
        .split(separator)
        .map(hash),
    )
    expect(fixture.whole.filter(each => !found.has(hash(each)))).toEqual([])
    if (process.env.ROUNDS)
      console.log(`${file.length} bytes, ${OBJECTS} objects; killed after ${killed.join(', ')}`)
  },
  (2 * KILLS + 2) * BLOCKED_MS + OBJECTS,
)
