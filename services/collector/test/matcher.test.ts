import { propertyRuns } from '@iodine/test-kit/runs'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { createMatcher } from '../src/records/policies/matcher.js'

const part = fc.string({ unit: fc.constantFrom('a', 'b', '\uffff', '\0', '😀'), maxLength: 8 })

it('finds the terms that a text includes, and no others', async () => {
  const property = fc.asyncProperty(
    fc.array(part, { maxLength: 12 }),
    fc.array(part, { maxLength: 4 }),
    async (terms, texts) => {
      const match = await createMatcher(terms)
      const found = new Uint8Array(terms.length)
      for (const text of texts) match(text, found)
      const isIn = (term: string) => term !== '' && texts.some(text => text.includes(term))
      expect([...found]).toEqual(terms.map(term => Number(isIn(term))))
    },
  )
  await fc.assert(property, propertyRuns(4_000))
})

it('finds many long terms that share their beginnings and ends', async () => {
  const terms = Array.from({ length: 1_000 }, (_, n) => `${'https://site.example/'.repeat(5)}${n}/end`)
  const match = await createMatcher(terms)
  const found = new Uint8Array(terms.length)
  match(`x${terms[999]} ${terms[0]?.slice(1)}`, found)
  expect(found.reduce((sum, each) => sum + each)).toBe(1)
  expect(found[999]).toBe(1)
})
