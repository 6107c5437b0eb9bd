import { findFolded, refang, type TextRange, wholeCharacters } from '@iodine/contracts'

/** Maximum number of marks in one text. */
const MATCHES_MAX = 20
/** Maximum characters shown of a text: more than a row has place for. */
const SHOWN_MAX = 500
/** Characters shown before the match of an excerpt: so few that the match is in view in the narrowest row. */
const LEAD = 20
/** The same where no word begins in them. Such a text may break after its ellipsis. */
const LEAD_IN_WORD = 8

/** Where a text has the searched one, else what that was before it was defanged. */
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

/** Whether the start of a text, as far as it is shown, has the first match. */
export const isNearStart = ([first]: readonly TextRange[]): boolean => !first || first[1] <= SHOWN_MAX

/**
 * The part of a text to show, in pieces: its start, or with `from` what begins there. An ellipsis stands where
 * the part is cut.
 */
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

/** Where an excerpt around the first match begins: at a word, if one begins shortly before the match. */
export function excerptStart(text: string, [first]: readonly TextRange[]): number {
  if (!first || first[0] <= LEAD) return 0
  const [start] = wholeCharacters(text, [first[0] - LEAD, first[0]])
  const word = text.slice(start, first[0]).search(/(?<=\s)\S/)
  if (word !== -1) return start + word
  return wholeCharacters(text, [first[0] - LEAD_IN_WORD, first[0]])[0]
}
