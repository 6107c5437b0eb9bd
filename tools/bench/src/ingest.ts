/**
 * What handing in records costs beside a plain `insertMany` of the same documents, with the same indexes, on the same
 * database server. The product runs as `npm start` runs it; requests go through the gateway, batches of 500.
 *
 *   npm run bench -- ingest
 */
import type { Source } from '@iodine/contracts'
import { startEmbeddedMongo } from '@iodine/embedded-mongo'
import { startProduct } from '@iodine/harness'
import {
  blogArticle,
  NO_LIMITS,
  signUp,
  startMailCatcher,
  telegramPost,
  temporaryFolder,
  tiktokPost,
} from '@iodine/test-kit'
import { type Document, MongoClient, ObjectId } from 'mongodb'
import { atOnce, count, inTurns, table } from './lib/measure.js'

const SIZE = 500
const batches = Number(process.env.BATCHES ?? 8)
const rounds = Number(process.env.ROUNDS ?? 5)

const folder = temporaryFolder()
// A process of its own, as in `npm start`, but at an address that the other side knows too.
const server = await startEmbeddedMongo({ dataDir: folder.path, isolate: 'process' })
const mail = await startMailCatcher()
const product = await startProduct({ MONGODB_URI: server.uri, SMTP_URL: mail.url, ...NO_LIMITS })
const client = await new MongoClient(server.uri, { w: 'majority', journal: true }).connect()

const make = { tiktok: tiktokPost, telegram: telegramPost, blog: blogArticle }
const batch = (source: Source) => Array.from({ length: SIZE }, () => make[source]())
const insertAll = async (documents: Document[][], width: number) => {
  const plain = client.db('bench').collection('records')
  await atOnce(documents.length, width, index => plain.insertMany(documents[index] ?? []))
}

try {
  await client
    .db('bench')
    .collection('records')
    .createIndexes([
      { key: { user_id: 1, source: 1, key: 1 }, unique: true },
      { key: { user_id: 1, source: 1, created_at: -1, _id: -1 } },
    ])
  const rows: string[][] = []
  for (const [source, width] of [
    ['tiktok', 1],
    ['telegram', 1],
    ['blog', 1],
    ['tiktok', 4],
  ] as const) {
    const people = await Promise.all(Array.from({ length: width }, () => signUp({ url: product.url, mail })))
    /** Hands bodies in; at most one at a time for each person. */
    const handIn = async (bodies: string[]) => {
      const queue = [...bodies]
      await atOnce(bodies.length, width, async index => {
        const { status, body } = await people[index % width]!.api.send(
          'POST',
          `/${source}/data`,
          queue[index],
        )
        if (status !== 200 || body.results.some((result: object) => 'error' in result))
          throw new Error(`not taken: ${status}`)
      })
    }
    const bodies = () => Array.from({ length: batches }, () => JSON.stringify({ records: batch(source) }))
    await handIn(bodies())
    // As the collector service stores them, made from what it has stored, under a new owner each time.
    const [sample] = await client
      .db(
        (await client.db().admin().listDatabases()).databases.find(({ name }) => /_collector$/.test(name))
          ?.name,
      )
      .collection('records')
      .find({ source })
      .toArray()
    const stored = () =>
      Array.from({ length: batches }, () => {
        const user_id = new ObjectId()
        return batch(source).map((record, index) => ({
          ...sample,
          _id: new ObjectId(),
          user_id,
          key: `${sample?.key.slice(0, 38)}${index}`,
          data:
            'imageHashes' in record
              ? { ...record, imageHashes: Object.entries(record.imageHashes ?? {}) }
              : record,
        }))
      })
    await insertAll(stored(), width)
    const given = Array.from({ length: rounds }, () => ({ bodies: bodies(), documents: stored() }))
    const took = await inTurns(rounds, {
      ingest: round => handIn(given[round]?.bodies ?? []),
      insertMany: round => insertAll(given[round]?.documents ?? [], width),
    })
    const again = given[0]?.bodies ?? []
    const repeated = await inTurns(rounds, { ingest: () => handIn(again) })
    const rate = (ms: number) => (batches * SIZE) / (ms / 1000)
    rows.push([
      `${source}, ${width} at once (${count((again[0]?.length ?? 0) / SIZE)} bytes a record)`,
      count(rate(took.ingest)),
      count(rate(took.insertMany)),
      (took.insertMany / took.ingest).toFixed(2),
      count(rate(repeated.ingest)),
    ])
  }
  table(['records, 500 in a batch', 'ingest, 1/s', 'insertMany, 1/s', 'share', 'handed in again, 1/s'], rows)
} finally {
  await client.close()
  await product.stop()
  await mail.stop()
  await server.stop()
  folder.remove()
}
