import { findFolded, refang, type TextRange, wholeCharacters } from '@iodine/contracts'

/** Maximum number of marks in one text. */
const MATCHES_MAX = 20
/** Maximum number of characters shown of a text: more than fit into a row. */
const SHOWN_MAX = 500
/** Maximum characters before the match of an excerpt, so that the narrowest row shows the match. */
const LEAD = 20
/** Characters before the match if no word begins within `LEAD`. Such a text may break after its ellipsis. */
const LEAD_IN_WORD = 8

/** Returns the ranges of a text that match `q`; if there are none, those that match the refanged `q`. */
export const findMatches = (text: string, q: string): TextRange[] => {
  const found = findFolded(text, q, MATCHES_MAX)
  return found.length > 0 ? found : findFolded(text, refang(q), MATCHES_MAX)
}

export interface Piece {
  text: string
  /** Offset in the whole text. */
  start: number
  isMatch: boolean
}

/** Returns whether the shown start of a text contains the first match. */
export const isNearStart = ([first]: readonly TextRange[]): boolean => !first || first[1] <= SHOWN_MAX

/** Returns the shown part of a text in pieces: from its start, or from offset `from`. An ellipsis marks each cut. */
export function cutPieces(text: string, matches: readonly TextRange[], from = 0): Piece[] {
  const to =
    text.length - from <= SHOWN_MAX ? text.length : wholeCharacters(text, [from, from + SHOWN_MAX])[1]
  const pieces: Piece[] = []
  const add = (start: number, end: number, isMatch: boolean) => {
    if (start < end) pieces.push({ text: text.slice(start, end), start, isMatch })
  }
  if (from > 0) pieces.push({ text: '…', start: -1, isMatch: false })
  let at = from
  for (const [start, end] of matches) {
    if (start < from || start >= to) continue
    add(at, start, false)
    add(start, Math.min(end, to), true)
    at = Math.min(end, to)
  }
  add(at, to, false)
  if (to < text.length) pieces.push({ text: '…', start: to, isMatch: false })
  return pieces
}

/** Returns the start of an excerpt around the first match: at a word, if one begins shortly before the match. */
export function excerptStart(text: string, [first]: readonly TextRange[]): number {
  if (!first || first[0] <= LEAD) return 0
  const [start] = wholeCharacters(text, [first[0] - LEAD, first[0]])
  const word = text.slice(start, first[0]).search(/(?<=\s)\S/)
  if (word !== -1) return start + word
  return wholeCharacters(text, [first[0] - LEAD_IN_WORD, first[0]])[0]
}
