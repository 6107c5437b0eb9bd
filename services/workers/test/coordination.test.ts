import { coordinationInternal } from '@iodine/contracts'
import { createService, HttpError, type Part, readConfig, type Service } from '@iodine/service-kit'
import { newId, type ServiceBed, startServiceBed } from '@iodine/test-kit'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createApp, workersConfigSchema } from '../src/index.js'

let bed: ServiceBed
let workers: Part
let producer: Service
/** Steps that each run still needs, and how often each was asked for. */
const left = new Map<string, number>()
const asked = new Map<string, number>()
let isDown = false

beforeAll(async () => {
  bed = await startServiceBed()
  bed.answer(coordinationInternal.stepRun, ({ params: { id } }) => {
    asked.set(id, (asked.get(id) ?? 0) + 1)
    if (isDown) throw new HttpError(503, 'down')
    const more = (left.get(id) ?? 0) - 1
    left.set(id, more)
    return { more: more > 0 }
  })
  const config = readConfig(workersConfigSchema, { ...bed.env, SMTP_URL: 'smtp://127.0.0.1:1' })
  workers = await createApp(config, bed.deps)
  producer = await createService('elsewhere', config, bed.deps)
})
afterAll(async () => {
  await workers?.close()
  await producer?.close()
  await bed?.stop()
})

it('has a run worked on until it is done, beyond the steps of one turn', async () => {
  const id = newId()
  left.set(id, 12)
  await producer.queues.add('coordination', { run_id: id })
  await expect.poll(() => left.get(id)).toBe(0)
  expect(asked.get(id)).toBe(12)
})

it('goes on with a run when the service is there again', async () => {
  const id = newId()
  left.set(id, 1)
  isDown = true
  await producer.queues.add('coordination', { run_id: id })
  await expect.poll(() => asked.get(id)).toBeGreaterThan(0)
  isDown = false
  await expect.poll(() => left.get(id)).toBe(0)
})
