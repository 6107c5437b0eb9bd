import { foldValue, HASHTAG_SIGNS } from '@iodine/contracts'
import { propertyRuns } from '@iodine/test-kit'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { foldKey } from '../src/iods/policies/names.js'
import { keysOf } from '../src/iods/queries/lookup-iods.js'

it('a folded value has the lookup keys of the IODs that it matches, also of hashtags', () => {
  const text = fc.tuple(fc.constantFrom('', ...HASHTAG_SIGNS), fc.string({ unit: 'binary' }))
  const property = fc.property(text, ([sign, rest]) => {
    const folded = foldValue(sign + rest)
    const keys = ['', 'HASHTAGS'].map(category => foldKey({ category, value: folded }))
    expect(new Set(keysOf(folded))).toEqual(new Set(keys))
  })
  fc.assert(property, propertyRuns(2_000))
})
