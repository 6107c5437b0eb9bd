import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { RECORD_SCHEMAS } from '@iodine/contracts'
import { describe, expect, it } from 'vitest'
import { readerOf } from '../src/formats/readers.js'

const samples = join(import.meta.dirname, 'samples')
const expectations = readdirSync(samples)
  .filter(name => name.endsWith('.expected.json'))
  .map(name => JSON.parse(readFileSync(join(samples, name), 'utf8')))
  .filter(({ format, file }) => (readerOf(format) && !/json[l]?$/.test(file)) || format === 'json-feed')

async function* chunked(bytes: Uint8Array, size: number) {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

const read = async (file: string, format: string, options: { file_time: string }, size: number) => {
  const records = []
  const skipped = []
  for await (const item of readerOf(format)?.(chunked(readFileSync(join(samples, file)), size), options) ??
    [])
    if ('skipped' in item) skipped.push({ at: item.line, reason: item.skipped })
    else records.push({ source: item.source, record: item.record, ...(item.also && { also: item.also }) })
  return { records, skipped }
}

describe.each(expectations)('$file', ({ file, format, options, records, report }) => {
  it('equals its expectation, however it is cut into chunks', async () => {
    for (const size of [1_000_000, 64, 1]) {
      expect(await read(file, format, options, size)).toEqual({ records, skipped: report.skipped })
    }
  })

  it('has records that their schemas accept', async () => {
    for (const { source, record } of (await read(file, format, options, 1_000_000)).records) {
      expect(RECORD_SCHEMAS[source].safeParse(record).error?.issues ?? []).toEqual([])
    }
  })
})
