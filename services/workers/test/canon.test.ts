import { type BodyOf, canonInternal, DETAILS } from '@iodine/contracts'
import {
  createService,
  HttpError,
  type Part,
  readConfig,
  type Service,
  serviceConfigSchema,
} from '@iodine/service-kit'
import { newId, type ServiceBed, startServiceBed } from '@iodine/test-kit'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createApp, workersConfigSchema } from '../src/index.js'

type Result = BodyOf<typeof canonInternal.applyCanon>

let bed: ServiceBed
let workers: Part
let producer: Service
/** What the narratives service has to do, by user. */
const owed = new Map<string, { revision: number; texts: number }>()
const results: { user: string; result: Result }[] = []

const TRIPLETS = [
  { subject: 'Giant mirrors', verb: 'heat', object: 'Lake Varnel' },
  { subject: 'the giant mirrors', verb: 'heated', object: 'Lake Varnel' },
  { subject: 'Lake Varnel', verb: 'is heated by', object: 'giant mirrors' },
  { subject: 'Nobody', verb: 'asks', object: 'why' },
]
const RULES = [{ kind: 'entity' as const, a: 'lake varnel', b: 'nobody', relation: 'must' as const }]

beforeAll(async () => {
  bed = await startServiceBed()
  const env = { ...bed.env, SMTP_URL: 'smtp://127.0.0.1:1' }
  workers = await createApp(readConfig(workersConfigSchema, env), { ...bed.deps })
  producer = await createService('producer', readConfig(serviceConfigSchema, bed.env), bed.deps)
})
afterAll(async () => {
  await workers?.close()
  await producer?.close()
  await bed?.stop()
})
beforeEach(() => {
  results.length = 0
  bed.answer(canonInternal.getCanonWork, ({ params }) => {
    const work = owed.get(params.user_id)
    if (!work) throw new HttpError(404, DETAILS.notFound)
    return { ...work, triplets: TRIPLETS, rules: RULES }
  })
  bed.answer(canonInternal.applyCanon, ({ params, body }) => {
    results.push({ user: params.user_id, result: body })
    owed.delete(params.user_id)
    return { applied: true }
  })
})

const add = (user_id: string) =>
  producer.queues.add('canon', { user_id }, { jobId: `canon-${user_id}`, removeOnComplete: true })
const left = () => producer.queues.queue('canon').getJobCountByTypes('active', 'waiting', 'delayed')

describe('the labels of a user', () => {
  it('are clustered in a thread, under the rules, and those alone are left out', async () => {
    const user = newId()
    owed.set(user, { revision: 3, texts: 7 })
    await add(user)
    await expect.poll(() => results.length).toBe(1)
    const [{ result }] = results as [(typeof results)[number]]
    expect(result).toMatchObject({ revision: 3, texts: 7, method: 'offline' })
    const keys = (clusters: Result['entities']) => clusters.map(members => members.map(({ key }) => key))
    expect(keys(result.entities)).toEqual([
      ['giant mirrors', 'the giant mirrors'],
      ['lake varnel', 'nobody'],
    ])
    expect(keys(result.verbs)).toEqual([['heat', 'heated', 'is heated by']])
    expect(result.verbs[0]?.map(({ turned }) => turned)).toEqual([false, false, true])
  })

  it('are clustered again while something is owed, and not at all without', async () => {
    const [busy, idle] = [newId(), newId()]
    owed.set(busy, { revision: 0, texts: 1 })
    bed.answer(canonInternal.applyCanon, ({ params, body }) => {
      results.push({ user: params.user_id, result: body })
      // The user has decided something meanwhile.
      if (results.length < 3) owed.set(busy, { revision: results.length, texts: 1 })
      else owed.delete(busy)
      return { applied: false }
    })
    await add(idle)
    await add(busy)
    await expect.poll(() => results.map(({ result }) => result.revision)).toEqual([0, 1, 2])
    await expect.poll(left).toBe(0)
    expect(results.map(({ user }) => user)).toEqual([busy, busy, busy])
  })

  it('are tried again when the service is down', async () => {
    const user = newId()
    owed.set(user, { revision: 0, texts: 1 })
    let calls = 0
    bed.answer(canonInternal.getCanonWork, () => {
      calls++
      if (calls === 1) throw new HttpError(503, DETAILS.unavailable)
      if (!owed.has(user)) throw new HttpError(404, DETAILS.notFound)
      return { revision: 0, texts: 1, triplets: TRIPLETS, rules: RULES }
    })
    await add(user)
    await expect.poll(() => results.length).toBe(1)
  })
})
