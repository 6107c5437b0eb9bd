import { foldText, type QuoteRelation } from '@iodine/contracts'
import { relationOf } from '@iodine/evidence'
import type { IodDoc } from '../../iods/models/iod.js'

const words = new Intl.Segmenter('und', { granularity: 'word' })
const wordsOf = (text: string): string[] =>
  Array.from(words.segment(foldText(text))).flatMap(({ segment, isWordLike }) => (isWordLike ? segment : []))

/**
 * Returns how a quote relates to an IOD; null for an unrelated quote, which cannot be its evidence. A sentence may
 * inflect the words of a triplet and separate them, so one common word is enough.
 */
export const quoteRelation = (
  { value, category }: Pick<IodDoc, 'value' | 'category'>,
  exact: string,
): QuoteRelation | null => {
  const relation = relationOf(exact, value)
  if (relation || category !== 'NARRATIVE_TRIPLET') return relation
  const quoted = new Set(wordsOf(exact))
  return wordsOf(value).some(word => quoted.has(word)) ? 'part' : null
}
