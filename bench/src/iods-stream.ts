/**
 * The memory that streaming the whole list of IODs takes, with 100,000 of them beside 1,000, each in a product of its own
 * on the embedded database.
 *
 *   npm run bench -- iods-stream
 */
import { request } from 'undici'
import { type Side, startSide } from './lib/iods-side.js'
import { count, median, table } from './lib/measure.js'
import { inspectMemory, pidListeningOn } from './lib/process-memory.js'

const SIZES = [1_000, 100_000]

/**
 * Reads the whole list and throws it away, halting twenty times to have the product's process collect its garbage: what
 * it then still holds beyond what it held before, in megabytes.
 */
const stream = async ({ product, token, total }: Side) => {
  const memory = await inspectMemory(pidListeningOn(Number(new URL(product.url).port)))
  const read = async (halt: () => Promise<void>, every: number) => {
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
  const bytes = await read(async () => {}, Number.POSITIVE_INFINITY)
  const before = await memory.live()
  const held: number[] = []
  await read(async () => void held.push((await memory.live()) - before), bytes / 20)
  memory.close()
  const quarter = held.length / 4
  return [
    total.toLocaleString('en'),
    count(bytes / 2 ** 20),
    count(before),
    count(median(held.slice(0, quarter))),
    count(median(held.slice(-quarter))),
    count(Math.max(...held)),
  ]
}
const rows: string[][] = []
for (const size of SIZES) {
  const side = await startSide(size)
  rows.push(await stream(side))
  await side.stop()
}
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
