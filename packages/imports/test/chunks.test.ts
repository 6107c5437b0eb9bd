import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { RECORD_SCHEMAS } from '@iodine/contracts'
import { gzipSync } from 'fflate'
import { describe, expect, it } from 'vitest'
import { type Answers, read } from '../src/index.js'

const samples = join(import.meta.dirname, 'samples')
const expectations = readdirSync(samples)
  .filter(name => name.endsWith('.expected.json'))
  .map(name => JSON.parse(readFileSync(join(samples, name), 'utf8')))

/** Reads bytes in chunks of one size. */
const readChunks = async (bytes: Uint8Array, format: string, options: Answers, size: number) => {
  let at = 0
  const stream = new ReadableStream<Uint8Array>({
    pull(controller) {
      if (at >= bytes.length) return controller.close()
      controller.enqueue(bytes.subarray(at, at + size))
      at += size
    },
  })
  const items = []
  for await (const item of read(stream, { format }, options)) items.push(item)
  return items
}

describe.each(expectations)('$file', ({ file, format, options }) => {
  const bytes = readFileSync(join(samples, file))

  it('gives the same items, however it is cut into chunks', async () => {
    const whole = await readChunks(bytes, format, options, bytes.length)
    for (const size of [1, 64]) expect(await readChunks(bytes, format, options, size)).toEqual(whole)
  })

  it('gives the same items packed by gzip', async () => {
    if (format === 'wacz') return
    const whole = await readChunks(bytes, format, options, bytes.length)
    expect(await readChunks(gzipSync(bytes), format, options, 100)).toEqual(whole)
  })

  it('gives records that their schemas accept', async () => {
    for (const item of await readChunks(bytes, format, options, 1_000))
      if ('record' in item)
        expect(RECORD_SCHEMAS[item.source].safeParse(item.record).error?.issues ?? []).toEqual([])
  })
})
