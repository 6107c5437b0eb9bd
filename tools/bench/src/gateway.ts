/**
 * The gateway, which checks the session of every request in Redis, against nginx, which checks nothing, in front of
 * the same upstream: requests a second, in turns. Load, upstream, gateway, nginx and Redis are processes of their own.
 *
 *   npm run bench -- gateway
 */
import { type ChildProcess, fork } from 'node:child_process'
import { generateKeyPairSync } from 'node:crypto'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { freePorts } from '@iodine/local-servers'
import { SESSION_REVOKED, sessionKey, signToken } from '@iodine/service-kit'
import { newId, startTestRedis, uniquePrefix } from '@iodine/test-kit'
import { Redis } from 'ioredis'
import { Pool } from 'undici'
import { atOnce, count, inTurns, table } from './lib/measure.js'
import { startNginx } from './lib/nginx.js'

const rounds = Number(process.env.ROUNDS ?? 9)
const requests = Number(process.env.REQUESTS ?? 4_000)
const width = 32
const bodies = [1_000, 25_000]

const { privateKey, publicKey } = generateKeyPairSync('ed25519')
const jwks = JSON.stringify({ keys: [{ ...publicKey.export({ format: 'jwk' }), alg: 'EdDSA', use: 'sig' }] })
const sid = newId()
const token = await signToken(
  await crypto.subtle.importKey(
    'pkcs8',
    privateKey.export({ type: 'pkcs8', format: 'der' }),
    'Ed25519',
    false,
    ['sign'],
  ),
  { id: newId(), sid, scope: 'full' },
  3_600_000,
)

const redis = await startTestRedis()
const prefix = uniquePrefix()
const sessions = new Redis(redis.url)
await sessions.set(sessionKey(prefix, sid), JSON.stringify({ user_id: newId(), scope: 'full' }))

const children: ChildProcess[] = []
const startUpstream = async (bytes: number): Promise<string> => {
  const child = fork(fileURLToPath(new URL('./lib/upstream.js', import.meta.url)), {
    env: { ...process.env, UPSTREAM_BODY: String(bytes), UPSTREAM_JWKS: jwks },
  })
  children.push(child)
  const [url] = await once(child, 'message')
  return url as string
}
const startGateway = async (upstream: string): Promise<string> => {
  const [port] = await freePorts(1)
  const child = fork(fileURLToPath(new URL('../../gateway/dist/server.js', import.meta.url)), {
    execArgv: process.env.GATEWAY_ARGS?.split(' ') ?? [],
    env: {
      ...process.env,
      HOST: '127.0.0.1',
      PORT: String(port),
      AUTH_URL: upstream,
      IODS_URL: upstream,
      REDIS_URL: redis.url,
      REDIS_PREFIX: prefix,
      SERVICE_KEY: newId() + newId(),
      // Counted as ever, but never reached.
      USER_REQUESTS_A_MINUTE: '1000000000',
      LOG_LEVEL: 'warn',
    },
  })
  children.push(child)
  const url = `http://127.0.0.1:${port}`
  for (let left = 200; left > 0; left--) {
    if (await fetch(`${url}/healthz`).catch(() => undefined)) return url
    await new Promise(next => setTimeout(next, 50))
  }
  throw new Error('the gateway did not start')
}

/** Sends many requests, several at once, over connections that are kept. */
const loadOf = (url: string) => {
  const pool = new Pool(url, { connections: width })
  const send = async () => {
    const { statusCode, body } = await pool.request({
      path: '/api/v1/iods?limit=50',
      method: 'GET',
      headers: { authorization: `Bearer ${token}` },
    })
    await body.dump({ limit: 1_000_000 })
    if (statusCode !== 200) throw new Error(`${url} answered ${statusCode}`)
  }
  return { run: () => atOnce(requests, width, send), send, close: () => pool.close() }
}

const rows: string[][] = []
for (const bytes of bodies) {
  const upstream = await startUpstream(bytes)
  const nginx = await startNginx(upstream)
  const loads = {
    direct: loadOf(upstream),
    nginx: loadOf(nginx.url),
    gateway: loadOf(await startGateway(upstream)),
  }
  const sides = { direct: loads.direct.run, nginx: loads.nginx.run, gateway: loads.gateway.run }
  for (const warmUp of Object.values(sides)) await warmUp()
  const took = await inTurns(rounds, sides)
  const rate = (ms: number) => requests / (ms / 1_000)
  rows.push([
    `${bytes.toLocaleString('en')} bytes`,
    count(rate(took.direct)),
    count(rate(took.nginx)),
    count(rate(took.gateway)),
    (took.nginx / took.gateway).toFixed(2),
  ])
  // That the session was checked: the next request after its end is refused.
  if (bytes === bodies.at(-1)) {
    await sessions.set(sessionKey(prefix, sid), SESSION_REVOKED)
    const refused = await loads.gateway.send().then(
      () => false,
      error => /401/.test(String(error)),
    )
    if (!refused) throw new Error('the gateway let an ended session pass')
  }
  await Promise.all(Object.values(loads).map(load => load.close()))
  await nginx.stop()
}
for (const child of children) child.kill()
sessions.disconnect()
await redis.stop()
table(['answer', 'upstream alone, 1/s', 'nginx, 1/s', 'gateway, 1/s', 'gateway ÷ nginx'], rows)
