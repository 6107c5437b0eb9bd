import { execFile } from 'node:child_process'
import { type AddressInfo, connect, createServer } from 'node:net'
import { promisify } from 'node:util'
import {
  type ApiScope,
  createClient,
  DETAILS,
  endpoint,
  internalEndpoint,
  missingScope,
} from '@iodine/contracts'
import { deferred, startTestRedis } from '@iodine/test-kit'
import { generateKeyPair } from 'jose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { version } from '../../../package.json'
import {
  ConfigError,
  conflict,
  createHttpApp,
  createLogger,
  createPeers,
  createService,
  type PeersConfig,
  readConfig,
  type Service,
  Streamed,
  seal,
  serviceConfigSchema,
  signToken,
  storeConfigSchema,
  unseal,
} from '../src/index.js'

const BUILT = new URL('../dist/index.js', import.meta.url).href

let redis: Awaited<ReturnType<typeof startTestRedis>>
let service: Service
let url: string
let token: string
let collectorToken: string
let expired: string
let ofScope: (scope: unknown, scopes?: unknown) => Promise<string>

const echo = endpoint('user', 'POST /things/:id', {
  summary: 'Echo',
  params: z.strictObject({ id: z.string().max(24) }),
  query: z.strictObject({ n: z.string().optional() }),
  body: z.strictObject({ name: z.string().optional(), deep: z.unknown().optional() }),
  response: z.strictObject({
    params: z.unknown(),
    query: z.unknown(),
    body: z.unknown(),
    user: z.string(),
  }),
  status: 201,
})
const shared = endpoint('user', 'GET /shared', {
  scopes: ['read', 'contribute'],
  summary: '',
  response: z.strictObject({ scopes: z.array(z.string()) }),
})
const crash = endpoint('collector', 'GET /crash', {
  summary: '',
  response: z.unknown(),
})
const taken = endpoint('anyone', 'GET /taken', {
  summary: '',
  response: z.strictObject({ taken: z.boolean() }),
})
const store = endpoint('user', 'PUT /blobs/:name', {
  summary: '',
  params: z.strictObject({ name: z.string() }),
  raw: true,
  response: z.strictObject({ bytes: z.array(z.int()) }),
  status: 201,
  knownStatus: 200,
  bodyLimit: 1_000,
})
const file = endpoint('user', 'GET /blobs/:name', {
  summary: '',
  params: z.strictObject({ name: z.string() }),
  response: z.unknown(),
  produces: 'application/octet-stream',
})
const inner = internalEndpoint('GET /internal/x', {
  summary: '',
  response: z.strictObject({ inner: z.boolean() }),
})

beforeAll(async () => {
  redis = await startTestRedis()
  const config = readConfig(serviceConfigSchema, {
    REDIS_URL: redis.url,
    SERVICE_KEY: 'a-service-key-for-tests',
    LOG_LEVEL: 'silent',
  })
  const keys = await generateKeyPair('EdDSA')
  service = await createService('things', config, { tokenKeys: async () => keys.publicKey })
  service.route(echo, async ({ params, query, body, user }) => ({ params, query, body, user: user.id }))
  service.route(shared, async ({ user }) => ({ scopes: [...(user.scopes ?? [])] }))
  service.route(crash, async () => {
    throw new Error('secret detail of a driver')
  })
  service.route(taken, async () => {
    throw conflict('Taken')
  })
  service.route(store, async ({ params, body, reply }) => {
    if (params.name === 'known') reply.code(200)
    return { bytes: [...body] }
  })
  service.route(file, async ({ params: { name }, reply }) => {
    const pieces = async function* () {
      yield Uint8Array.of(0, 255)
      yield Uint8Array.of(10)
    }
    const content = name === 'pieces' ? pieces() : Uint8Array.of(0, 255, 10)
    reply.header('content-disposition', 'attachment')
    return new Streamed(content, 'application/octet-stream')
  })
  service.internal(inner, async () => ({ inner: true }))
  url = await service.listen()
  const sign = (scope: 'full' | 'collector', ms: number, scopes?: readonly ApiScope[]) =>
    signToken(
      { kid: 'test', key: keys.privateKey },
      { id: 'u1', sid: 's1', scope, ...(scopes && { scopes }) },
      ms,
    )
  ofScope = (scope, scopes) => sign(scope as 'full', 60_000, scopes as ApiScope[])
  token = await sign('full', 3_600_000)
  collectorToken = await sign('collector', 3_600_000)
  expired = await sign('full', -60_000)
})

afterAll(async () => {
  await service?.close()
  await redis?.stop()
})

const post = (path: string, body: BodyInit | undefined, headers: Record<string, string> = {}) =>
  fetch(`${url}/api/v1${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers },
    ...(body !== undefined && { body }),
  })

const answers = async (response: Response, status: number) => {
  const body = (await response.json()) as { detail: unknown }
  expect([response.status, Object.keys(body)]).toEqual([status, ['detail']])
  return body.detail
}

describe('a binary endpoint', () => {
  const put = (name: string, body: BodyInit | null, headers: Record<string, string> = {}) =>
    fetch(`${url}/api/v1/blobs/${name}`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/octet-stream', ...headers },
      body,
    })
  const get = (name: string) =>
    fetch(`${url}/api/v1/blobs/${name}`, { headers: { authorization: `Bearer ${token}` } })

  it('receives the body unchanged, and may answer with another success status', async () => {
    const bytes = [0, 255, 0xc3, 0x28, 10]
    const made = await put('new', Uint8Array.from(bytes))
    expect([made.status, await made.json()]).toEqual([201, { bytes }])
    const known = await put('known', null)
    expect([known.status, await known.json()]).toEqual([200, { bytes: [] }])
    const { call } = createClient((target, request) => fetch(`${url}/api/v1${target}`, request), {
      token: () => token,
    })
    expect(await call(store, { params: { name: 'a' }, body: Uint8Array.from(bytes) })).toEqual({ bytes })
  })
  it('refuses a body above its limit, with and without a length, and accepts one without', async () => {
    const most = 1_000
    const pieces = (bytes: number) =>
      new ReadableStream<Uint8Array>({
        start(controller) {
          for (let at = 0; at < bytes; at += 100)
            controller.enqueue(new Uint8Array(Math.min(100, bytes - at)))
          controller.close()
        },
      })
    const stream = (bytes: number) =>
      fetch(`${url}/api/v1/blobs/new`, {
        method: 'PUT',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/octet-stream' },
        body: pieces(bytes),
        duplex: 'half',
      } as RequestInit)
    expect(await (await stream(most)).json()).toEqual({ bytes: Array(most).fill(0) })
    expect((await put('new', new Uint8Array(most + 1))).status).toBe(413)
    expect((await stream(most + 1)).status).toBe(413)
  })
  it('accepts only bytes; other endpoints accept only JSON', async () => {
    const type = (value: string) => ({ 'content-type': value })
    expect(await answers(await put('a', '{}', type('application/json')), 415)).toMatch(/octet-stream/)
    expect(await answers(await put('a', 'x', type('text/plain')), 415)).toMatch(/octet-stream/)
    expect(await answers(await post('/things/a', 'x', type('application/octet-stream')), 415)).toMatch(/JSON/)
  })
  it('refuses unauthorized and oversize requests before the body arrives', async () => {
    const { host, port } = new URL(url)
    const sent = (headers: string) =>
      new Promise<string>(resolve => {
        const socket = connect(Number(port), '127.0.0.1', () =>
          socket.write(
            `PUT /api/v1/blobs/a HTTP/1.1\r\nHost: ${host}\r\nContent-Type: application/octet-stream\r\n${headers}\r\n`,
          ),
        )
        socket.once('data', data => {
          socket.destroy()
          resolve(data.toString().split('\r\n', 1)[0] ?? '')
        })
      })
    expect(await sent('Content-Length: 500\r\n')).toMatch(/ 401 /)
    const own = `Authorization: Bearer ${token}\r\n`
    expect(await sent(`${own}Content-Length: 1001\r\n`)).toMatch(/ 413 /)
    expect(await answers(await put('a', new Uint8Array(1_001)), 413)).toBeTypeOf('string')
    expect((await put('a', new Uint8Array(1_000))).status).toBe(201)
  })
  it('answers bytes, whole or in pieces', async () => {
    for (const name of ['whole', 'pieces']) {
      const answer = await get(name)
      expect([...new Uint8Array(await answer.arrayBuffer())]).toEqual([0, 255, 10])
      expect(Object.fromEntries(answer.headers)).toMatchObject({
        'content-type': 'application/octet-stream',
        'content-disposition': 'attachment',
      })
    }
  })
})

describe('a service', () => {
  it('answers with and without a trailing slash, and echoes the request id', async () => {
    for (const path of ['/things/a', '/things/a/']) {
      const response = await post(path, '{"name":"x"}', { 'x-request-id': 'abcdef-123' })
      expect([response.status, response.headers.get('x-request-id')]).toEqual([201, 'abcdef-123'])
      expect(await response.json()).toMatchObject({ user: 'u1', body: { name: 'x' } })
    }
  })
  it.each([
    undefined,
    null,
    '',
    'feed',
    'Full',
    'full collector',
    ['full'],
    ['collector'],
    { full: true },
    true,
  ])('refuses a well-signed token of the scope %j', async scope => {
    const authorization = `Bearer ${await ofScope(scope)}`
    for (let time = 0; time < 2; time++)
      expect(await answers(await post('/things/a', '{"name":"x"}', { authorization }), 401)).toBeTypeOf(
        'string',
      )
  })
  it('accepts a well-signed token of a known scope', async () => {
    const authorization = `Bearer ${await ofScope('full')}`
    expect((await post('/things/a', '{"name":"x"}', { authorization })).status).toBe(201)
  })
  it('accepts the token of an API token only where its scopes allow it', async () => {
    const ask = async (scopes: unknown, path = '/shared') => {
      const authorization = `Bearer ${await ofScope('api', scopes)}`
      const answer = await (path === '/shared'
        ? fetch(`${url}/api/v1${path}`, { headers: { authorization } })
        : post(path, '{}', { authorization }))
      return [answer.status, await answer.json()]
    }
    expect(await ask(['read'])).toEqual([200, { scopes: ['read'] }])
    expect(await ask(['collect', 'contribute', 'admin'])).toEqual([
      200,
      { scopes: ['collect', 'contribute'] },
    ])
    expect(await ask(['collect'])).toEqual([403, { detail: missingScope(['read', 'contribute']) }])
    // An endpoint without scopes refuses API tokens.
    expect(await ask(['read', 'collect', 'contribute'], '/things/a')).toEqual([
      403,
      { detail: DETAILS.apiTokenRefused },
    ])
    // A token without a known scope is invalid.
    for (const scopes of [undefined, [], ['admin'], 'read', { read: true }, [['read']]])
      expect(await ask(scopes)).toEqual([401, { detail: DETAILS.unauthenticated }])
  })
  it('reads an empty JSON body as an empty object', async () =>
    expect((await post('/things/a', '')).status).toBe(201))

  it.each([
    ['broken JSON', '{"name":', 400],
    ['invalid UTF-8', Buffer.from([0x22, 0xff, 0x22]), 400],
    ['deep JSON', `{"deep":${'['.repeat(5_000)}${']'.repeat(5_000)}}`, 400],
    ['a prototype key', '{"__proto__":{"is_admin":true}}', 400],
    ['NUL', '{"name":"a\\u0000b"}', 422],
    ['a lone surrogate', '{"name":"\\ud800"}', 422],
    ['an unknown key', '{"is_admin":true}', 422],
    ['a wrong type', '{"name":1}', 422],
    ['no object', '[]', 422],
    ['too many bytes', JSON.stringify({ name: 'x'.repeat(1_048_577) }), 413],
  ])('refuses %s', async (_name, body, status) => {
    await answers(await post('/things/a', body as BodyInit), status)
  })
  it('names the field of each fault', async () => {
    expect(await answers(await post('/things/a', '{"name":1,"votes":[]}'), 422)).toEqual([
      expect.stringMatching(/^name: /),
      'votes: is not a known field',
    ])
  })
  it('refuses a body that is not JSON', async () => {
    await answers(await post('/things/a', 'x', { 'content-type': 'text/plain' }), 415)
  })
  it.each([
    ['/unknown', 404],
    [`/things/${'x'.repeat(13_000)}`, 414],
    [`/things/${'x'.repeat(600)}`, 414],
    ['/things/%zz', 400],
    ['/things/a?n=%00', 422],
    ['/things/a?n=1&n=2', 422],
    [`/things/${'x'.repeat(25)}`, 404],
  ])('answers %.30s by the contract', async (path, status) => {
    await answers(await post(path, '{}'), status)
  })
  it('lists the faults of a query, also invalid characters', async () => {
    expect(await answers(await post('/things/a?n=%00', '{}'), 422)).toEqual([expect.stringMatching(/^n: /)])
  })
  it('answers a wrong method with 404', async () => {
    await answers(await fetch(`${url}/api/v1/things/a`, { method: 'PUT' }), 404)
  })
  it('hides the message of an unexpected error, and sends that of an HttpError', async () => {
    const headers = { authorization: `Bearer ${token}` }
    expect(await answers(await fetch(`${url}/api/v1/crash`, { headers }), 500)).not.toMatch(/secret/)
    expect(await answers(await fetch(`${url}/api/v1/taken`), 409)).toBe('Taken')
  })
  it('answers oversize headers and malformed requests with JSON errors', async () => {
    const { port } = new URL(url)
    const raw = (text: string) =>
      new Promise<string>(resolve => {
        let seen = ''
        const socket = connect(Number(port), '127.0.0.1', () => socket.write(text))
        socket.on('data', chunk => {
          seen += chunk
        })
        socket.on('close', () => resolve(seen))
      })
    expect(
      await raw(`GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nX: ${'y'.repeat(40_000)}\r\n\r\n`),
    ).toMatch(/^HTTP\/1.1 431 [\s\S]*\{"detail":"[^"]+"\}$/)
    expect(await raw('nonsense\r\n\r\n')).toMatch(/^HTTP\/1.1 400 [\s\S]*\{"detail":"[^"]+"\}$/)
  })
})

describe('authentication', () => {
  const withToken = (path: string, value?: string) =>
    fetch(`${url}/api/v1${path}`, {
      method: path === '/crash' ? 'GET' : 'POST',
      headers: value ? { authorization: `Bearer ${value}` } : {},
    })
  it('refuses a missing, malformed or expired token', async () => {
    await answers(await withToken('/things/a'), 401)
    await answers(await withToken('/things/a', 'nonsense'), 401)
    await answers(await withToken('/things/a', expired), 401)
    await answers(await withToken('/things/a', `${token.slice(0, -3)}abc`), 401)
  })
  it('accepts a collector token only at collector endpoints', async () => {
    await answers(await withToken('/things/a', collectorToken), 403)
    await answers(await withToken('/crash', collectorToken), 500)
  })
  it('hides internal routes from callers without the service key', async () => {
    await answers(await fetch(`${url}/internal/x`), 404)
    await answers(
      await fetch(`${url}/internal/x`, { headers: { 'x-service-key': 'a-service-key-for-testz' } }),
      404,
    )
    const response = await fetch(`${url}/internal/x`, {
      headers: { 'x-service-key': 'a-service-key-for-tests' },
    })
    expect(await response.json()).toEqual({ inner: true })
  })
})

it('runs a job once per id, with validated data', async () => {
  const seen: string[] = []
  service.queues.work('canon', async data => {
    seen.push(data.user_id)
    return data.user_id
  })
  const data = { user_id: 'a'.repeat(24) }
  const job = await service.queues.add('canon', data, { jobId: 'one' })
  await service.queues.add('canon', data, { jobId: 'one' })
  expect(await service.queues.waitFor('canon', job, 30_000)).toBe(data.user_id)
  expect(seen).toHaveLength(1)
  await expect(service.queues.add('canon', { user_id: 'x' })).rejects.toThrow()
})

it('counts each failed run of a job, and its permanent failure once', async () => {
  service.queues.work('mail', async () => {
    throw new Error('refused')
  })
  const job = await service.queues.add('mail', { sealed: 'x' }, { attempts: 3, backoff: 10 })
  await expect(service.queues.waitFor('mail', job, 30_000)).rejects.toThrow()
  // Redis publishes the job's end before the worker has counted it.
  const metrics = async () => (await fetch(`${url}/metrics`)).text()
  await expect.poll(metrics).toMatch(/^jobs_given_up_total\{service="things",queue="mail"\} 1$/m)
  expect(await metrics()).toMatch(
    /^job_duration_seconds_count\{service="things",queue="mail",outcome="failed"\} 3$/m,
  )
})

it('loads neither SDK nor instrumentations of OpenTelemetry if no endpoint is configured', async () => {
  // In a process of its own: another test file of this one may have loaded them.
  const code = `
    const { createRequire } = await import('node:module')
    const { createService, readConfig, serviceConfigSchema } = await import(${JSON.stringify(BUILT)})
    const env = ${JSON.stringify({ REDIS_URL: redis.url, SERVICE_KEY: 'a-service-key-for-tests', LOG_LEVEL: 'silent' })}
    const service = await createService('untraced', readConfig(serviceConfigSchema, env))
    await service.listen()
    await service.close()
    console.log(JSON.stringify(Object.keys(createRequire(import.meta.url).cache)))`
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', code])
  const loaded: string[] = JSON.parse(stdout)
  expect(loaded.some(file => file.includes('fastify'))).toBe(true)
  const parts = /\/@opentelemetry\/(sdk|instrumentation|exporter)|\/@fastify\/otel\//
  expect(loaded.filter(file => parts.test(file))).toEqual([])
})

it('reports health, readiness and metrics, and is not ready while Redis is down', async () => {
  expect(await (await fetch(`${url}/healthz`)).json()).toEqual({ status: 'up', version })
  expect(await (await fetch(`${url}/readyz`)).json()).toEqual({
    status: 'up',
    parts: { redis: 'up' },
    process: {
      started_at: expect.any(String),
      memory_bytes: expect.any(Number),
      event_loop_p99_ms: expect.any(Number),
    },
  })
  expect(await (await fetch(`${url}/metrics`)).text()).toContain('http_request_duration_seconds_bucket')
  const redisUp = async () =>
    /^dependency_up\{service="things",dependency="redis"\} (\d)$/m.exec(
      await (await fetch(`${url}/metrics`)).text(),
    )?.[1]
  expect(await redisUp()).toBe('1')
  process.kill(redis.pid, 'SIGSTOP')
  const [ready, up] = await Promise.all([fetch(`${url}/readyz`), redisUp()])
  expect([ready.status, up]).toEqual([503, '0'])
  process.kill(redis.pid, 'SIGCONT')
})

describe('a process that shuts down', () => {
  it('is not ready, and still answers on connections that close with the answer', async () => {
    const config = readConfig(serviceConfigSchema, {
      REDIS_URL: redis.url,
      SERVICE_KEY: 'a-service-key-for-tests',
      LOG_LEVEL: 'silent',
      DRAIN_MS: '300',
    })
    const ending = await createService('ending', config)
    ending.route(taken, async () => ({ taken: false }))
    const address = await ending.listen()
    const ask = (path: string) => fetch(`${address}${path}`)
    expect((await ask('/readyz')).status).toBe(200)
    const drained = ending.drain()
    expect((await ask('/readyz')).status).toBe(503)
    expect((await ask('/healthz')).status).toBe(200)
    const answer = await ask('/api/v1/taken')
    expect([answer.status, answer.headers.get('connection')]).toEqual([200, 'close'])
    await drained
    await ending.close()
    await expect(ask('/healthz')).rejects.toThrow()
  })

  it('requeues an unfinished job for another process', async () => {
    const config = readConfig(serviceConfigSchema, {
      REDIS_URL: redis.url,
      REDIS_PREFIX: 'requeue',
      SERVICE_KEY: 'a-service-key-for-tests',
      LOG_LEVEL: 'silent',
    })
    const [ending, other] = await Promise.all([
      createService('ending', config),
      createService('other', config),
    ])
    const begun = deferred()
    ending.queues.work('canon', async () => {
      begun.resolve()
      await new Promise(() => {})
    })
    const data = { user_id: 'b'.repeat(24) }
    const job = await other.queues.add('canon', data, { jobId: 'long' })
    await begun.promise
    await ending.queues.finishJobs(50)
    other.queues.work('canon', async ({ user_id }) => user_id)
    expect(await other.queues.waitFor('canon', job, 30_000)).toBe(data.user_id)
    await Promise.all([ending.close(), other.close()])
  })
})

it('accepts the old and the new service key during a rotation', async () => {
  const [before, after] = ['the-key-until-today', 'the-key-from-tomorrow']
  const started = await Promise.all(
    [before, `${before},${after}`, `${after},${before}`, after].map(async key => {
      const settings = { REDIS_URL: redis.url, SERVICE_KEY: key, LOG_LEVEL: 'silent' }
      const part = await createService('keys', readConfig(serviceConfigSchema, settings))
      part.internal(inner, async () => ({ inner: true }))
      return { key, part, address: await part.listen() }
    }),
  )
  // A rolling upgrade: at each step upgraded services call the others, and vice versa.
  for (const [n, { key }] of started.entries())
    for (const { address } of started.slice(Math.max(0, n - 1), n + 2)) {
      const peers = createPeers({ SERVICE_KEY: key, IODS_URL: address } as PeersConfig)
      expect(await peers.call('iods', inner)).toEqual({ inner: true })
      await peers.close()
    }
  for (const { part } of started) await part.close()
})

it('answers 503 for a peer that is down, and logs the cause once', async () => {
  const lines: string[] = []
  const logger = createLogger('caller', 'info', { write: line => void lines.push(line) })
  const peer = createServer(socket => socket.resetAndDestroy())
  await new Promise<void>(resolve => peer.listen(0, '127.0.0.1', resolve))
  const settings = {
    REDIS_URL: redis.url,
    SERVICE_KEY: 'a-service-key-for-tests',
    IODS_URL: `http://127.0.0.1:${(peer.address() as AddressInfo).port}`,
  }
  const caller = await createService('caller', readConfig(serviceConfigSchema, settings), { logger })
  caller.internal(inner, () => caller.peers.call('iods', inner))
  const address = await caller.listen()
  try {
    const headers = { 'x-service-key': settings.SERVICE_KEY }
    await answers(await fetch(`${address}/internal/x`, { headers }), 503)
    const errors = lines.map(line => JSON.parse(line)).filter(({ err }) => err)
    expect(errors).toMatchObject([
      {
        msg: 'request failed',
        err: {
          type: 'HttpError',
          cause: {
            type: 'ApiError',
            call: 'GET /internal/x',
            cause: {
              type: 'TypeError',
              cause: { error_code: expect.stringMatching(/ECONNRESET|UND_ERR_SOCKET/) },
            },
          },
        },
      },
    ])
  } finally {
    await caller.close()
    peer.close()
  }
})

it('logs class, code and stack of an error, never its message', () => {
  const lines: string[] = []
  const log = createLogger('test', 'info', { write: line => void lines.push(line) })
  const error = Object.assign(new TypeError('ana@example.org is taken'), { code: 11_000 })
  const request = { headers: { authorization: 'a-third' } }
  log.error({ err: error, token: 'a-token', caller: { access_token: 'another' }, request }, 'failed')
  const line = JSON.parse(lines[0] ?? '')
  expect(line).toMatchObject({ msg: 'failed', err: { type: 'TypeError', error_code: 11_000 } })
  expect(line.err.at[0]).toContain('service.test')
  expect(lines[0]).not.toMatch(/ana@|a-token|another|a-third/)
})

describe('sealing', () => {
  const key = Buffer.alloc(32, 7).toString('base64')
  it('unseals only under the same context', () => {
    const sealed = seal(key, 'user-1', 'sk-secret é')
    expect(unseal(key, 'user-1', sealed)).toBe('sk-secret é')
    expect(() => unseal(key, 'user-2', sealed)).toThrow()
    expect(() => unseal(Buffer.alloc(32, 8).toString('base64'), 'user-1', sealed)).toThrow()
    const other = sealed.at(-2) === 'A' ? 'B' : 'A'
    expect(() => unseal(key, 'user-1', sealed.slice(0, -2) + other + sealed.at(-1))).toThrow()
    expect(() => unseal(key, 'user-1', '')).toThrow()
  })
  it('never returns the same text twice', () => expect(seal(key, 'c', 'x')).not.toBe(seal(key, 'c', 'x')))
})

it('lists every fault of a configuration at once', () => {
  try {
    readConfig(storeConfigSchema, {
      PORT: '99999',
      REDIS_URL: 'http://x',
      SERVICE_KEY: 'short',
      LOG_LEVEL: 'loud',
    })
    expect.unreachable()
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError)
    expect((error as ConfigError).faults.map(fault => fault.split(':')[0]).sort()).toEqual([
      'LOG_LEVEL',
      'MONGODB_URI',
      'PORT',
      'REDIS_URL',
      'SERVICE_KEY',
    ])
  }
})

it('closes at once despite an open unused connection', async () => {
  const app = createHttpApp({ logger: createLogger('test', 'silent') })
  const address = await app.listen({ host: '127.0.0.1', port: 0 })
  const socket = connect(Number(new URL(address).port), '127.0.0.1')
  await new Promise(resolve => socket.once('connect', resolve))
  const begun = Date.now()
  await app.close()
  // Well below the 72 s keep-alive of unused connections.
  expect(Date.now() - begun).toBeLessThan(30_000)
  socket.destroy()
})
