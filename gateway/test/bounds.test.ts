import { createHash, randomBytes } from 'node:crypto'
import { readdirSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { connect } from 'node:net'
import { DETAILS } from '@iodine/contracts'
import { createHttpApp, createLogger, readConfig, unauthenticated } from '@iodine/service-kit'
import { newId, startSlowClients, temporaryFolder } from '@iodine/test-kit'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { BOUNDS, type Bounds, type Refusal } from '../src/bounds.js'
import { gatewayConfigSchema } from '../src/index.js'
import { createLimits } from '../src/limits.js'
import { addProxy } from '../src/plugins/proxy.js'
import { ROUTES } from '../src/routes.js'
import { guardSockets } from '../src/sockets.js'
import { raw, startTestServer, type TestServer } from './test-server.js'

const KIB = 1_024
let server: TestServer
/** Requests that a service holds open until the test answers them. */
const held: { url: string; response: ServerResponse }[] = []
const stopped: (() => unknown)[] = []
beforeAll(async () => {
  server = await startTestServer()
})
afterEach(async () => {
  for (const { response } of held.splice(0)) response.end('{}')
  for (const name of ['iods', 'narratives'] as const) delete server.behaviour[name]
  for (const stop of stopped.splice(0)) await stop()
})
afterAll(() => server?.close())

/** Starts a gateway with narrower bounds. `Bearer NAME` signs in NAME, at the address in the request. */
const start = async (bounds: Partial<Bounds>) => {
  const all: Bounds = { ...BOUNDS, checkMs: 50, ...bounds }
  const app = createHttpApp({ logger: createLogger('test', 'silent'), trustProxy: true, isPublic: true })
  const refusals: Refusal[] = []
  const refused = (reason: Refusal) => void refusals.push(reason)
  guardSockets(app, all, true, refused)
  const load = addProxy(app, {
    routes: ROUTES,
    addressOf: name => server.settings[`${name.toUpperCase()}_URL`],
    checkFeedKey: async () => expect.unreachable(),
    checkApiToken: async () => expect.unreachable(),
    checkSession: async authorization => {
      const id = /^Bearer (\w+)$/.exec(authorization ?? '')?.[1]
      if (!id) throw unauthenticated()
      return { id, sid: newId(), scope: 'full' }
    },
    limits: createLimits(readConfig(gatewayConfigSchema, server.settings)),
    bounds: all,
    refused,
  })
  const url = await app.listen({ host: '127.0.0.1', port: 0 })
  stopped.push(() => app.close())
  const send = (
    user: string,
    path: string,
    init: RequestInit & { duplex?: 'half' } = {},
    from = '192.0.2.1',
  ) =>
    fetch(`${url}/api/v1${path}`, {
      ...init,
      headers: { authorization: `Bearer ${user}`, 'x-forwarded-for': from, ...init.headers },
    })
  return { app, url, load, refusals, send }
}
const holdAll = (service: 'iods' | 'narratives') => {
  server.behaviour[service] = (request, response) => {
    if (request.url === '/healthz') return void response.end('{}')
    request.resume().once('end', () => held.push({ url: request.url ?? '', response }))
  }
}
const expectBusy = async (answer: Response, status = 503, detail: string = DETAILS.busy) => {
  expect([answer.status, await answer.json()]).toEqual([status, { detail }])
  expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0)
}

const HEAD = 'POST /api/v1/iods HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer mallory\r\n'
const SHARE = { address: 1_000, stranger: 100, user: 100 }

it('answers 408 to a slow body and closes its connection', async () => {
  const reached = server.seen.length
  const { url, load, refusals } = await start({ bodyGraceMs: 200, bodyRate: 1_000 })
  const answer = await raw(url, `${HEAD}Content-Length: 1000\r\n\r\n{`)
  expect(answer).toMatch(/^HTTP\/1.1 408 /)
  expect(answer).toMatch(/\r\nconnection: close\r\n/i)
  expect(answer).toContain(JSON.stringify({ detail: DETAILS.timeout }))
  expect(refusals).toEqual(['slow_body'])

  const patient = await start({ bodyGraceMs: 60_000, bodyMs: 300 })
  expect(await raw(patient.url, `${HEAD}Content-Length: 9\r\n\r\n{`)).toMatch(/^HTTP\/1.1 408 /)
  expect(server.seen).toHaveLength(reached)
  expect(load()).toMatchObject({ in_flight: 0, arriving: 0, memory_bytes: 0, file_bytes: 0 })
})

it('frees all resources of an interrupted body', async () => {
  const { url, load } = await start({ inMemoryBytes: 10 })
  for (const path of ['iods', 'tiktok/data']) {
    const socket = connect(Number(new URL(url).port), '127.0.0.1', () =>
      socket.write(
        `${HEAD.replace('iods', path)}Content-Length: 1000\r\n\r\n${'x'.repeat(path === 'iods' ? 5 : 500)}`,
      ),
    )
    await expect.poll(() => load().arriving).toBe(1)
    socket.destroy()
    await expect
      .poll(() => load())
      .toMatchObject({ in_flight: 0, arriving: 0, memory_bytes: 0, file_bytes: 0 })
  }
})

it('spools a long body to an unlinked file and forwards it unchanged', async () => {
  const folder = temporaryFolder()
  const before = process.env.TMPDIR
  process.env.TMPDIR = folder.path
  stopped.push(() => {
    if (before === undefined) delete process.env.TMPDIR
    else process.env.TMPDIR = before
    folder.remove()
  })
  const { send, load } = await start({
    inMemoryBytes: 64 * KIB,
    memory: { all: 100 * KIB, address: 100 * KIB, stranger: 0, user: 100 * KIB },
  })
  const text = randomBytes(1_000 * KIB).toString('hex')
  const { readable, writable } = new TransformStream<Uint8Array>()
  const writer = writable.getWriter()
  const answered = send('alice', '/tiktok/data', { method: 'POST', body: readable, duplex: 'half' })
  await writer.write(new TextEncoder().encode(text.slice(0, 500 * KIB)))
  await expect.poll(() => load().arriving).toBe(1)
  await writer.write(new TextEncoder().encode(text.slice(500 * KIB)))
  await expect.poll(() => load().file_bytes).toBe(text.length)
  expect(readdirSync(folder.path)).toEqual([])
  await writer.close()
  expect((await answered).status).toBe(200)
  const hash = (value: string) => createHash('sha256').update(value).digest('hex')
  expect(hash(server.seen.at(-1)?.body ?? '')).toBe(hash(text))
  expect(server.seen.at(-1)?.headers['content-length']).toBe(String(text.length))
  expect(readdirSync(folder.path)).toEqual([])
  // Each request frees its memory and disk space.
  for (let n = 0; n < 3; n++)
    expect((await send('alice', '/tiktok/data', { method: 'POST', body: text })).status).toBe(200)
})

it('limits the memory and disk space of bodies per client', async () => {
  const room = { all: 1_000 * KIB, address: 800 * KIB, stranger: 0, user: 200 * KIB }
  const { url, load, send, refusals } = await start({ memory: room, spool: room, inMemoryBytes: 150 * KIB })
  for (const path of ['/iods', '/tiktok/data']) {
    const size = path === '/iods' ? 150 : 190
    const socket = connect(Number(new URL(url).port), '127.0.0.1', () =>
      socket.write(
        `POST /api/v1${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer mallory\r\nContent-Length: 1000000\r\n\r\n${'x'.repeat(size * KIB)}`,
      ),
    )
    socket.on('error', () => {})
    const body = 'x'.repeat(size * KIB)
    await expect.poll(() => load()[path === '/iods' ? 'memory_bytes' : 'file_bytes']).toBe(size * KIB)
    await expectBusy(await send('mallory', path, { method: 'POST', body }))
    expect((await send('alice', path, { method: 'POST', body })).status).toBe(200)
    socket.destroy()
    await expect.poll(() => load()).toMatchObject({ arriving: 0, memory_bytes: 0, file_bytes: 0 })
    expect((await send('mallory', path, { method: 'POST', body })).status).toBe(200)
  }
  expect(new Set(refusals)).toEqual(new Set(['body_room']))
})

it('answers Expect: 100-continue before the body is sent', async () => {
  const { url } = await start({})
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  socket.write(`${HEAD}Connection: close\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n`)
  let answers = ''
  const closed = new Promise(resolve => socket.once('close', resolve))
  socket.on('data', chunk => {
    if (answers === '') socket.write('{}')
    answers += chunk
  })
  await closed
  expect(answers.match(/HTTP\/1.1 \d+/g)).toEqual(['HTTP/1.1 100', 'HTTP/1.1 200'])
  expect(server.seen.at(-1)?.body).toBe('{}')
})

it('refuses requests past a client’s limit of concurrent requests', async () => {
  holdAll('iods')
  const { send, load, refusals } = await start({ inFlight: { all: 100, address: 90, stranger: 5, user: 5 } })
  const under = Array.from({ length: 5 }, () => send('mallory', '/iods'))
  await expect.poll(() => load().in_flight).toBe(5)
  await expectBusy(await send('mallory', '/iods'), 429, DETAILS.tooManyRequests)
  expect(refusals).toEqual(['in_flight'])
  const other = send('alice', '/iods')
  await expect.poll(() => held.length).toBe(6)
  for (const { response } of held.splice(0)) response.end('{}')
  for (const answer of await Promise.all([...under, other])) expect(answer.status).toBe(200)
  await expect.poll(() => load()).toMatchObject({ in_flight: 0, pools: { iods: { active: 0, waiting: 0 } } })
})

it('limits a client’s connections to a service and queues its other requests', async () => {
  holdAll('iods')
  const { send, load } = await start({ pool: { ...SHARE, all: 4, user: 3 }, poolWaitMs: 60_000 })
  const mine = Array.from({ length: 7 }, (_, n) => send('mallory', `/iods?n=${n}`))
  await expect.poll(() => load().pools.iods).toEqual({ active: 3, waiting: 4 })
  const hers = send('alice', '/iods?alice')
  await expect.poll(() => held.map(({ url }) => url)).toContain('/api/v1/iods?alice')
  // The client with the fewest connections is admitted first, regardless of the number waiting.
  const his = Array.from({ length: 3 }, (_, n) => send('bob', `/iods?bob=${n}`))
  await expect.poll(() => load().pools.iods).toEqual({ active: 4, waiting: 7 })
  held.splice(0, 1)[0]?.response.end('{}')
  await expect.poll(() => held.filter(({ url }) => url.includes('bob'))).toHaveLength(1)
  const all = Promise.all([...mine, hers, ...his])
  let isDone = false
  void all.finally(() => {
    isDone = true
  })
  while (!isDone) {
    expect(load().pools.iods?.active).toBeLessThanOrEqual(4)
    for (const { response } of held.splice(0)) response.end('{}')
    await new Promise(setImmediate)
  }
  for (const { status } of await all) expect(status).toBe(200)
  expect(load().pools.iods).toEqual({ active: 0, waiting: 0 })
})

it('limits the connections of one address with many accounts', async () => {
  holdAll('iods')
  const { send, load } = await start({
    pool: { all: 4, address: 3, stranger: 2, user: 2 },
    poolWaitMs: 60_000,
  })
  const many = ['a', 'b', 'c', 'd'].map(user => send(user, '/iods'))
  await expect.poll(() => load().pools.iods).toEqual({ active: 3, waiting: 1 })
  const elsewhere = send('e', '/iods?elsewhere', {}, '203.0.113.5')
  await expect.poll(() => held.map(({ url }) => url)).toContain('/api/v1/iods?elsewhere')
  for (const { response } of held.splice(0)) response.end('{}')
  await expect.poll(() => held).toHaveLength(1)
  held.splice(0)[0]?.response.end('{}')
  for (const { status } of await Promise.all([...many, elsewhere])) expect(status).toBe(200)
})

it('answers 503 if no connection becomes free in time', async () => {
  holdAll('iods')
  const { send, refusals } = await start({ pool: { ...SHARE, all: 1 }, poolWaitMs: 500 })
  const first = send('mallory', '/iods')
  await expect.poll(() => held).toHaveLength(1)
  await expectBusy(await send('alice', '/iods', { method: 'POST', body: '{}' }))
  expect(refusals).toEqual(['no_connection'])
  held.splice(0)[0]?.response.end('{}')
  expect((await first).status).toBe(200)
})

it('removes a disconnected client from the queue for a connection', async () => {
  holdAll('iods')
  const { send, load } = await start({ pool: { ...SHARE, all: 1 }, poolWaitMs: 60_000 })
  const first = send('mallory', '/iods')
  await expect.poll(() => held).toHaveLength(1)
  const leaving = new AbortController()
  const left = send('alice', '/iods', { signal: leaving.signal }).catch(() => 'left')
  await expect.poll(() => load().pools.iods?.waiting).toBe(1)
  leaving.abort()
  expect(await left).toBe('left')
  await expect.poll(() => load().pools.iods).toEqual({ active: 1, waiting: 0 })
  held.splice(0)[0]?.response.end('{}')
  expect((await first).status).toBe(200)
  await expect.poll(() => load()).toMatchObject({ in_flight: 0, pools: { iods: { active: 0 } } })
})

it('uses separate connections for operations that wait for other work', async () => {
  holdAll('narratives')
  const { send, load } = await start({ pool: { ...SHARE, all: 1 }, waitPool: { ...SHARE, all: 3, user: 2 } })
  const waits = Array.from({ length: 2 }, (_, n) =>
    send('mallory', '/narratives', { method: 'POST', body: `{"n":${n}}` }),
  )
  await expect.poll(() => load().pools['narratives waits']).toEqual({ active: 2, waiting: 0 })
  const others = [
    send('alice', '/narratives/', { method: 'POST', body: '{}' }),
    send('alice', '/narratives/data'),
  ]
  await expect.poll(() => held).toHaveLength(4)
  expect(load().pools).toMatchObject({ narratives: { active: 1 }, 'narratives waits': { active: 3 } })
  for (const { response } of held.splice(0)) response.end('{}')
  for (const { status } of await Promise.all([...waits, ...others])) expect(status).toBe(200)
})

it('disconnects a client that does not read, and ends its request to the service', async () => {
  let gone = 0
  server.behaviour.iods = (_request, response) => {
    response.once('close', () => gone++)
    const chunk = Buffer.alloc(64 * KIB, 'x')
    const write = () => {
      while (!response.destroyed && response.write(chunk));
      response.once('drain', write)
    }
    write()
  }
  const { url, load, refusals, send } = await start({ stallMs: 1_000, pool: { ...SHARE, all: 4, user: 3 } })
  const crowd = await startSlowClients(url, {
    count: 3,
    text: 'GET /api/v1/iods HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer mallory\r\n\r\n',
    isDeaf: true,
  })
  await expect.poll(() => load().pools.iods?.active).toBe(3)
  // A reading client is not cut, though it takes longer than those that stall.
  const reader = (await send('alice', '/iods')).body?.getReader()
  while (gone < 3) expect((await reader?.read())?.done).toBe(false)
  expect(refusals.filter(reason => reason === 'stalled_answer').length).toBeGreaterThanOrEqual(3)
  await crowd.stop()
  await reader?.cancel()
  await expect.poll(() => load()).toMatchObject({ in_flight: 0, pools: { iods: { active: 0, waiting: 0 } } })
})

it('limits the bytes of long incomplete heads in total and per address', async () => {
  const { url, send, refusals } = await start({ heads: { all: 400_000, address: 150_000 } })
  const { port } = new URL(url)
  const begin = (bytes: number) => {
    const socket = connect(Number(port), '127.0.0.1').on('error', () => {})
    socket.write(`GET /api/v1/iods?q=${'x'.repeat(bytes)}`)
    return new Promise<void>(resolve => socket.once('close', () => resolve()))
  }
  // A complete head does not count.
  expect((await send('alice', `/iods?q=${'x'.repeat(100_000)}`)).status).toBe(200)
  await Promise.all([begin(100_000), begin(100_000)])
  expect(refusals).toEqual(['heads', 'heads'])
})

it('limits the connections of an address', async () => {
  const { url, refusals } = await start({ sockets: { all: 100, address: 3 } })
  const { port } = new URL(url)
  const sockets = Array.from({ length: 3 }, () => connect(Number(port), '127.0.0.1').on('error', () => {}))
  await Promise.all(sockets.map(socket => new Promise(resolve => socket.once('connect', resolve))))
  const fourth = connect(Number(port), '127.0.0.1').on('error', () => {})
  await new Promise(resolve => fourth.once('close', resolve))
  expect(refusals).toEqual(['sockets'])
  for (const socket of sockets) socket.destroy()
  await expect
    .poll(() =>
      fetch(`${url}/none`).then(
        ({ status }) => status,
        () => 0,
      ),
    )
    .toBe(404)
})

it('answers 408 to a slow head', { tags: 'long' }, async () => {
  const { app, url } = await start({})
  expect(app.server.headersTimeout).toBe(20_000)
  app.server.headersTimeout = 200
  const answer = await raw(url, 'GET /api/v1/iods HTTP/1.1\r\nHost: x\r\nX-Slow: ')
  expect(answer).toMatch(/^HTTP\/1.1 408 /)
  expect(answer).toContain(JSON.stringify({ detail: DETAILS.timeout }))
})
