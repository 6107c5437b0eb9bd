/**
 * The canonical graph against the plain one: one account with TRIPLETS triplets in many spellings, clustered by the
 * product's own worker, read over HTTP in turns. Prints the time until the clusters are up to date as well, and
 * that of the list of canonical narratives.
 *
 *   npm run bench -- canonical-graph
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { startEmbeddedMongo } from '@iodine/embedded-mongo'
import { startTestStack } from '@iodine/harness'
import { narrativesConfigSchema } from '@iodine/narratives'
import { connectMongo, readConfig, rebuildPart, storeEntries } from '@iodine/service-kit'
import { seededRandom } from '@iodine/test-kit'
import { type Document, MongoClient, ObjectId } from 'mongodb'
import { request } from 'undici'
import { count, ratio, table, timed, timeInterleaved, whole } from './lib/measure.js'

const triplets = Number(process.env.TRIPLETS ?? 100_000)
const rounds = Number(process.env.ROUNDS ?? 7)
const PER_NARRATIVE = 50
const DAYS = 180
const SOURCES = 100
const DAY_MS = 86_400_000
const FIRST_DAY = Date.UTC(2026, 0, 1)

const random = seededRandom(1)
/** Skewed distribution: a few values are frequent, most are rare. */
const skewed = (many: number): number => Math.floor(many * random() ** 3)
const among = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T

/** An entity in one of its spellings. */
const entity = (): string => {
  const name = `group ${skewed(triplets / 20).toString(36)}x`
  return among([name, `the ${name}`, `The ${name}`, name.toUpperCase(), `${name}s`])
}
const STEMS = ['heat', 'warm', 'attack', 'protect', 'follow', 'test', 'count', 'watch', 'fill', 'hunt']
const verb = (): string => {
  const stem = among(STEMS)
  return `${among([stem, `${stem}s`, `${stem}ed`, `is ${stem}ing`, `did not ${stem}`, `may ${stem}`])} ${skewed(200)}`
}

const mongo = await startEmbeddedMongo({ isolate: 'process' })
const stack = await startTestStack({ env: { MONGODB_URI: mongo.uri, LOG_LEVEL: 'error' } })
const client = await new MongoClient(mongo.uri).connect()
try {
  const name = `${stack.prefix}_narratives`
  const db = client.db(name)
  const user = await stack.signUp()
  const user_id = new ObjectId(user.id)
  for (let made = 0; made < triplets; ) {
    const batch: Document[] = []
    for (let n = 0; n < 100 && made < triplets; n++, made += PER_NARRATIVE)
      batch.push({
        user_id,
        text: 'A text of the bench.',
        src: `https://source-${skewed(SOURCES)}.example/articles`,
        created_at: new Date(FIRST_DAY + Math.floor(random() * DAYS) * DAY_MS + 3_600_000),
        state: 'done',
        open_key: new ObjectId().toHexString(),
        triplets: Array.from({ length: PER_NARRATIVE }, (_, index) => ({
          id: made + index,
          subject: entity(),
          verb: verb(),
          object: entity(),
          cite: { start: 0, end: 20, score: 1 },
        })),
        link_keys: [],
        node_keys: [],
        graph: null,
        retries: 0,
      })
    await db.collection('narratives').insertMany(batch)
  }
  console.error('the rebuild …')
  await rebuildPart('narratives', readConfig(narrativesConfigSchema, stack.parts.narratives.env))
  console.error('the clusters …')
  const canon = db.collection('canon')
  const marked = { revision: 0, texts: 1, version: 0, method: 'offline' }
  const clustered = await timed(async () => {
    await canon.updateOne({ _id: user_id }, { $setOnInsert: marked }, { upsert: true })
    const connection = await connectMongo(mongo.uri, name)
    await storeEntries(connection, [{ kind: 'canon', payload: { id: user.id }, key: user.id }])
    await connection.close()
    while ((await canon.countDocuments({ _id: user_id, 'clustered.texts': 1 })) === 0) await sleep(200)
  })
  const members = await db.collection('canon_members').countDocuments({ user_id })
  console.log(
    `${whole(triplets)} triplets, ${whole(members)} labels in clusters of two or more, up to date after ${count(clustered / 1000)} s`,
  )

  const read = async (path: string) => {
    const { statusCode, body } = await request(`${stack.url}/api/v1${path}`, {
      headers: { authorization: `Bearer ${user.token}` },
      headersTimeout: 0,
    })
    let bytes = 0
    for await (const chunk of body) bytes += (chunk as Buffer).length
    if (statusCode !== 200) throw new Error(`the read was answered with ${statusCode}`)
    return bytes
  }
  // The plain graph is read from sums once they are built.
  await read('/graph/triplets?limit=5000')
  while ((await db.collection('summed').countDocuments({ _id: user_id, graph: { $ne: null } })) === 0)
    await sleep(500)
  const source = encodeURIComponent('https://source-10.example/articles')
  const reads = [
    ['everything', ''],
    ['the strongest 5,000 nodes', 'limit=5000'],
    ['one source', `source=${source}`],
    ['an entity', 'entity=group%201'],
  ] as const
  const rows: string[][] = []
  for (const [title, query] of reads) {
    const { plain, canonical } = await timeInterleaved(
      rounds,
      {
        plain: () => read(`/graph/triplets?${query}`),
        canonical: () => read(`/graph/triplets?canonical=true&${query}`),
      },
      1,
    )
    rows.push([title, count(plain), count(canonical), ratio(canonical, plain)])
  }
  table(['read', 'plain, ms', 'canonical, ms', 'ratio'], rows)
  const first = await timed(() => read('/narratives/canonical?limit=50'))
  const { again } = await timeInterleaved(rounds, { again: () => read('/narratives/canonical?limit=50') })
  console.log(`the list of canonical narratives: ${count(first)} ms at first, ${count(again)} ms after that`)
} finally {
  await client.close()
  await stack.stop()
  await mongo.stop()
}
