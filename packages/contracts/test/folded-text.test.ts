import { expect, it } from 'vitest'
import { foldText, foldWithOffsets } from '../src/index.js'

it.each([
  ['plain', 'Abc 😀 É', undefined],
  ['combining marks', 'xe\u0301Y', [0, 1, 3, 4]],
  ['a letter that grows', 'aİB', [0, 1, 1, 2, 3]],
  ['a final sigma', 'e\u0301ΟΣ', [0, 2, 3, 4]],
  ['nothing', '', undefined],
])('folds %s as foldText, with the offsets of its characters', (_, text, offsets) => {
  expect(foldWithOffsets(text)).toEqual({ folded: foldText(text), ...(offsets && { offsets }) })
})
