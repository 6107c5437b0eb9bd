/**
 * Analyses with 1,000,000 compared with 1,000 IODs over the API, on the embedded database, and of 20,000 own records.
 * Each size has a separate product started like `npm start`; both alternate. Also prints the duration of the first
 * read of all IODs.
 *
 *   npm run bench -- analytics
 *
 * `SMALL`, `LARGE` and `RECORDS` replace the sizes, `ROUNDS` the measured requests of each row.
 */
import { collectorApi, recordAnalyticsApi } from '@iodine/contracts'
import { startApp } from '@iodine/harness'
import { platformPost, tiktokPost } from '@iodine/test-kit'
import { MongoClient } from 'mongodb'
import { Agent, request } from 'undici'
import { whenIdle } from './lib/cpu.js'
import { count, ratio, table, timed, timeInterleaved, whole } from './lib/measure.js'
import { seedIods } from './lib/seed-iods.js'
import { startTestServer } from './lib/test-server.js'

const sizes = { small: Number(process.env.SMALL ?? 1_000), large: Number(process.env.LARGE ?? 1_000_000) }
const owned = Number(process.env.RECORDS ?? 20_000)
const rounds = Number(process.env.ROUNDS ?? 15)
const DAY_MS = 24 * 3_600_000
const BATCH = 500
const DAYS = 365
const POLL_MS = 500

const dayOf = (time: number) => new Date(time).toISOString().slice(0, 10)
const now = Date.now()
const YEAR = `from=${dayOf(now - (DAYS - 1) * DAY_MS)}&to=${dayOf(now)}`
const MONTH = `from=${dayOf(now - 29 * DAY_MS)}&to=${dayOf(now)}`

/** Fills the database with IODs whose votes are counted: the service would count them during the measurement. */
const fill = async (uri: string, total: number): Promise<void> => {
  await seedIods(uri, total, 'unsearched')
  const client = await new MongoClient(uri).connect()
  const [begun_at, up_to] = [new Date(), new Date()]
  await client
    .db('iodine_iods')
    .collection<{ _id: number }>('covote_builds')
    .insertOne({ _id: 1, begun_at, up_to, batch: null, live: true } as never)
  await client.close()
}

const startSide = async (total: number) => {
  const server = await startTestServer(startApp, { fill: uri => fill(uri, total) })
  const { token, api } = await server.signUp()
  const agent = new Agent({ connections: 4 })
  const send = async (path: string) => {
    const answer = await request(`${server.url}/api/v1/analytics/${path}`, {
      dispatcher: agent,
      headers: { authorization: `Bearer ${token}` },
    })
    return { status: answer.statusCode, body: await answer.body.text() }
  }
  return {
    api,
    /** Sends until the answer is no 503: the service reads all IODs first. */
    async first(path: string) {
      while ((await send(path)).status === 503) await new Promise(resolve => setTimeout(resolve, POLL_MS))
    },
    async get(path: string) {
      const { status, body } = await send(path)
      if (status !== 200) throw new Error(`GET ${path}: ${status} ${body}`)
    },
    async stop() {
      await agent.close()
      await server.stop()
    },
  }
}

const small = await startSide(sizes.small)
const large = await startSide(sizes.large)
for (const [name, side] of Object.entries({ small, large })) {
  const read = async (what: string, path: string) =>
    console.log(`First answer, ${name}, ${what}: ${count(await timed(() => side.first(path)))} ms`)
  await read('a month', `iods?${MONTH}`)
  await read('a year', `iods?${YEAR}`)
}
// After a start, the services count IODs and usages.
console.log(`Idle after the start: ${count((await timed(whenIdle)) / 1_000)} s later`)

const rows: string[][] = []
const compare = async (what: string, path: string) => {
  const took = await timeInterleaved(
    rounds,
    { small: () => small.get(path), large: () => large.get(path) },
    2,
  )
  rows.push([what, count(took.small), count(took.large), ratio(took.large, took.small)])
}
await compare('IODs of 30 days', `iods?${MONTH}&compare=true`)
await compare('IODs of a year', `iods?${YEAR}&compare=true`)
await compare('IODs of a year and a category, in a zone', `iods?${YEAR}&category=URL&zone=Asia/Kathmandu`)
await compare('own IODs of a year', `iods?${YEAR}&mine=true`)
await compare('values of a year', `values?${YEAR}&compare=true`)
await compare('votes of a year', `votes?${YEAR}&compare=true`)
await compare('campaigns of a year', `campaigns?${YEAR}`)
table(['analysis, ms', `${whole(sizes.small)} IODs`, `${whole(sizes.large)} IODs`, 'ratio'], rows)

for (let sent = 0; sent < owned; sent += BATCH) {
  const source = sent % (2 * BATCH) === 0 ? 'tiktok' : 'post'
  const record = (n: number) =>
    source === 'tiktok' ? tiktokPost({ hashtags: [`tag${n % 40}`] }) : platformPost({ language: 'fr' })
  const records = Array.from({ length: Math.min(BATCH, owned - sent) }, (_, n) => record(n))
  await small.api.call(collectorApi.ingestRecords, { params: { source }, body: { records } })
}
const measureRecords = async (when: string) => {
  const read = () => small.get(`records?${YEAR}&compare=true`)
  const { records } = await timeInterleaved(rounds, { records: read }, 2)
  console.log(`Analysis of ${whole(owned)} own records, ${when}: ${count(records)} ms`)
}
await measureRecords('just stored')
const countPending = async () => {
  const query = { from: dayOf(now), to: dayOf(Date.now()) }
  const { novelties } = await small.api.call(recordAnalyticsApi.analyzeRecords, { query })
  return novelties.find(({ novelty }) => novelty === 'pending')?.n
}
const waited = await timed(async () => {
  while ((await countPending()) !== 0) await new Promise(resolve => setTimeout(resolve, POLL_MS))
})
console.log(`All compared with IODs ${count(waited / 1_000)} s later`)
// Changes of the last 90 s are read again.
await new Promise(resolve => setTimeout(resolve, 95_000))
await measureRecords('stored before')

await small.stop()
await large.stop()
