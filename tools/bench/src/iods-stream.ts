/**
 * Memory used to stream the whole list of IODs, with 100,000 against 1,000, each in a product of its own on
 * the embedded database.
 *
 *   npm run bench -- iods-stream
 */
import { startWatchedProduct } from '@iodine/harness'
import { median } from '@iodine/test-kit'
import { request } from 'undici'
import { startBed } from './lib/bed.js'
import { count, table, whole } from './lib/measure.js'
import { seedIods } from './lib/seed-iods.js'

const SIZES = [1_000, 100_000]
const HALTS = 20

/**
 * Reads and discards the whole list, with pauses to force a garbage collection in the product's process.
 * Resolves to the memory retained beyond the start, in megabytes.
 */
const stream = async (total: number) => {
  const bed = await startBed(startWatchedProduct, {
    fill: uri => seedIods(uri, total),
  })
  try {
    const { token } = await bed.signUp()
    const live = async () => {
      const { heap, buffers } = await bed.product.memoryInUse()
      return (heap + buffers) / 2 ** 20
    }
    const read = async (every: number, halt: () => Promise<void>) => {
      let bytes = 0
      const { body } = await request(`${bed.url}/api/v1/iods`, {
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
      whole(total),
      count(bytes / 2 ** 20),
      count(before),
      count(median(held.slice(0, quarter))),
      count(median(held.slice(-quarter))),
      count(Math.max(...held)),
    ]
  } finally {
    await bed.stop()
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
