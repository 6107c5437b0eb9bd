/**
 * The gateway, which checks the session of every request in Redis, against nginx, which checks nothing, in front of
 * the same upstream: requests a second, in turns. Load, upstream, gateway, nginx and Redis are processes of their own.
 *
 *   npm run bench -- gateway
 */
import { SESSION_REVOKED } from '@iodine/service-kit'
import { newId, startTestRedis, uniquePrefix } from '@iodine/test-kit'
import { Redis } from 'ioredis'
import { Pool } from 'undici'
import { atOnce, count, inTurns, table } from './lib/measure.js'
import { startNginx } from './lib/nginx.js'
import { startPart, startUpstream, stopParts } from './lib/parts.js'
import { createSession } from './lib/session.js'

const rounds = Number(process.env.ROUNDS ?? 9)
const requests = Number(process.env.REQUESTS ?? 4_000)
const width = 32
const bodies = [1_000, 25_000]

const redis = await startTestRedis()
const prefix = uniquePrefix()
const sessions = new Redis(redis.url)
const { token, jwks, key } = await createSession(sessions, prefix)

const startGateway = async (upstream: string): Promise<string> => {
  const env = {
    AUTH_URL: upstream,
    IODS_URL: upstream,
    REDIS_URL: redis.url,
    REDIS_PREFIX: prefix,
    SERVICE_KEY: newId() + newId(),
    // Counted as ever, but never reached.
    USER_REQUESTS_A_MINUTE: '1000000000',
  }
  return (await startPart('gateway/dist/server.js', env, process.env.GATEWAY_ARGS?.split(' '))).url
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
  const upstream = await startUpstream(bytes, jwks)
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
    await sessions.set(key, SESSION_REVOKED)
    const refused = await loads.gateway.send().then(
      () => false,
      error => /401/.test(String(error)),
    )
    if (!refused) throw new Error('the gateway let an ended session pass')
  }
  await Promise.all(Object.values(loads).map(load => load.close()))
  await nginx.stop()
}
stopParts()
sessions.disconnect()
await redis.stop()
table(['answer', 'upstream alone, 1/s', 'nginx, 1/s', 'gateway, 1/s', 'gateway ÷ nginx'], rows)
