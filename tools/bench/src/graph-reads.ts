/**
 * Cost of reading a graph over HTTP against reading the same aggregates from the database with its driver:
 * one account with TRIPLETS triplets, the page's filters, with and without the browser's limit, in turns. The
 * product's rebuild makes the aggregates; its time is printed too.
 *
 *   npm run bench -- graph-reads
 */
import { startEmbeddedMongo } from '@iodine/embedded-mongo'
import { startTestStack } from '@iodine/harness'
import { createModels, rebuildGraph } from '@iodine/narratives'
import { connectMongo, prepareModels } from '@iodine/service-kit'
import { seededRandom } from '@iodine/test-kit'
import { type Document, MongoClient, ObjectId } from 'mongodb'
import { request } from 'undici'
import { count, inTurns, table, timed, whole } from './lib/measure.js'

const triplets = Number(process.env.TRIPLETS ?? 1_000_000)
const rounds = Number(process.env.ROUNDS ?? 3)
const PER_NARRATIVE = 100
const DAYS = 365
const SOURCES = 200
const ENTITIES = Math.max(10, Math.floor(triplets / 20))
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
  const user = await stack.signUp()
  const name = `${stack.prefix}_narratives`
  const db = client.db(name)
  const user_id = new ObjectId(user.id)

  let made = 0
  while (made < triplets) {
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
          subject: `Entity number ${skewed(ENTITIES)}`,
          verb: `verb ${skewed(VERBS)}`,
          object: `Entity number ${skewed(ENTITIES)}`,
        })),
        link_keys: [],
        graph: null,
        repairs: 0,
      })
      made += said
    }
    await db.collection('narratives').insertMany(batch)
  }
  const connection = await connectMongo(mongo.uri, name)
  const models = createModels(connection)
  await prepareModels(connection)
  const rebuild = await timed(() => rebuildGraph(models))
  await connection.close()
  const edges = db.collection('edges')
  console.log(
    `${whole(made)} triplets, ${whole(await edges.countDocuments({ user_id }))} aggregates, rebuilt in ${count(rebuild / 1000)} s`,
  )

  const straight = async (filter: Document) => {
    const cursor = edges.find({ user_id, ...filter }, { batchSize: 5_000 })
    let read = 0
    // Whole batches are the fastest way to read with the driver.
    while (await cursor.hasNext()) read += cursor.readBufferedDocuments().length
    return read
  }
  const over = async (query: string) => {
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
  ]
  const rows: string[][] = []
  // Warms up connections and code.
  await straight({ src: source })
  await over(`source=${encodeURIComponent(source)}`)
  for (const { name, query, filter } of reads) {
    console.error(`${name} …`)
    const search = new URLSearchParams(query).toString()
    let [selected, small, large] = [0, 0, 0]
    const took = await inTurns(rounds, {
      straight: async () => {
        selected = await straight(filter)
      },
      bounded: async () => {
        small = await over(`${search}&limit=5000`)
      },
      whole: async () => {
        large = await over(search)
      },
    })
    const megabytes = (bytes: number) => count(bytes / 1e6)
    rows.push([
      name,
      whole(selected),
      count(took.straight / 1000),
      count(took.bounded / 1000),
      count(took.bounded / took.straight),
      megabytes(small),
      count(took.whole / 1000),
      count(took.whole / took.straight),
      megabytes(large),
    ])
  }
  table(['read', 'aggregates', 'straight s', 'limit 5,000 s', 'ratio', 'MB', 'whole s', 'ratio', 'MB'], rows)
} finally {
  await client.close()
  await stack.stop()
  await mongo.stop()
}
