import { accountsInternal, DETAILS, personalDataInternal, servicesWith } from '@iodine/contracts'
import {
  createService,
  HttpError,
  type Part,
  readConfig,
  type Service,
  serviceConfigSchema,
} from '@iodine/service-kit'
import { newId, redisContents, type ServiceBed, startServiceBed } from '@iodine/test-kit'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { createApp, workersConfigSchema } from '../src/index.js'

let bed: ServiceBed
let workers: Part
let producer: Service
let asked = 0

beforeAll(async () => {
  bed = await startServiceBed()
  bed.answer(accountsInternal.expireAccounts, () => ({ warned: 1, deleted: 0, more: ++asked < 3 }))
  const env = { ...bed.env, SMTP_URL: 'smtp://127.0.0.1:1' }
  workers = await createApp(readConfig(workersConfigSchema, env), bed.deps)
  producer = await createService('producer', readConfig(serviceConfigSchema, bed.env), bed.deps)
})
afterAll(async () => {
  await workers?.close()
  await producer?.close()
  await bed?.stop()
})

it('has inactive accounts looked for from the start, until none is left', async () => {
  await vi.waitFor(() => expect(asked).toBe(3), 30_000)
})

it('has every service forget a user, however often one fails, then clears the queues and tells auth, once', async () => {
  const id = newId()
  let calls = 0
  const confirmed: string[] = []
  bed.answer(personalDataInternal.forgetUser, ({ params }) => {
    expect(params.id).toBe(id)
    if (++calls === 2) throw new HttpError(503, DETAILS.unavailable)
    return { done: true as const }
  })
  bed.answer(accountsInternal.confirmErasure, ({ params, body }) => {
    expect(body.elapsed_ms).toBeLessThan(60_000)
    confirmed.push(params.id)
    return { done: true as const }
  })
  // Paused: the jobs stay in the queue.
  await producer.queues.queue('extraction').pause()
  const [theirs, others, other] = [newId(), newId(), newId()]
  await producer.queues.add('extraction', { narrative_id: theirs, user_id: id })
  await producer.queues.add('extraction', { narrative_id: others, user_id: other })
  expect(await redisContents(bed.redis.url)).toContain(theirs)
  for (let n = 0; n < 3; n++)
    await producer.queues.add('erasures', { user_id: id }, { jobId: `user-deleted-${id}` })
  await vi.waitFor(() => expect(confirmed).toEqual([id]), 30_000)
  // Each service twice: the first round had a failure.
  expect(calls).toBe(2 * servicesWith(personalDataInternal.forgetUser).length)
  const contents = await redisContents(bed.redis.url)
  expect(contents).not.toContain(theirs)
  expect(contents).toContain(others)
})

it('has auth gather an export step by step, and waits while a service is down', async () => {
  const id = newId()
  const answers = ['more', 'down', 'down', 'more', 'done']
  const seen: string[] = []
  bed.answer(accountsInternal.stepExport, ({ params }) => {
    expect(params.id).toBe(id)
    const answer = answers[seen.length] ?? 'done'
    seen.push(answer)
    if (answer === 'down') throw new HttpError(503, DETAILS.unavailable)
    return { more: answer === 'more' }
  })
  await producer.queues.add('exports', { export_id: id })
  await vi.waitFor(() => expect(seen).toEqual(answers), 30_000)
})
