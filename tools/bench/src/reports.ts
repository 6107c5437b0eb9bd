/**
 * Published reports: (1) time from handing a report of 10,000 indicators and 100 exhibits in until its files are stored,
 * by the campaigns service with stubs of the services that it reads, and the largest delay of its event loop meanwhile;
 * (2) time and requests a second of the latest page of 500 indicators through the gateway and the campaigns service,
 * beside a static file of the same size in Node, and nginx in front of the campaigns service if it is installed;
 * (3) time of a member's list of IODs while 10,000 readers a minute open the latest page, and without readers.
 *
 *   npm run bench -- reports
 *
 * Aims: 20 s; 5 ms beyond the static file; 0.5 of nginx; p95 of the list 1.2 times that without readers. ROUNDS:
 * repetitions of (2) and (3), default 9.
 */
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { campaignsConfigSchema, createApp } from '@iodine/campaigns'
import {
  authInternal,
  campaignsApi,
  capturesInternal,
  type Evidence,
  evidenceInternal,
  type Iod,
  iodsInternal,
  reportSealsInternal,
  reportsApi,
} from '@iodine/contracts'
import { readConfig } from '@iodine/service-kit'
import { apiClient, newId, quantile, startServiceFixture } from '@iodine/test-kit'
import { ObjectId } from 'mongodb'
import { Pool } from 'undici'
import {
  atOnce,
  count,
  interleave,
  mapValues,
  rate,
  ratio,
  table,
  timed,
  timeInterleaved,
  whole,
} from './lib/measure.js'
import { startNginx, startPart, startUpstream, stopParts } from './lib/parts.js'
import { seedIods } from './lib/seed-iods.js'
import { startSession } from './lib/session.js'

const rounds = Number(process.env.ROUNDS ?? 9)
const INDICATORS = 10_000
const EXHIBITS = 100
const SHOWN = 500
const REQUESTS = 400
const ONE_BY_ONE = 100
const WIDTH = 16
const LISTED = 10_000
const LISTS = 200
const READERS_A_MINUTE = 10_000
const AT = '2026-11-20T10:00:00.000Z'
const HASH = 'ab'.repeat(32)

const fixture = await startServiceFixture()
const settings = {
  REPORTS: 'reviewed',
  REPORTS_CONTACT: 'desk@iodine.example',
  REPORTS_LEGAL_NOTICE: 'Example Institute',
  PUBLIC_URL: 'https://iodine.example',
}
const iods = new Map<string, Iod>()
const evidence = new Map<string, Evidence>()
fixture.answer(iodsInternal.getIods, ({ body }) => body.ids.flatMap(id => iods.get(id) ?? []))
fixture.answer(iodsInternal.stateIods, ({ body }) =>
  Object.fromEntries(body.ids.map(id => [id, { uid: id, confidence: null, since: AT, tlp: null }])),
)
fixture.answer(evidenceInternal.exportEvidence, ({ body }) => body.ids.flatMap(id => evidence.get(id) ?? []))
fixture.answer(authInternal.findQuotable, () => [])
fixture.answer(authInternal.checkAdmin, () => ({ is_admin: true }))
fixture.answer(capturesInternal.getCollectors, ({ body }) =>
  body.ids.map(id => ({ id, collector: 'bench/1' })),
)
fixture.answer(reportSealsInternal.sealReport, () => ({
  ...{ v: 1 as const, key_id: 'k', public_key: 'k', sig: 'c2ln' },
  seal: { seq: 0, manifest_hash: HASH, received_at: AT, salt: 's' },
  proof: { seq: 0, size: 1, leaf_hash: HASH, path: [] },
  checkpoint: { size: 1, root: HASH, at: AT, key_id: 'k', sig: 'c2ln' },
}))

const service = await createApp(
  readConfig(campaignsConfigSchema, { ...fixture.env, ...settings }),
  fixture.deps,
)
const url = await fixture.listen(service)
const [ana, root] = await Promise.all([fixture.user('ana'), fixture.user('root')])
const api = apiClient(url, ana.token)

/** Publishes a report of a new campaign. Resolves to its address and the milliseconds of its making. */
const publish = async (count: number, exhibits: number) => {
  const members = Array.from(
    { length: count },
    (_, n): Iod => ({
      ...{
        id: newId(),
        value: `copy-${n}.a-long-domain-name.example`,
        category: 'DOMAIN',
        description: 'seen',
      },
      ...{ source_type: 'MANUAL', source: null, source_id: null, created_at: AT, votes: [], comments: [] },
      ...{ created_by: 'ana', created_by_id: ana.id, created_by_username: 'ana' },
    }),
  )
  const seal = { seq: 4, manifest_hash: HASH, received_at: AT, salt: 's' }
  for (const iod of members) iods.set(iod.id, iod)
  const quotes = members.slice(0, exhibits).map(({ id: iod_id }) => {
    const piece = {
      ...{ id: newId(), iod_id, kind: 'capture', capture_id: newId(), role: 'dom', pointer: '' },
      ...{ start: 0, end: 4, exact: 'Read it here', prefix: '', suffix: '', relation: 'value', seal },
      ...{ url: 'https://page.example/', captured_at: AT, open: true, shared: true, created_by_id: ana.id },
      ...{ created_by_username: 'ana', created_at: AT },
    } as unknown as Evidence
    evidence.set(iod_id, piece)
    return piece.id
  })
  const { id: campaign } = await api.call(campaignsApi.createCampaign, { body: { name: 'Copies' } })
  const campaigns = service.mongo.collection('campaigns')
  const iod_ids = members.map(each => new ObjectId(each.id))
  await campaigns.updateOne({ _id: new ObjectId(campaign) }, { $set: { tlp: 0, iod_ids } })
  const { id } = await api.call(reportsApi.createReport, { params: { id: campaign } })
  const params = { id }
  const findings = Array.from({ length: Math.max(1, exhibits / 20) }, (_, n) => ({
    ...{ text: `Finding ${n}`, confidence: 'low' as const },
    evidence_ids: quotes.slice(n * 20, n * 20 + 20),
  }))
  const body = { title: 'Copies', summary: 'A summary', method: 'By hand', findings }
  await api.call(reportsApi.editReport, { params, body })
  const delay = monitorEventLoopDelay({ resolution: 5 })
  delay.enable()
  let slug = ''
  const ms = await timed(async () => {
    await api.call(reportsApi.handInReport, { params })
    for (;;) {
      const detail = await api.call(reportsApi.getReport, { params })
      if (detail.problem) throw new Error(detail.problem)
      slug = detail.slug
      if (detail.state === 'review') return
      await new Promise(resolve => setTimeout(resolve, 50))
    }
  })
  delay.disable()
  const admin = apiClient(url, root.token)
  const { sha256 } = await admin.call(reportsApi.getReviewPage, { params })
  await admin.call(reportsApi.approveReport, { params, body: { sha256 } })
  return { path: `/reports/${slug}`, ms, delay: delay.max / 1e6 }
}

const made = await publish(INDICATORS, EXHIBITS)
const { path } = await publish(SHOWN, EXHIBITS)
table(
  ['indicators', 'exhibits', 'made, s', 'largest delay of the event loop, ms'],
  [[whole(INDICATORS), String(EXHIBITS), (made.ms / 1_000).toFixed(1), made.delay.toFixed(0)]],
)

const page = await fetch(url + path, { headers: { 'accept-encoding': 'gzip' } })
const bytes = Number(page.headers.get('content-length'))
const html = await page.text()
console.log(`page: ${whole(Buffer.byteLength(html))} bytes, compressed ${whole(bytes)}`)

const session = await startSession()
const campaigns = await startPart('services/campaigns/dist/server.js', { ...fixture.env, ...settings })
const file = await startUpstream(bytes, session.jwks)
await seedIods(fixture.env.MONGODB_URI as string, LISTED, 'short')
const iodsUrl = await startPart('services/iods/dist/server.js', {
  ...fixture.env,
  ...session.env,
  MONGODB_PREFIX: 'iodine',
  AUTH_URL: file,
})
const gateway = await startPart('gateway/dist/server.js', {
  ...session.env,
  AUTH_URL: file,
  CAMPAIGNS_URL: campaigns,
  IODS_URL: iodsUrl,
  REPORT_REQUESTS_A_MINUTE: '1000000000',
})
const urls: Record<string, string> = { file, campaigns, gateway }
try {
  urls.nginx = await startNginx(campaigns)
} catch (error) {
  console.log((error as Error).message)
}
const pools = mapValues(urls, each => new Pool(each, { connections: WIDTH }))
const send = async (pool: Pool) => {
  const { statusCode, body } = await pool.request({
    path,
    method: 'GET',
    headers: { 'accept-encoding': 'gzip', accept: 'text/html' },
  })
  if (statusCode !== 200) throw new Error(`${statusCode}: ${await body.text()}`)
  await body.dump({ limit: 1_000_000 })
}
const alone = await timeInterleaved(
  rounds,
  mapValues(pools, pool => () => atOnce(ONE_BY_ONE, 1, () => send(pool))),
  1,
)
const busy = await timeInterleaved(
  rounds,
  mapValues(pools, pool => () => atOnce(REQUESTS, WIDTH, () => send(pool))),
  1,
)
table(
  ['latest page', 'one at a time, ms', `${WIDTH} at a time, 1/s`, 'rate ÷ static file', 'rate ÷ nginx'],
  Object.keys(urls).map(name => [
    name,
    ((alone[name] ?? 0) / ONE_BY_ONE).toFixed(2),
    rate(REQUESTS, busy[name] ?? 0),
    ratio(busy.file ?? 0, busy[name] ?? 0),
    busy.nginx === undefined ? '–' : ratio(busy.nginx, busy[name] ?? 0),
  ]),
)

const member = session.connect(gateway, 1)
/** Reads the list of IODs. Returns the duration of each request in milliseconds. */
const list = async (): Promise<number[]> => {
  const times: number[] = []
  for (let n = 0; n < LISTS; n++) times.push(await timed(() => member.get('/iods?limit=20')))
  return times
}
const listBesideReaders = async (): Promise<number[]> => {
  const readers: Promise<void>[] = []
  const arrivals = setInterval(() => readers.push(send(pools.gateway as Pool)), 60_000 / READERS_A_MINUTE)
  try {
    return await list()
  } finally {
    clearInterval(arrivals)
    await Promise.all(readers)
  }
}
const lists = await interleave(rounds, { none: list, some: listBesideReaders }, 1)
const p95 = mapValues(lists, times => quantile(times.flat(), 0.95))
table(
  ['list of IODs, p95', 'ms', 'ratio'],
  [
    ['without readers', count(p95.none), ''],
    [`${whole(READERS_A_MINUTE)} readers a minute`, count(p95.some), ratio(p95.some, p95.none)],
  ],
)
await member.close()
await Promise.all(Object.values(pools).map(pool => pool.close()))
stopParts()
await session.stop()
await fixture.stop()
