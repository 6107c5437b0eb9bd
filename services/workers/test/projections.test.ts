import { communityInternal, DETAILS, type DomainEvent } from '@iodine/contracts'
import {
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

beforeAll(async () => {
  bed = await startServiceBed()
  const env = { ...bed.env, SMTP_URL: 'smtp://127.0.0.1:1' }
  workers = await createApp(readConfig(workersConfigSchema, env), bed.deps)
  producer = await createService('producer', readConfig(serviceConfigSchema, bed.env), bed.deps)
})
afterAll(async () => {
  await workers?.close()
  await producer?.close()
  await bed?.stop()
})

const created = (): DomainEvent => ({
  type: 'user.created',
  data: { id: newId(), username: null, created_at: new Date().toISOString() },
})

it('hands each event to the community once, doubles included', async () => {
  const event = created()
  const heard: DomainEvent[] = []
  bed.answer(communityInternal.applyEvent, ({ body }) => {
    heard.push(body)
    return { done: true as const }
  })
  for (let n = 0; n < 3; n++) await producer.queues.emit(event)
  await vi.waitFor(() => expect(heard).toEqual([event]), 5_000)
})

it('keeps events while the community is down and delivers them when it is back', async () => {
  const event = created()
  const calls: number[] = []
  bed.answer(communityInternal.applyEvent, () => {
    calls.push(Date.now())
    throw new HttpError(503, DETAILS.unavailable)
  })
  await producer.queues.emit(event)
  await vi.waitFor(() => expect(calls).toHaveLength(1), 5_000)
  const heard: DomainEvent[] = []
  bed.answer(communityInternal.applyEvent, ({ body }) => {
    heard.push(body)
    return { done: true as const }
  })
  await vi.waitFor(() => expect(heard).toEqual([event]), 8_000)
  const job = await producer.queues.queue('projections').getJob(`user-created-${event.data.id}`)
  await vi.waitFor(async () => expect(await job?.getState()).toBe('completed'), 2_000)
})

it('gives an event up that the community refuses for what it is', async () => {
  const event = created()
  let calls = 0
  bed.answer(communityInternal.applyEvent, () => {
    calls++
    throw new HttpError(422, ['data.id: must be an id'])
  })
  await producer.queues.emit(event)
  const state = async () =>
    (await producer.queues.queue('projections').getJob(`user-created-${event.data.id}`))?.getState()
  await vi.waitFor(async () => expect(await state()).toBe('failed'), 5_000)
  expect(calls).toBe(1)
})
