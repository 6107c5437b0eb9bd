/**
 * Cost of reading a graph over HTTP against reading the same aggregates from the database with its driver:
 * one account with TRIPLETS triplets, the page's filters, with and without the browser's limit, in turns. The
 * product's rebuild makes the aggregates, its outbox the sums; their times are printed too. A second account
 * with SMALL triplets shows how bounded reads grow with the graph.
 *
 *   npm run bench -- graph-reads
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { startEmbeddedMongo } from '@iodine/embedded-mongo'
import { startTestStack } from '@iodine/harness'
import { narrativesConfigSchema } from '@iodine/narratives'
import { readConfig, rebuildPart } from '@iodine/service-kit'
import { seededRandom } from '@iodine/test-kit'
import { type Document, MongoClient, ObjectId } from 'mongodb'
import { request } from 'undici'
import { count, table, timed, timeInterleaved, whole } from './lib/measure.js'

const triplets = Number(process.env.TRIPLETS ?? 1_000_000)
const small = Number(process.env.SMALL ?? 10_000)
const rounds = Number(process.env.ROUNDS ?? 3)
const PER_NARRATIVE = 100
const DAYS = 365
const SOURCES = 200
const VERBS = 2_000
const DAY_MS = 86_400_000
const FIRST_DAY = Date.UTC(2025, 0, 1)

const random = seededRandom(1)
/** Skewed distribution: a few values are frequent, most are rare. */
const skewed = (many: number): number => Math.floor(many * random() ** 3)

const mongo = await startEmbeddedMongo({ isolate: 'process' })
const stack = await startTestStack({ env: { MONGODB_URI: mongo.uri, LOG_LEVEL: 'error' } })
const client = await new MongoClient(mongo.uri).connect()
try {
  const name = `${stack.prefix}_narratives`
  const db = client.db(name)
  const edges = db.collection('edges')

  /** A new account with as many triplets, not counted yet. */
  const fill = async (triplets: number) => {
    const user = await stack.signUp()
    const user_id = new ObjectId(user.id)
    const entities = Math.max(10, Math.floor(triplets / 20))
    for (let made = 0; made < triplets; ) {
      const batch: Document[] = []
      for (let n = 0; n < 100 && made < triplets; n++) {
        const said = Math.min(PER_NARRATIVE, triplets - made)
        batch.push({
          user_id,
          text: 'A text of the bench.',
          src: `https://source-${skewed(SOURCES)}.example/articles`,
          created_at: new Date(FIRST_DAY + Math.floor(random() * DAYS) * DAY_MS + 3_600_000),
          state: 'done',
          open_key: new ObjectId().toHexString(),
          triplets: Array.from({ length: said }, (_, index) => ({
            id: made + index,
            subject: `Entity number ${skewed(entities)}`,
            verb: `verb ${skewed(VERBS)}`,
            object: `Entity number ${skewed(entities)}`,
            cite: null,
          })),
          link_keys: [],
          node_keys: [],
          graph: null,
          retries: 0,
        })
        made += said
      }
      await db.collection('narratives').insertMany(batch)
    }
    return { user, user_id }
  }
  const accounts = { large: await fill(triplets), small: await fill(small) }
  const { user_id } = accounts.large
  console.error('the rebuild …')
  const config = readConfig(narrativesConfigSchema, stack.parts.narratives.env)
  const rebuild = await timed(() => rebuildPart('narratives', config))
  console.error('the sums …')
  const summed = await timed(async () => {
    const [users, summed] = [Object.values(accounts).map(({ user_id }) => user_id), db.collection('summed')]
    while ((await summed.countDocuments({ _id: { $in: users }, graph: { $ne: null } })) < users.length)
      await sleep(500)
  })
  console.log(
    `${whole(triplets)} triplets, ${whole(await edges.countDocuments({ user_id }))} aggregates, rebuilt in ${count(rebuild / 1000)} s; ${whole(await db.collection('sums').countDocuments({ user_id }))} sums, built in ${count(summed / 1000)} s`,
  )

  const straight = async (filter: Document) => {
    const cursor = edges.find({ user_id, ...filter }, { batchSize: 5_000 })
    let read = 0
    // Whole batches are the fastest way to read with the driver.
    while (await cursor.hasNext()) read += cursor.readBufferedDocuments().length
    return read
  }
  const over = async (query: string, { user } = accounts.large) => {
    const { statusCode, body } = await request(`${stack.url}/api/v1/graph/triplets?${query}`, {
      headers: { authorization: `Bearer ${user.token}` },
      headersTimeout: 0,
    })
    let bytes = 0
    for await (const chunk of body) bytes += (chunk as Buffer).length
    if (statusCode !== 200) throw new Error(`the read was answered with ${statusCode}`)
    return bytes
  }
  const day = (n: number) => new Date(FIRST_DAY + n * DAY_MS)
  const source = 'https://source-150.example/articles'
  const within = { start_date: day(100).toISOString(), end_date: new Date(+day(130) - 1).toISOString() }
  const reads: { name: string; query: Record<string, string>; filter: Document }[] = [
    { name: 'everything', query: {}, filter: {} },
    { name: '30 days', query: within, filter: { day: { $gte: day(100), $lt: day(130) } } },
    { name: 'one source', query: { source }, filter: { src: source } },
    {
      name: 'an entity',
      query: { entity: 'number 1234' },
      filter: {
        $or: [{ subject_key: { $regex: 'number 1234' } }, { object_key: { $regex: 'number 1234' } }],
      },
    },
    { name: 'a verb', query: { verb: 'verb 77' }, filter: { verb_key: { $regex: 'verb 77' } } },
    {
      name: 'two characters',
      query: { verb: '77' },
      filter: { verb_key: { $regex: '77' } },
    },
  ]
  const rows: string[][] = []
  // Warms up connections and code.
  await straight({ src: source })
  await over(`source=${encodeURIComponent(source)}`)
  for (const { name, query, filter } of reads) {
    console.error(`${name} …`)
    const search = new URLSearchParams(query).toString()
    let [selected, bounded, all] = [0, 0, 0]
    const took = await timeInterleaved(rounds, {
      straight: async () => {
        selected = await straight(filter)
      },
      bounded: async () => {
        bounded = await over(`${search}&limit=5000`)
      },
      whole: async () => {
        all = await over(search)
      },
    })
    const megabytes = (bytes: number) => count(bytes / 1e6)
    rows.push([
      name,
      whole(selected),
      count(took.straight / 1000),
      count(took.bounded / 1000),
      count(took.bounded / took.straight),
      megabytes(bounded),
      count(took.whole / 1000),
      count(took.whole / took.straight),
      megabytes(all),
    ])
  }
  table(['read', 'aggregates', 'straight s', 'limit 5,000 s', 'ratio', 'MB', 'whole s', 'ratio', 'MB'], rows)

  const bounds: string[][] = []
  for (const limit of [100, 1_000, 5_000]) {
    let [few, many] = [0, 0]
    const took = await timeInterleaved(rounds * 3, {
      small: async () => {
        few = await over(`limit=${limit}`, accounts.small)
      },
      large: async () => {
        many = await over(`limit=${limit}`)
      },
    })
    bounds.push([
      whole(limit),
      count(took.small),
      count(few / 1e6),
      count(took.large),
      count(many / 1e6),
      count(took.large / took.small),
    ])
  }
  table(
    [
      'limit, no filter',
      `${whole(small)} triplets, ms`,
      'MB',
      `${whole(triplets)} triplets, ms`,
      'MB',
      'ratio',
    ],
    bounds,
  )
} finally {
  await client.close()
  await stack.stop()
  await mongo.stop()
}
