import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { newId, startTestRedis } from '@iodine/test-kit'
import { context, ROOT_CONTEXT, trace } from '@opentelemetry/api'
import { request } from 'undici'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { createAgent, createService, readConfig, type Service, serviceConfigSchema } from '../src/index.js'
import { requestIdOf, withRequestId } from '../src/observe/work-context.js'

const TRACED = { traceId: '1'.repeat(32), spanId: '2'.repeat(16), traceFlags: 1 }
const asRequest = <T>(id: string, run: () => T): T => context.with(withRequestId(ROOT_CONTEXT, id), run)

describe('the context of a request', () => {
  let redis: Awaited<ReturnType<typeof startTestRedis>>
  let service: Service
  beforeAll(async () => {
    redis = await startTestRedis()
    const env = { REDIS_URL: redis.url, SERVICE_KEY: 'a-service-key-for-tests', LOG_LEVEL: 'silent' }
    service = await createService('things', readConfig(serviceConfigSchema, env))
  })
  afterAll(async () => {
    await service?.close()
    await redis?.stop()
  })

  it('is the context of its job, at every attempt', async () => {
    const seen: unknown[] = []
    service.queues.work('canon', async () => {
      seen.push(requestIdOf())
      await Promise.resolve()
      if (seen.push(requestIdOf()) < 4) throw new Error('once more')
    })
    await asRequest('request-of-the-job', () => service.queues.add('canon', { user_id: newId() }))
    await vi.waitFor(() => expect(seen).toEqual(Array(4).fill('request-of-the-job')), 30_000)
  })

  it('is not the context of scheduled jobs: each run has a new id', async () => {
    const seen: (string | undefined)[] = []
    service.queues.work('anchors', async () => void seen.push(requestIdOf()))
    await asRequest('request-of-the-clock', () => service.queues.repeat('anchors', 200))
    await vi.waitFor(() => expect(seen.length).toBeGreaterThan(2), 30_000)
    expect(new Set(seen).size).toBe(seen.length)
    for (const id of seen) expect(id).toMatch(/^[0-9a-f-]{36}$/)
  })

  it('is the context of a traced call that waited for the connection of another request', async () => {
    const server = createServer((_request, response) => response.end())
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
    const { dispatcher, close } = createAgent({ connections: 1, pipelining: 1 })
    const sent: unknown[] = []
    const note = (message: unknown) =>
      sent.push([(message as { request: { path: string } }).request.path, requestIdOf()])
    subscribe('undici:request:create', note)
    try {
      const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
      const ids = ['/request-1', '/request-2', '/request-3', '/request-4']
      await Promise.all(
        ids.map(id =>
          context.with(trace.setSpanContext(withRequestId(ROOT_CONTEXT, id), TRACED), async () =>
            (await request(`${origin}${id}`, { dispatcher })).body.dump(),
          ),
        ),
      )
      expect(sent).toEqual(ids.map(id => [id, id]))
    } finally {
      unsubscribe('undici:request:create', note)
      await close()
      server.close()
    }
  })
})
