import { foldIod, type Iod } from '@iodine/contracts'
import { ComparedText, EMPTY_HASH, mix } from './compared-text.js'

/** Hashes by which a value is found in texts, without the value itself. */
export interface ValueKey {
  /** Two hashes of the value's compared form, and its length in UTF-16 units. */
  first: number
  second: number
  length: number
  /**
   * Hash of the value's anchor: its longest pair of neighbouring words, or its only word; for a value without letters
   * and numbers its first character.
   */
  anchor: number
  /** Units before the anchor. */
  lead: number
}

const SINGLE = mix(EMPTY_HASH, 1)
const PAIR = mix(EMPTY_HASH, 2)
/** Returns the anchor of a single word. */
export const anchorOf = (word: number): number => mix(SINGLE, word)
/** Returns the anchor of two neighbouring words, independent of the punctuation between them. */
export const pairAnchorOf = (word: number, next: number): number => mix(mix(PAIR, word), next)

const compared = new ComparedText()

/** Returns an IOD's key; undefined for a value that cannot occur in a text, such as white space. */
export const valueKey = (iod: Pick<Iod, 'value' | 'category'>): ValueKey | undefined => {
  compared.read(foldIod(iod))
  const { hashes, length, words, wordStart, wordLength, wordHash, isStrong } = compared
  if (words === 0) return undefined
  let anchor = anchorOf(wordHash[0] as number)
  let lead = wordStart[0] as number
  let longest = 0
  let previous = -1
  for (let n = 0; n < words; n++) {
    if (!isStrong[n]) continue
    if (previous < 0) {
      anchor = anchorOf(wordHash[n] as number)
      lead = wordStart[n] as number
    } else {
      const both = (wordLength[previous] as number) + (wordLength[n] as number)
      if (both > longest) {
        longest = both
        anchor = pairAnchorOf(wordHash[previous] as number, wordHash[n] as number)
        lead = wordStart[previous] as number
      }
    }
    previous = n
  }
  return { first: hashes.first(0, length), second: hashes.second(0, length), length, anchor, lead }
}
