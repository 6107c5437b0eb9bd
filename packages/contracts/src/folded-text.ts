import { graphemes } from './characters.js'
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

/** Range [start, end) of a text. */
export type TextRange = readonly [start: number, end: number]

/** The whole characters of `text` that the range touches. */
export const wholeCharacters = (text: string, [start, end]: TextRange): TextRange => {
  const segments = graphemes.segment(text)
  const last = segments.containing(end - 1)
  return [segments.containing(start)?.index ?? start, last ? last.index + last.segment.length : end]
}

/**
 * Where a text has another one, compared folded, as the services search: at most `max` ranges in their order,
 * which do not overlap. A part of a character counts as the character. None for an empty term.
 */
export function findFolded(text: string, term: string, max = Number.POSITIVE_INFINITY): TextRange[] {
  const wanted = foldText(term)
  // Most texts have no match: offsets are found for the others alone, as they take longer.
  if (wanted === '' || !foldText(text).includes(wanted)) return []
  const { folded, offsets } = foldWithOffsets(text)
  const offsetOf = (unit: number) => offsets?.[unit] ?? unit
  const found: TextRange[] = []
  let at = folded.indexOf(wanted)
  while (at !== -1 && found.length < max) {
    const end = at + wanted.length
    const range = wholeCharacters(text, [offsetOf(at), offsetOf(end - 1) + 1])
    if (range[0] >= (found.at(-1)?.[1] ?? 0)) found.push(range)
    at = folded.indexOf(wanted, end)
  }
  return found
}

const isNfc = (text: string) => text.normalize('NFC') === text
