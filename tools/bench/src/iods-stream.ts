/**
 * The memory that streaming the whole list of IODs takes, with 100,000 of them beside 1,000, each in a product of its own
 * on the embedded database.
 *
 *   npm run bench -- iods-stream
 */
import { startEmbeddedMongo } from '@iodine/embedded-mongo'
import { startWatchedProduct } from '@iodine/harness'
import { median, NO_LIMITS, signUp, startMailCatcher, temporaryFolder } from '@iodine/test-kit'
import { MongoClient } from 'mongodb'
import { request } from 'undici'
import { count, table } from './lib/measure.js'
import { seedIods } from './lib/seed-iods.js'

const SIZES = [1_000, 100_000]
const HALTS = 20

/**
 * Reads the whole list and throws it away, halting on the way to have the product's process collect its garbage: what
 * it then still holds beyond what it held before, in megabytes.
 */
const stream = async (total: number) => {
  const folder = temporaryFolder()
  const mongo = await startEmbeddedMongo({ dataDir: folder.path, isolate: 'process' })
  const client = await new MongoClient(mongo.uri).connect()
  await seedIods(client.db('iodine_iods'), total)
  await client.close()
  const mail = await startMailCatcher()
  const product = await startWatchedProduct({
    MONGODB_URI: mongo.uri,
    SMTP_URL: mail.url,
    ...NO_LIMITS,
  })
  try {
    const { token } = await signUp({ url: product.url, mail })
    const live = async () => {
      const { heap, buffers } = await product.memoryInUse()
      return (heap + buffers) / 2 ** 20
    }
    const read = async (every: number, halt: () => Promise<void>) => {
      let bytes = 0
      const { body } = await request(`${product.url}/api/v1/iods`, {
        headers: { authorization: `Bearer ${token}` },
      })
      for await (const chunk of body) {
        const before = Math.floor(bytes / every)
        bytes += (chunk as Buffer).length
        if (Math.floor(bytes / every) > before) await halt()
      }
      return bytes
    }
    const bytes = await read(Number.POSITIVE_INFINITY, async () => {})
    const before = await live()
    const held: number[] = []
    await read(bytes / HALTS, async () => void held.push((await live()) - before))
    const quarter = held.length / 4
    return [
      total.toLocaleString('en'),
      count(bytes / 2 ** 20),
      count(before),
      count(median(held.slice(0, quarter))),
      count(median(held.slice(-quarter))),
      count(Math.max(...held)),
    ]
  } finally {
    await product.stop()
    await mail.stop()
    await mongo.stop()
    folder.remove()
  }
}

const rows: string[][] = []
for (const size of SIZES) rows.push(await stream(size))
table(
  [
    'IODs streamed',
    'answer, MB',
    'live before, MB',
    'more in the first quarter, MB',
    'in the last, MB',
    'at most, MB',
  ],
  rows,
)
