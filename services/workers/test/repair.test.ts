import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { repairInternal, SERVICE_NAMES, servicesWith } from '@iodine/contracts'
import { type Part, readConfig } from '@iodine/service-kit'
import { type ServiceBed, startServiceBed } from '@iodine/test-kit'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { createApp, workersConfigSchema } from '../src/index.js'

const REPAIRED = servicesWith(repairInternal.repair)

let bed: ServiceBed
let workers: Part
const asked: string[] = []
/** Each service at an address of its own, which identifies a call's target. */
const services = SERVICE_NAMES.map(name => ({
  name,
  server: createServer((request, response) => {
    asked.push(`${name} ${request.url}`)
    response.setHeader('content-type', 'application/json').end('{"repaired":0}')
  }),
}))

beforeAll(async () => {
  bed = await startServiceBed()
  const env: Record<string, string> = { ...bed.env, SMTP_URL: 'smtp://127.0.0.1:1' }
  for (const { name, server } of services) {
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
    env[`${name.toUpperCase()}_URL`] = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  }
  workers = await createApp(readConfig(workersConfigSchema, env), bed.deps)
})
afterAll(async () => {
  await workers?.close()
  for (const { server } of services) server.close()
  await bed?.stop()
})

it('asks each service that repairs, round after round, and no other', async () => {
  const repairs = () => asked.filter(call => call.endsWith(repairInternal.repair.path))
  await vi.waitFor(() => expect(repairs().length).toBeGreaterThanOrEqual(3 * REPAIRED.length), 60_000)
  expect(new Set(repairs())).toEqual(new Set(REPAIRED.map(name => `${name} ${repairInternal.repair.path}`)))
})
