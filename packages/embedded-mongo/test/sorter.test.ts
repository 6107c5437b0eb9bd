import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Sorter } from '../src/storage/sorter.js'

const bytes = fc
  .uint8Array({ maxLength: 2_000, size: 'max' })
  .map(item => Buffer.from(item).toString('latin1'))
const longest = fc.constantFrom('', '\0', 'x'.repeat(65_535))

test('sorts items of any bytes and lengths, with any number of items in memory', { tags: 'long' }, () => {
  fc.assert(
    fc.property(
      fc.array(fc.oneof({ weight: 20, arbitrary: bytes }, longest), { maxLength: 200, size: 'max' }),
      fc.integer({ min: 1, max: 250 }),
      (items, most) => {
        const all = [...items, ...items.slice(0, 3)]
        const sorter = new Sorter(most)
        try {
          for (const item of all) sorter.add(item)
          expect([...sorter.sorted()]).toEqual(all.sort())
        } finally {
          sorter.close()
        }
      },
    ),
    { numRuns: 50 },
  )
})
