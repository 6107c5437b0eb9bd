import { foldText, type QuoteRelation } from '@iodine/contracts'
import { relationOf } from '@iodine/evidence'
import type { IodDoc } from '../../iods/models/iod.js'

const words = new Intl.Segmenter('und', { granularity: 'word' })
const wordsOf = (text: string): string[] =>
  Array.from(words.segment(foldText(text))).flatMap(({ segment, isWordLike }) => (isWordLike ? segment : []))

/**
 * How quoted words and an IOD relate; null if they do not, and the quote may not be its evidence. A sentence
 * says a triplet with other words in between and in other forms: one word in common is enough.
 */
export const quoteRelation = (
  { value, category }: Pick<IodDoc, 'value' | 'category'>,
  exact: string,
): QuoteRelation | null => {
  const relation = relationOf(exact, value)
  if (relation || category !== 'NARRATIVE_TRIPLET') return relation
  const said = new Set(wordsOf(exact))
  return wordsOf(value).some(word => said.has(word)) ? 'part' : null
}
