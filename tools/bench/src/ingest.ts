/**
 * Cost of ingesting records against a plain `insertMany` of the same documents, with the same indexes, on the
 * same database server. The product runs as with `npm start`; requests go through the gateway in batches of
 * 500.
 *
 *   npm run bench -- ingest
 */
import type { Source } from '@iodine/contracts'
import { startProduct } from '@iodine/harness'
import { blogArticle, telegramPost, tiktokPost } from '@iodine/test-kit'
import { type Document, ObjectId } from 'mongodb'
import { startBed } from './lib/bed.js'
import { atOnce, count, rate, ratio, table, timeInterleaved } from './lib/measure.js'

const SIZE = 500
const batches = Number(process.env.BATCHES ?? 8)
const rounds = Number(process.env.ROUNDS ?? 5)

const bed = await startBed(startProduct)
const plain = bed.client.db('bench').collection('records')

const make = { tiktok: tiktokPost, telegram: telegramPost, blog: blogArticle }
const batch = (source: Source) => Array.from({ length: SIZE }, () => make[source]())
const insertAll = (documents: Document[][], width: number) =>
  atOnce(documents.length, width, index => plain.insertMany(documents[index] ?? []))

try {
  await plain.createIndexes([
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
    const people = await Promise.all(Array.from({ length: width }, bed.signUp))
    /** Posts bodies, at most one at a time per user. */
    const handIn = async (bodies: string[]) => {
      await atOnce(bodies.length, width, async index => {
        const { status, body } = await people[index % width]!.api.send(
          'POST',
          `/${source}/data`,
          bodies[index],
        )
        if (status !== 200 || body.results.some((result: object) => 'error' in result))
          throw new Error(`not taken: ${status}`)
      })
    }
    const bodies = () => Array.from({ length: batches }, () => JSON.stringify({ records: batch(source) }))
    await handIn(bodies())
    // Documents as the collector service stores them: copies of a stored one, under a new owner each time.
    const sample = await bed.client.db('iodine_collector').collection('records').findOne({ source })
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
    const took = await timeInterleaved(rounds, {
      ingest: round => handIn(given[round]?.bodies ?? []),
      insertMany: round => insertAll(given[round]?.documents ?? [], width),
    })
    const again = given[0]?.bodies ?? []
    const repeated = await timeInterleaved(rounds, { ingest: () => handIn(again) })
    const records = batches * SIZE
    rows.push([
      `${source}, ${width} at once (${count((again[0]?.length ?? 0) / SIZE)} bytes a record)`,
      rate(records, took.ingest),
      rate(records, took.insertMany),
      ratio(took.insertMany, took.ingest),
      rate(records, repeated.ingest),
    ])
  }
  table(['records, 500 in a batch', 'ingest, 1/s', 'insertMany, 1/s', 'share', 'handed in again, 1/s'], rows)
} finally {
  await bed.stop()
}
