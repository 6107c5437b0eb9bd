import { accountsInternal } from '@iodine/contracts'
import { createService, type Part, readConfig, type Service, serviceConfigSchema } from '@iodine/service-kit'
import { type ServiceBed, startServiceBed } from '@iodine/test-kit'
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
