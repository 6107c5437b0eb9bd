import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readAddresses } from '../src/formats/addresses-list.js'
import { readFeed } from '../src/formats/feeds/index.js'
import { TABLE_FORMATS } from '../src/formats/tables.js'
import { readWacz } from '../src/formats/wacz.js'
import { readTable } from '../src/tables/table.js'
import { decodeText, unixLines } from '../src/text/decode.js'

const samples = join(import.meta.dirname, 'samples')
const expectations = readdirSync(samples)
  .filter(name => name.endsWith('.expected.json'))
  .map(name => JSON.parse(readFileSync(join(samples, name), 'utf8')))

async function* once(bytes: Uint8Array) {
  yield bytes
}

const asBytes = (file: string) => once(readFileSync(join(samples, file)))
const others: Record<string, typeof readFeed> = { rss: readFeed, atom: readFeed, 'json-feed': readFeed }

describe('other samples', () => {
  it.each(expectations.filter(({ format }) => ['rss', 'atom', 'json-feed', 'wacz'].includes(format)))(
    '$file',
    async ({ file, format, options, records, report }) => {
      const rows =
        format === 'wacz'
          ? readWacz(asBytes(file), options)
          : (others[format]?.(decodeText(asBytes(file)), options) ?? [])
      const got = []
      const skipped = []
      for await (const item of rows) {
        if ('skipped' in item) skipped.push({ at: item.line, reason: item.skipped })
        else got.push({ source: item.source, record: item.record, ...(item.also && { also: item.also }) })
      }
      expect(got).toEqual(records)
      expect(skipped).toEqual(report.skipped)
    },
  )
})

describe('samples', () => {
  it.each(
    expectations.filter(
      ({ format, file }) => format === 'urls' || (format in TABLE_FORMATS && /csv|tsv$/.test(file)),
    ),
  )('$file', async ({ file, format, options, records, report }) => {
    const texts = unixLines(decodeText(once(readFileSync(join(samples, file))), options.encoding))
    const rows =
      format === 'urls'
        ? readAddresses(texts, options)
        : readTable(texts, TABLE_FORMATS[format as 'csv'], options)
    const got = []
    const skipped = []
    for await (const item of rows) {
      if ('skipped' in item) skipped.push({ at: item.line, reason: item.skipped })
      else got.push({ source: item.source, record: item.record, ...(item.also && { also: item.also }) })
    }
    expect(got).toEqual(records)
    expect(skipped).toEqual(report.skipped)
  })
})
