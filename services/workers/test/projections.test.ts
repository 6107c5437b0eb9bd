import { announceInternal, DETAILS } from '@iodine/contracts'
import {
  createLogger,
  createService,
  HttpError,
  type Part,
  readConfig,
  type Service,
  serviceConfigSchema,
} from '@iodine/service-kit'
import { newId, type ServiceBed, startServiceBed } from '@iodine/test-kit'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { createApp, workersConfigSchema } from '../src/index.js'

let bed: ServiceBed
let workers: Part
let producer: Service
let workersUrl: string
const logs: string[] = []

beforeAll(async () => {
  bed = await startServiceBed()
  const env = { ...bed.env, SMTP_URL: 'smtp://127.0.0.1:1' }
  const logger = createLogger('workers', 'trace', { write: line => void logs.push(line) })
  workers = await createApp(readConfig(workersConfigSchema, env), { ...bed.deps, logger })
  workersUrl = await workers.listen()
  producer = await createService('producer', readConfig(serviceConfigSchema, bed.env), bed.deps)
})
afterAll(async () => {
  await workers?.close()
  await producer?.close()
  await bed?.stop()
})

const created = () => ({ type: 'iod.created' as const, id: newId() })

it('has the owner tell the community once, doubles of the notice included', async () => {
  const notice = created()
  const told: string[] = []
  bed.answer(announceInternal.announce, ({ params }) => {
    told.push(params.id)
    return { done: true as const }
  })
  await producer.queues.queue('projections').pause()
  for (let n = 0; n < 3; n++) await producer.queues.emit(notice)
  await producer.queues.queue('projections').resume()
  await vi.waitFor(async () => {
    expect(told).toEqual([notice.id])
    // The job is removed, so that the owner's repair can give notice again.
    expect(await producer.queues.queue('projections').getJobCounts()).toMatchObject({
      active: 0,
      completed: 0,
      waiting: 0,
    })
  }, 30_000)
})

it('keeps notices while the owner or the community is down, and goes on when both are back', async () => {
  const notice = created()
  let calls = 0
  bed.answer(announceInternal.announce, () => {
    calls++
    throw new HttpError(503, DETAILS.unavailable)
  })
  await producer.queues.emit(notice)
  await vi.waitFor(() => expect(calls).toBeGreaterThan(0), 30_000)
  const told: string[] = []
  bed.answer(announceInternal.announce, ({ params }) => {
    told.push(params.id)
    return { done: true as const }
  })
  await vi.waitFor(() => expect(told).toEqual([notice.id]), 30_000)
})

it.each([400, 409, 413, 415, 422])(
  'gives an event up that is refused with %i: one try, one line, one count',
  async status => {
    const notice = created()
    let calls = 0
    bed.answer(announceInternal.announce, () => {
      calls++
      throw new HttpError(status, 'not like this')
    })
    const lines = () => logs.filter(line => line.includes('job failed') && line.includes(notice.id))
    const givenUp = async () => {
      const metrics = await (await fetch(`${workersUrl}/metrics`)).text()
      return Number(/^jobs_given_up_total{[^}]*queue="projections"[^}]*} (\d+)/m.exec(metrics)?.[1])
    }
    const before = await givenUp()
    await producer.queues.emit(notice)
    await vi.waitFor(async () => expect(await givenUp()).toBe(before + 1), 30_000)
    // The job is removed, so that the owner's repair can give notice again.
    expect(await producer.queues.queue('projections').getJob(`iod-created-${notice.id}`)).toBeUndefined()
    expect(lines()).toEqual([expect.stringContaining('"given_up":true')])
    expect(calls).toBe(1)
  },
)

it.each([404, 408, 429, 503])('tries an event again that is answered %i, which passes', async status => {
  const notice = created()
  let calls = 0
  bed.answer(announceInternal.announce, () => {
    if (++calls === 1) throw new HttpError(status, 'not now')
    return { done: true as const }
  })
  await producer.queues.emit(notice)
  await vi.waitFor(() => expect(calls).toBe(2), 50_000)
})

it('lets a bounded number of notices wait, of ids alone', async () => {
  // Paused: the jobs stay in the queue.
  await producer.queues.queue('projections').pause()
  for (let batch = 0; batch < 24; batch++)
    await Promise.all(Array.from({ length: 50 }, () => producer.queues.emit(created())))
  const jobs = await producer.queues.queue('projections').getJobs()
  // Concurrent emits may all see the last free places.
  expect(jobs.length).toBeGreaterThanOrEqual(1_000)
  expect(await producer.queues.roomForNotices()).toBe(0)
  expect(jobs.length).toBeLessThan(1_050)
  await producer.queues.emit(created())
  expect(await producer.queues.queue('projections').getJobs()).toHaveLength(jobs.length)
  for (const job of jobs.slice(0, 20)) expect(Object.keys(job?.data).sort()).toEqual(['id', 'owner'])
  await producer.queues.queue('projections').obliterate({ force: true })
})
