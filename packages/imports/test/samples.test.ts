import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readMerged } from '../src/index.js'

const samples = join(import.meta.dirname, 'samples')
const expectations = readdirSync(samples)
  .filter(name => name.endsWith('.expected.json'))
  .map(name => JSON.parse(readFileSync(join(samples, name), 'utf8')))

describe('samples', () => {
  it.each(expectations)('$file', async ({ file, format, options, records, report }) => {
    const stream = new Blob([readFileSync(join(samples, file))]).stream()
    const items = readMerged(stream, { format }, options)
    const got = []
    let step = await items.next()
    for (; !step.done; step = await items.next()) {
      const { source, record, also } = step.value
      got.push({ source, record, ...(also && { also }) })
    }
    const { records: count, merged, joined, skipped, warnings } = step.value
    expect(got).toEqual(records)
    expect({ records: count, merged, joined, skipped, warnings }).toEqual({
      joined: 0,
      warnings: [],
      ...report,
    })
  })
})
