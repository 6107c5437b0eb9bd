/**
 * Requests per second of three proxies in front of the same upstream, alternating: the gateway, which checks each
 * session in Redis, nginx without checks, and a bare proxy in Node, which shows the cost of Node's HTTP. Load generator,
 * upstream, gateway, proxies and Redis are separate processes.
 *
 *   npm run bench -- gateway
 */
import { atOnce, mapValues, rate, ratio, table, timeInterleaved, whole } from './lib/measure.js'
import { startBareProxy, startNginx, startPart, startUpstream, stopParts } from './lib/parts.js'
import { startSession } from './lib/session.js'

const rounds = Number(process.env.ROUNDS ?? 9)
const requests = Number(process.env.REQUESTS ?? 4_000)
const width = 32
const bodies = [1_000, 25_000]

const session = await startSession()

const rows: string[][] = []
for (const bytes of bodies) {
  const upstream = await startUpstream(bytes, session.jwks)
  const urls = {
    nginx: await startNginx(upstream),
    gateway: await startPart('gateway/dist/server.js', {
      ...session.env,
      AUTH_URL: upstream,
      IODS_URL: upstream,
    }),
    bare: await startBareProxy(upstream),
  }
  const clients = mapValues(urls, url => session.connect(url, width))
  const send = (client: typeof clients.gateway) => client.get('/iods?limit=50')
  const took = await timeInterleaved(
    rounds,
    mapValues(clients, client => () => atOnce(requests, width, () => send(client))),
    1,
  )
  rows.push([
    `${whole(bytes)} bytes`,
    rate(requests, took.nginx),
    rate(requests, took.gateway),
    ratio(took.nginx, took.gateway),
    rate(requests, took.bare),
    ratio(took.nginx, took.bare),
  ])
  // Proves that the gateway checks the session: it rejects a request after the revocation.
  if (bytes === bodies.at(-1)) {
    await session.revoke()
    const refused = await send(clients.gateway).then(
      () => false,
      error => /401/.test(String(error)),
    )
    if (!refused) throw new Error('the gateway accepted an ended session')
  }
  await Promise.all(Object.values(clients).map(client => client.close()))
  stopParts()
}
await session.stop()
table(
  [
    'answer',
    'nginx, 1/s',
    'gateway, 1/s',
    'gateway ÷ nginx',
    'bare proxy in Node, 1/s',
    'bare proxy ÷ nginx',
  ],
  rows,
)
