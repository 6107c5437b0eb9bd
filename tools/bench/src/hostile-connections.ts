/**
 * Latency of other users while one member, from one address, holds 160 connections in one of three ways:
 * unfinished request bodies, unread answers, or requests that wait for a slow AI provider. Runs against the
 * product as `npm start` runs it; each socket that the product closes is reopened.
 *
 *   npm run bench -- hostile-connections
 *   IODS=20000 SECONDS=40 npm run bench -- hostile-connections
 */

import { profileApi } from '@iodine/contracts'
import { startProduct } from '@iodine/harness'
import { apiClient, type CrowdOptions, quantile, signUp, startAiProvider, startCrowd } from '@iodine/test-kit'
import { startBed } from './lib/bed.js'
import { table, timed } from './lib/measure.js'
import { seedIods } from './lib/seed-iods.js'

const iods = Number(process.env.IODS ?? 20_000)
const ms = Number(process.env.SECONDS ?? 40) * 1_000
const SOCKETS = 160
const PAUSE_MS = 200
const PATHS = ['/profile/me', '/iods?limit=5', '/narratives/data', '/graph/triplets']

const ai = await startAiProvider()
ai.always('hang')
const bed = await startBed(startProduct, {
  // Rate limits are off, so that only the connection bounds are measured.
  env: { OPENAI_BASE_URL: ai.url, RATE_LIMITS: 'off' },
  fill: uri => seedIods(uri, iods),
})
const url = bed.url.replace('localhost', '127.0.0.1')
const newcomer = () => signUp({ url, mail: bed.mail })
const attacker = await newcomer()
await attacker.api.call(profileApi.updateOpenaiKey, { body: { api_key: 'sk-any' } })
const other = await newcomer()

const bearer = `Host: x\r\nAuthorization: Bearer ${attacker.token}\r\n`
const text = JSON.stringify({ text: 'They told everybody.' })
const ATTACKS: Record<string, CrowdOptions | undefined> = {
  none: undefined,
  'bodies that never end': {
    count: SOCKETS,
    text: 'POST /api/v1/auth/request-magic-link HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{',
    dripMs: 1_000,
  },
  'answers that nobody reads': {
    count: SOCKETS,
    text: `GET /api/v1/iods HTTP/1.1\r\n${bearer}\r\n`,
    isDeaf: true,
  },
  'waits for a slow provider': {
    count: SOCKETS,
    text: `POST /api/v1/narratives/ HTTP/1.1\r\n${bearer}Content-Type: application/json\r\nContent-Length: ${text.length}\r\n\r\n${text}`,
  },
}

const rows: string[][] = []
for (const [name, attack] of Object.entries(ATTACKS)) {
  const crowd = attack && (await startCrowd(url, attack))
  const times: number[] = []
  let failures = 0
  const ask = async (call: () => Promise<boolean>) => {
    const took = await timed(async () => {
      if (!(await call().catch(() => false))) failures++
    })
    times.push(took)
  }
  const read = (path: string) => async () => {
    const { status } = await apiClient(url, other.token).send('GET', path)
    return status === 200
  }
  const signIn = async () => (await newcomer()).token !== ''
  const until = performance.now() + ms
  while (performance.now() < until) {
    await Promise.all([...PATHS.map(path => ask(read(path))), ask(signIn)])
    await new Promise(next => setTimeout(next, PAUSE_MS))
  }
  const fast = times.filter(each => each <= 1_000).length / times.length
  rows.push([
    name,
    String(times.length),
    String(failures),
    ...[0.5, 0.99, 1].map(share => quantile(times, share).toFixed(0)),
    `${(fast * 100).toFixed(1)} %`,
    String(crowd?.open() ?? 0),
  ])
  if (failures > 0 || fast < 0.99) process.exitCode = 1
  await crowd?.stop()
}
await bed.stop()
await ai.stop()
table(
  [
    'attack',
    'requests of others',
    'failed',
    'median ms',
    '99 %',
    'slowest',
    'within 1 s',
    'sockets at its end',
  ],
  rows,
)
