import { createServer } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { iodsApi, narrativesApi, profileApi, SERVICE_NAMES } from '@iodine/contracts'
import { freePorts } from '@iodine/local-servers'
import { connectRedis, sessionKey } from '@iodine/service-kit'
import { iodInput, type SignedInUser } from '@iodine/test-kit'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { startTestApp, type TestApp } from '../src/index.js'
import { alerts, metricsOf, rowsBelow } from './operations.js'

interface ReceivedSpan {
  service: string
  traceId: string
  spanId: string
  parentSpanId?: string
  name: string
  attributes: Record<string, unknown>
}

/** Starts an OTLP/HTTP collector, which stores requests as spans and raw. */
const startCollector = async () => {
  const bodies: string[] = []
  const keys = new Set<unknown>()
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    if (request.url !== '/v1/traces') return void response.writeHead(404).end()
    bodies.push(Buffer.concat(chunks).toString())
    keys.add(request.headers['x-collector-key'])
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const spans = (): ReceivedSpan[] =>
    bodies.flatMap(body =>
      JSON.parse(body).resourceSpans.flatMap(({ resource, scopeSpans }: never) => {
        const values = (list: { key: string; value: Record<string, unknown> }[]) =>
          Object.fromEntries(list.map(({ key, value }) => [key, Object.values(value)[0]]))
        const service = String(values((resource as { attributes: never }).attributes)['service.name'])
        return (scopeSpans as { spans: (ReceivedSpan & { attributes: never })[] }[]).flatMap(({ spans }) =>
          spans.map(span => ({ ...span, service, attributes: values(span.attributes) })),
        )
      }),
    )
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    bodies,
    keys,
    spans,
    stop: () => new Promise(resolve => server.close(resolve)),
  }
}

/** Returns the modules of OpenTelemetry's SDK that this process has loaded. */
const tracingCode = () =>
  Object.keys(createRequire(import.meta.url).cache).filter(file => file.includes('@opentelemetry/sdk-trace'))

const CANARY = 'kq7canary'
let collector: Awaited<ReturnType<typeof startCollector>>
let app: TestApp
let metricsUrl: string
let ana: SignedInUser
const email = `${CANARY}.mail@example.org`

beforeAll(async () => {
  const [metricsPort = 0] = await freePorts(1)
  metricsUrl = `http://127.0.0.1:${metricsPort}/metrics`
  collector = await startCollector()
  app = await startTestApp({
    env: {
      LOG_LEVEL: 'trace',
      METRICS_PORT: String(metricsPort),
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_EXPORTER_OTLP_HEADERS: `x-collector-key=${CANARY}%20key`,
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
    },
  })
  ana = await app.signUp(email)
  await ana.api.call(profileApi.updateOpenaiKey, { body: { api_key: `sk-${CANARY}-secret` } })
})
afterAll(async () => {
  await app?.stop()
  await collector?.stop()
})

/** Expires the cached session, as after a minute, so that the next request queries auth. */
const forgetSession = async (token: string): Promise<void> => {
  const { sid } = JSON.parse(Buffer.from(token.split('.')[1] as string, 'base64url').toString())
  const { REDIS_URL = '' } = app.parts.gateway.env
  const redis = await connectRedis(REDIS_URL)
  expect(await redis.del(sessionKey(app.prefix, sid))).toBe(1)
  redis.disconnect()
}

const logLines = (id: string) =>
  app
    .log()
    .split('\n')
    .filter(line => line.includes(id))
    .map(line => JSON.parse(line))

describe('a request', () => {
  test('has one id from the client through gateway, service, job and the worker’s calls, and one trace', async () => {
    const id = `extraction-${Date.now()}`
    const text = `They hide the ${CANARY} numbers.`
    await forgetSession(ana.token)
    const answer = await ana.api.send('POST', '/narratives/', { text }, { 'x-request-id': id })
    expect([answer.status, answer.headers.get('x-request-id')]).toEqual([201, id])

    const result = '/internal/narratives/:id/result'
    await vi.waitFor(() => {
      const lines = logLines(id).filter(line => line.request_id === id)
      const messages = lines.map(({ service, msg, route, status, queue, outcome }) =>
        [service, msg, route ?? queue, status ?? outcome].join(' '),
      )
      expect(messages).toEqual(
        expect.arrayContaining([
          'gateway request /api/v1/narratives 201',
          'narratives request /api/v1/narratives 201',
          'workers job extraction completed',
          // The worker's calls and the resulting work.
          'auth request /internal/users/:id/ai-key 200',
          `narratives request ${result} 200`,
          'narratives job narrative.changed completed',
          'community request /internal/events 200',
        ]),
      )
    }, 30_000)

    // The provider is a third party, which receives no trace context.
    expect(app.ai.requests.at(-1)?.headers).not.toHaveProperty('traceparent')

    await vi.waitFor(
      () => {
        const traceId = logLines(id)[0].trace_id
        const spans = collector.spans().filter(span => span.traceId === traceId)
        const one = (service: string, name: string) => {
          const found = spans.find(span => span.service === service && span.name === name)
          expect(found, `${service}: ${name} in ${spans.map(span => span.name)}`).toBeDefined()
          return found as ReceivedSpan
        }
        const below = (parent: ReceivedSpan, service: string, name: string) => {
          const found = spans.find(
            span => span.parentSpanId === parent.spanId && span.service === service && span.name === name,
          )
          expect(found, `${service}: ${name} below ${parent.name}`).toBeDefined()
          return found as ReceivedSpan
        }
        const edge = one('gateway', 'POST /api/v1/narratives')
        expect(edge.parentSpanId ?? '').toBe('')
        expect(edge.attributes).toMatchObject({ 'request.id': id, 'http.response.status_code': 201 })
        const session = below(edge, 'gateway', 'POST auth')
        below(below(session, 'auth', 'POST /internal/sessions/check'), 'auth', 'find sessions')
        const created = below(
          below(edge, 'gateway', 'POST narratives'),
          'narratives',
          'POST /api/v1/narratives',
        )
        below(created, 'narratives', 'insert narratives')
        const added = below(created, 'narratives', 'add extraction.extraction')
        below(added, 'narratives', 'evalsha')
        const extraction = below(added, 'workers', 'process extraction')
        expect(extraction.attributes).toMatchObject({ 'request.id': id, 'job.outcome': 'completed' })
        below(extraction, 'workers', 'ai chat')
        const call = below(extraction, 'workers', 'POST narratives')
        const written = below(call, 'narratives', `POST ${result}`)
        below(written, 'narratives', 'update edges')
        below(below(written, 'narratives', 'process narrative.changed'), 'narratives', 'POST community')
        // Commands shared by all requests belong to no trace.
        for (const name of ['mget', 'xread', 'bzpopmin', 'hello'])
          expect(spans.map(span => span.name)).not.toContain(name)
      },
      { timeout: 30_000, interval: 200 },
    )
  })

  test('gets a generated id if it has none or an invalid one', async () => {
    for (const id of [
      undefined,
      'short',
      'x'.repeat(65),
      'with blank',
      '"},{"level":60',
      '../../etc/passwd',
    ]) {
      const headers: Record<string, string> = id === undefined ? {} : { 'x-request-id': id }
      const given = (await app.api.send('GET', '/iods', undefined, headers)).headers.get('x-request-id')
      expect(given).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)
    }
  })

  test('starts a new trace at the gateway, ignoring the client’s trace context', async () => {
    const foreign = 'f'.repeat(32)
    const id = `foreign-${Date.now()}`
    const headers = { traceparent: `00-${foreign}-${'1'.repeat(16)}-01`, 'x-request-id': id }
    expect((await ana.api.send('GET', '/iods', undefined, headers)).status).toBe(200)
    await expect.poll(() => logLines(id)[0]?.trace_id).toMatch(/^(?!f+$)[0-9a-f]{32}$/)
    expect(app.log()).not.toContain(foreign)
  })
})

test('a recurring task starts a new trace at every run', async () => {
  await vi.waitFor(
    () => {
      const runs = collector.spans().filter(span => span.name === 'process usage')
      expect(runs.length).toBeGreaterThan(1)
      expect(new Set(runs.map(span => span.traceId)).size).toBe(runs.length)
      expect(runs.filter(span => span.parentSpanId)).toEqual([])
      const lone = collector
        .spans()
        .filter(span => !span.parentSpanId && !/^(process|[A-Z]+ )/.test(span.name))
      expect(lone).toEqual([])
    },
    { timeout: 60_000, interval: 500 },
  )
})

describe('metrics', () => {
  const scrape = async () => {
    const answer = await fetch(metricsUrl)
    expect(answer.status).toBe(200)
    return answer.text()
  }
  const readingOf = (text: string, series: RegExp): number =>
    Number(
      text
        .split('\n')
        .find(line => series.test(line))
        ?.split(' ')
        .at(-1) ?? Number.NaN,
    )

  test('are not served at the public URL', async () => {
    const headers = { accept: 'text/html,text/plain' }
    expect((await fetch(`${app.url}/metrics`, { headers })).status).toBe(404)
    for (const path of [
      '/metrics/',
      '//metrics',
      '/metrics?x',
      '/%6detrics',
      '/api/v1/metrics',
      '/remotes/metrics',
    ])
      expect(await (await fetch(`${app.url}${path}`, { headers })).text()).not.toContain('process_')
    expect((await fetch(metricsUrl.replace('/metrics', '/healthz'))).status).toBe(404)
  })

  test('show dependencies, completed jobs and queues of every part', async () => {
    let text = ''
    const part = (name: string, rest: string) => readingOf(text, new RegExp(`^${name}\\{service="${rest}`))
    // The gateway treats a Redis with a response time of 300 ms as down, which happens on a busy machine.
    await vi.waitFor(async () => {
      text = await scrape()
      for (const name of SERVICE_NAMES) {
        expect(part('dependency_up', `${name}",dependency="mongodb"`)).toBe(1)
        expect(part('dependency_up', `${name}",dependency="redis"`)).toBe(1)
      }
      expect(part('dependency_up', 'gateway",dependency="redis"')).toBe(1)
    }, 100_000)
    expect(part('job_duration_seconds_count', 'workers",queue="mail",outcome="completed"')).toBeGreaterThan(0)
    expect(part('queue_jobs', 'workers",queue="subscriptions",state="delayed"')).toBeLessThanOrEqual(1)
    expect(part('queue_oldest_job_age_seconds', 'workers",queue="mail"')).toBe(0)
    expect(part('jobs_given_up_total', 'auth",queue="user.deleted"')).toBe(0)
    expect(text).toMatch(/^nodejs_eventloop_lag_p99_seconds /m)
    expect(text).toMatch(/^process_resident_memory_bytes /m)
    expect(text).toMatch(
      /^peer_request_duration_seconds_count\{service="workers",peer="narratives",status="200"\} /m,
    )
  })

  test('are exactly the metrics of the documentation, and include those of the alerts', async () => {
    const names = [...(await scrape()).matchAll(/^# TYPE (\w+) /gm)].map(match => match[1] as string)
    const own = names.filter(name => !/^(nodejs|process)_/.test(name))
    const explained = rowsBelow('## Metrics').map(([name]) => /\w+/.exec(name ?? '')?.[0])
    expect(explained.slice(0, -1).sort()).toEqual(own.sort())
    const read = alerts().flatMap(({ expr }) => metricsOf(expr))
    // Prometheus itself adds `up`.
    const known = new Set([
      ...names.flatMap(name => [name, `${name}_bucket`, `${name}_count`, `${name}_sum`]),
      'up',
    ])
    expect(read.filter(name => !known.has(name))).toEqual([])
    expect(read.length).toBeGreaterThan(10)
  })

  test('show the age of the oldest job, also of a retried one', {
    tags: 'long',
  }, async () => {
    await app.parts.community.stop()
    try {
      const created = Date.now()
      await ana.api.call(iodsApi.createIod, { body: iodInput() })
      await vi.waitFor(async () => {
        const text = await scrape()
        const age = readingOf(text, /^queue_oldest_job_age_seconds\{service="iods",queue="iod.created"\}/)
        expect(age).toBeGreaterThan(1)
        expect(age).toBeLessThan((Date.now() - created) / 1000 + 1)
        expect(
          readingOf(text, /^job_duration_seconds_count\{.*queue="iod.created",outcome="failed"/),
        ).toBeGreaterThan(0)
      }, 30_000)
    } finally {
      await app.parts.community.start()
    }
  })

  test('have no further series after 200 made-up paths and ids', { tags: 'long' }, async () => {
    const call = (path: string, method = 'GET') =>
      fetch(`${app.url}${path}`, { method }).then(answer => answer.arrayBuffer())
    const probe = async (n: number) => {
      const id = n.toString(16).padStart(24, '0')
      await call(`/api/v1/campaigns/${id}`)
      await call(`/api/v1/iods/${id}/vote?secret=${id}`, 'POST')
      await call(`/api/v1/narratives/${id}/${id}`)
      await call(`/api/v1/nowhere/${id}`)
      await call(`/${id}`)
      await call(`/remotes/mfe-${id}/x.js`)
      await ana.api.send('GET', `/campaigns/${id}`)
      await ana.api.send('DELETE', `/narratives/data/${id}`)
    }
    const series = async () => (await scrape()).split('\n').filter(line => line && !line.startsWith('#'))
    await probe(0)
    const before = await series()
    for (let n = 1; n < 25; n += 24) await Promise.all(Array.from({ length: 24 }, (_, k) => probe(n + k)))
    const after = await series()
    const name = (line: string) => line.slice(0, line.lastIndexOf(' '))
    const known = new Set(before.map(name))
    const added = after.map(name).filter(each => !known.has(each))
    // Periodic requests between the parts may have just occurred for the first time.
    const asked = /^http_.*service="(gateway|campaigns|iods|narratives)".*route="(\/api\/|\/remotes\/|none)/
    expect(added.filter(each => asked.test(each))).toEqual([])
    expect(after.filter(each => /0{8}/.test(name(each)))).toEqual([])
    // Other instances in this process use the same registry.
    const refused = (series: string[]) =>
      readingOf(
        series.join('\n'),
        /^http_request_duration_seconds_count\{service="gateway",method="GET",route="\/api\/v1\/campaigns\/:id",status="401"\}/,
      )
    expect(refused(after) - refused(before)).toBe(24)
  })
})

test('neither logs nor traces contain e-mail addresses, tokens, keys, queries or user content', async () => {
  const search = `${CANARY}-query`
  await ana.api.call(iodsApi.listIods, { query: { q: search, limit: '5' } })
  await ana.api.call(iodsApi.createIod, { body: iodInput({ value: `${CANARY} value` }) })
  await ana.api.send('POST', '/auth/verify-magic-link', { token: `${CANARY}-token` })
  await fetch(`${app.url}/magic-login?token=${CANARY}-link`)
  await ana.api.call(narrativesApi.listNarratives)
  const before = collector.bodies.length
  await vi.waitFor(() => expect(collector.bodies.length).toBeGreaterThan(before), { timeout: 30_000 })
  for (const text of [app.log(), collector.bodies.join('\n')]) {
    expect(text.length).toBeGreaterThan(1_000)
    expect(text).not.toContain(CANARY)
    expect(text).not.toContain(ana.token)
    expect(text).not.toContain(ana.token.split('.')[2])
    expect(text).not.toContain(JSON.parse(JSON.stringify(app.parts.auth.env)).SERVICE_KEY)
  }
  expect([...collector.keys]).toEqual([`${CANARY} key`])
  expect(tracingCode()).not.toEqual([])
})
