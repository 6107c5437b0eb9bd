import { randomBytes } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import {
  API_TOKEN_PREFIX,
  type ApiScope,
  type authInternal,
  type ResponseOf,
  SERVICE_NAMES,
  type ServiceName,
  type SessionState,
} from '@iodine/contracts'
import { connectRedis, hashOf, readConfig } from '@iodine/service-kit'
import { newId, startFaultProxy, startServiceFixture, startTestRedis } from '@iodine/test-kit'
import { createApp, type GatewayDeps, gatewayConfigSchema } from '../src/index.js'

/** A request as a service received it. */
export interface Seen {
  service: ServiceName
  method: string
  url: string
  headers: IncomingMessage['headers']
  body: string
}

type Behaviour = (request: IncomingMessage, response: ServerResponse) => void

/** Starts one server per service. Each records its requests and answers with its name by default. */
export const startServices = async () => {
  const seen: Seen[] = []
  const behaviour: Partial<Record<ServiceName, Behaviour>> = {}
  /** The live sessions, by session id. */
  const liveSessions = new Map<string, SessionState>()
  /** The live API tokens, by hash. */
  const liveTokens = new Map<string, ResponseOf<typeof authInternal.checkApiToken>>()
  const servers = new Map<ServiceName, Server>()
  const ports = new Map<ServiceName, number>()
  let sessionChecks = 0
  let tokenChecks = 0

  const serve = (service: ServiceName) => async (request: IncomingMessage, response: ServerResponse) => {
    const custom = behaviour[service]
    if (custom) return custom(request, response)
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const body = Buffer.concat(chunks).toString()
    const answer = (status: number, value: unknown) =>
      response
        .writeHead(status, {
          'content-type': 'application/json',
          'x-next-cursor': 'abc',
          'keep-alive': 'timeout=1',
        })
        .end(JSON.stringify(value))
    if (request.url === '/internal/sessions/check') {
      sessionChecks++
      const { sid } = JSON.parse(body)
      const state = liveSessions.get(sid)
      return state ? answer(200, state) : answer(404, { detail: 'Not found' })
    }
    if (request.url === '/internal/api-tokens/check') {
      tokenChecks++
      const live = liveTokens.get(JSON.parse(body).hash)
      return live ? answer(200, live) : answer(404, { detail: 'Not found' })
    }
    // The gateway reports its settings when it starts.
    if (request.url === '/internal/audit/settings') return answer(200, { done: true })
    if (request.url === '/readyz' || request.url === '/healthz') return answer(200, { status: 'up' })
    seen.push({
      service,
      method: request.method ?? '',
      url: request.url ?? '',
      headers: request.headers,
      body,
    })
    return answer(200, { service })
  }
  const start = (service: ServiceName) =>
    new Promise<void>(resolve => {
      const server = createServer(
        { maxHeaderSize: 1_048_576 },
        (request, response) => void serve(service)(request, response).catch(() => {}),
      )
      servers.set(service, server)
      server.listen(ports.get(service) ?? 0, '127.0.0.1', () => {
        ports.set(service, (server.address() as AddressInfo).port)
        resolve()
      })
    })
  const stop = (service: ServiceName) =>
    new Promise<void>(resolve => {
      const server = servers.get(service)
      if (!server) return resolve()
      server.close(() => resolve())
      server.closeAllConnections()
    })
  await Promise.all(SERVICE_NAMES.map(start))
  return {
    seen,
    behaviour,
    liveSessions,
    liveTokens,
    sessionChecks: () => sessionChecks,
    tokenChecks: () => tokenChecks,
    start,
    stop,
    stopAll: () => Promise.all(SERVICE_NAMES.map(stop)),
    env: () =>
      Object.fromEntries(
        SERVICE_NAMES.map(name => [`${name.toUpperCase()}_URL`, `http://127.0.0.1:${ports.get(name)}`]),
      ),
  }
}

/** For tests that count queries to auth: on a busy machine Redis may answer later than the default timeout. */
export const LONG_REDIS_TIMEOUT = { sessionLookMs: 10_000 }

/** Starts a gateway in front of such services. */
export const startTestServer = async (env: Record<string, string> = {}, deps: GatewayDeps = {}) => {
  const [fixture, services] = await Promise.all([startServiceFixture(), startServices()])
  const settings: Record<string, string> = {
    ...fixture.env,
    WEB_ROOT: '/nonexistent',
    RATE_LIMITS: 'off',
    ...services.env(),
    ...env,
  }
  const config = readConfig(gatewayConfigSchema, settings)
  const gateway = await createApp(config, { ...fixture.deps, ...deps })
  const url = await gateway.listen()
  return {
    ...services,
    fixture,
    settings,
    url,
    /** Creates a live session and its token. */
    async token({ scope = 'full' }: { scope?: 'full' | 'collector' } = {}, lifetimeMs?: number) {
      const [sid, id] = [newId(), newId()]
      services.liveSessions.set(sid, { user_id: id, scope })
      return { sid, id, token: await fixture.token({ id, scope, sid }, lifetimeMs) }
    },
    /** Creates a live API token. */
    async apiToken(scopes: ApiScope[], lifetimeMs = 3_600_000) {
      const secret = API_TOKEN_PREFIX + randomBytes(32).toString('base64url')
      const [id, user_id, hash] = [newId(), newId(), hashOf(secret)]
      const token = await fixture.token({ id: user_id, scope: 'api', sid: id, scopes })
      const expires_at = new Date(Date.now() + lifetimeMs).toISOString()
      services.liveTokens.set(hash, { id, user_id, scopes, expires_at, token })
      return { secret, hash, user_id, token }
    },
    async close() {
      await gateway.close()
      await services.stopAll()
      await fixture.stop()
    },
  }
}
export type TestServer = Awaited<ReturnType<typeof startTestServer>>

/** Starts a gateway with a separate Redis behind a link that can be cut; `redis` bypasses the link. */
export const startServerWithRedisLink = async () => {
  const redisServer = await startTestRedis()
  const link = await startFaultProxy(() => Number(new URL(redisServer.url).port))
  const through = new URL(redisServer.url)
  through.port = String(link.port)
  const server = await startTestServer({ REDIS_URL: through.href })
  const redis = await connectRedis(redisServer.url)
  const close = async () => {
    redis.disconnect()
    await server.close()
    await link.stop()
    await redisServer.stop()
  }
  return { server, redis, link, close }
}

/** Writes bytes to the URL's port and reads until the other side closes, or for `ms` milliseconds in case it hangs. */
export const raw = (url: string, text: string | Buffer, ms = 30_000): Promise<string> =>
  new Promise(resolve => {
    const { port } = new URL(url)
    let answer = ''
    const socket = connect(Number(port), '127.0.0.1', () => socket.write(text))
    const timer = setTimeout(() => socket.destroy(), ms)
    socket.on('data', chunk => {
      answer += chunk
    })
    socket.on('error', () => {})
    socket.on('close', () => {
      clearTimeout(timer)
      resolve(answer)
    })
  })
