import { foldText } from './vocabulary.js'

export interface FoldedText {
  /** The text as `foldText` folds it. */
  folded: string
  /**
   * For each UTF-16 unit of `folded`, the offset of its character in the text; last, the text's length. Absent
   * if the offsets are equal.
   */
  offsets?: number[]
}

const graphemes = /* @__PURE__ */ new Intl.Segmenter('und', { granularity: 'grapheme' })

/** Folds a text, and keeps the way back to the text: folding changes lengths. */
export function foldWithOffsets(text: string): FoldedText {
  const folded = foldText(text)
  if (text.length === folded.length && isNfc(text) && isNfc(text.toLowerCase())) return { folded }
  const parts: string[] = []
  const offsets: number[] = []
  for (const { segment, index } of graphemes.segment(text)) {
    const part = foldText(segment)
    parts.push(part)
    for (let unit = 0; unit < part.length; unit += 1) offsets.push(index)
  }
  offsets.push(text.length)
  // The parts have the same lengths within the whole, where a final sigma folds differently.
  return { folded: offsets.length === folded.length + 1 ? folded : parts.join(''), offsets }
}

const isNfc = (text: string) => text.normalize('NFC') === text
