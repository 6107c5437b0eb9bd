import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isLongTier, propertyRuns } from '@iodine/test-kit/runs'
import fc from 'fast-check'
import Papa from 'papaparse'
import { describe, expect, it } from 'vitest'
import { TABLE_FORMATS } from '../src/formats/tables.js'
import { read } from '../src/index.js'

const samples = join(import.meta.dirname, 'samples')
const tables = readdirSync(samples)
  .filter(name => name.endsWith('.expected.json'))
  .map(name => JSON.parse(readFileSync(join(samples, name), 'utf8')))
  .filter(({ format, file }) => Object.hasOwn(TABLE_FORMATS, format) && /\.[ct]sv$/.test(file))
  .map(expected => {
    const text = readFileSync(join(samples, expected.file), 'utf8').replace(/^\ufeff/, '')
    return { ...expected, rows: Papa.parse<string[]>(text, { skipEmptyLines: true }).data }
  })

const limits = isLongTier ? { timeout: 3_600_000 } : {}

const cell = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 20 }),
  fc.integer({ min: -10, max: 2e9 }).map(String),
  fc.bigInt({ min: 0n, max: 2n ** 64n }).map(String),
  fc.webUrl(),
  fc.constantFrom(
    ...[
      '',
      'None',
      '1.9E+18',
      '7572027344082567891',
      '1763000000',
      '2025-11-13 02:13:20',
      'yes',
      'no',
      'True',
    ],
    ...[
      "['a', 'b']",
      '[{"type": "photo"}]',
      '[{',
      '{}',
      'null',
      '__proto__',
      '=1+1',
      '\ud800',
      'a\0b',
      '-12',
      'x-12',
    ],
    ...[
      'https://t.me/lanternay_example/12',
      'https://x.com/a/status/12',
      'https://t.co/a',
      'https://a:b@c.example/',
    ],
  ),
)

describe.each(tables)('rows of $file', ({ format, options, rows }) => {
  it('yield a record or a reason each, whatever they contain', limits, async () => {
    const [header = [], ...known] = rows as string[][]
    // A row of the sample, of which some cells are replaced, or a row of other cells.
    const changed = fc
      .tuple(
        fc.constantFrom(...known),
        fc.array(fc.tuple(fc.nat({ max: header.length - 1 }), cell), { maxLength: 6 }),
      )
      .map(([row, changes]) => row.map((each, at) => changes.find(([column]) => column === at)?.[1] ?? each))
    const row = fc.oneof(changed, fc.array(cell, { minLength: 1, maxLength: header.length + 2 }))
    const property = fc.asyncProperty(fc.array(row, { maxLength: 5 }), async made => {
      // Blank rows are left out.
      const written = made
        .map(cells => ['x', ...cells])
        .map(cells => (cells.length > 2 ? cells.slice(1) : cells))
      const kept = written.filter(cells => cells.some(each => each.replaceAll('\0', '').trim() !== ''))
      const text = Papa.unparse([header, ...kept], { newline: '\n', quotes: true })
      let items = 0
      for await (const item of read(new Blob([`${text}\n`]).stream(), { format }, options)) {
        items += 1
        expect('record' in item || 'skipped' in item).toBe(true)
      }
      expect(items).toBe(kept.length)
    })
    await fc.assert(property, propertyRuns(isLongTier ? 1_000 : 80))
  })
})
