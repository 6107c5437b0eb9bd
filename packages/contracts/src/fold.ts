import { graphemes } from './characters.js'

/*
 * Folding: the one form by which texts are compared, in services and browsers, for search, unique keys, labels of the
 * graph, highlights, likeness and quotes. Folded texts are stored: a change of these rules needs migrations.
 */

/**
 * Invisible characters without visible effect: soft hyphen, zero width space, word joiner, byte order mark, invisible
 * operators, and marks of direction. Excludes the joiners (U+200C, U+200D), which change letters and emoji, and the
 * overrides (U+202D, U+202E), which reverse text.
 */
const IGNORED_CHARACTERS =
  /[\u00ad\u061c\u180e\u200b\u200e\u200f\u202a-\u202c\u2060-\u2064\u2066-\u2069\ufeff]/
const ALL_IGNORED = new RegExp(IGNORED_CHARACTERS, 'g')
/** Folding only lowers the case of such a text. */
const PRINTABLE_ASCII = /^[ -~\n]*$/

/**
 * Folds case by Unicode's CaseFolding.txt, full and not Turkic (C and F): `ß` is `ss`, `ς` is `σ`, `İ` is `i̇`, `ı` is
 * unchanged. `toLowerCase` alone makes the sigma depend on the letters around it. The lower case of the upper case is
 * the folding, with two exceptions. The capital of `ı` is that of `i`. Cherokee folds to small letters, in Unicode to
 * capitals: the same texts are equal.
 */
const foldCase = (text: string): string =>
  text
    .split('ı')
    .map(part => part.toLowerCase().toUpperCase().toLowerCase())
    .join('ı')
    .replaceAll('ς', 'σ')

/**
 * Folds text for comparison: ignores case, Unicode normalization form (NFC) and invisible characters. White space,
 * accents, and compatibility forms such as full-width letters are significant. Idempotent; a text folds to its
 * characters' folds.
 */
export const foldText = (text: string): string =>
  PRINTABLE_ASCII.test(text)
    ? text.toLowerCase()
    : foldCase(text.normalize('NFC').replace(ALL_IGNORED, '')).normalize('NFC')

/** Returns whether folding keeps the offset of each UTF-16 unit. */
const keepsOffsets = (text: string): boolean => {
  if (IGNORED_CHARACTERS.test(text) || text.normalize('NFC') !== text) return false
  const folded = foldCase(text)
  // Folding never shortens a character.
  return folded.length === text.length && folded.normalize('NFC') === folded
}

/** Joiners, combining grapheme joiner, fillers and the blank of Braille: invisible at an end of a text. */
const BLANK_AT_ENDS = /^(?:[\s\p{Cc}\u115f\u1160\u200c\u2800\u3164\uffa0]|\u034f|\u200d)$/u
const isBlank = (unit: string): boolean => BLANK_AT_ENDS.test(unit) || IGNORED_CHARACTERS.test(unit)
/** Returns whether a unit is invisible at the end of a text: also an override, which reverses the text after it. */
const isBlankLast = (unit: string): boolean => isBlank(unit) || /[\u202d\u202e]/.test(unit)

/**
 * Returns the text without invisible characters at its ends: white space, controls, zero-width and directional marks.
 */
export const trimBlank = (text: string): string => {
  let start = 0
  let end = text.length
  while (end > 0 && isBlankLast(text.charAt(end - 1))) end -= 1
  while (start < end && isBlank(text.charAt(start))) start += 1
  return text.slice(start, end)
}

/** Returns true if the text has a visible character. */
export const isFilled = (value: string): boolean => trimBlank(value) !== ''

/** Folds and trims an IOD value for comparison. */
export const foldValue = (value: string): string => foldText(trimBlank(value))

/** The signs of hashtags: number sign, small and full-width number sign. */
export const HASHTAG_SIGNS = '#﹟＃'
const SIGNS = new RegExp(`^[${HASHTAG_SIGNS}]+`)

/** Returns a folded value without the sign of a hashtag; a value of signs only is unchanged. */
export const foldHashtag = (value: string): string => {
  const folded = foldValue(value)
  return trimBlank(folded.replace(SIGNS, '')) || folded
}

interface Valued {
  category: string
  value: string
}

/** Folds the value of an IOD for comparison within its category: the signs of a hashtag are ignored. */
export const foldIod = ({ category, value }: Valued): string =>
  category === 'HASHTAGS' ? foldHashtag(value) : foldValue(value)

/** Returns the key by which an IOD is found: an IOD matches a value if its key is one of the value's `matchKeys`. */
export const matchKey = (iod: Valued): string => `${iod.category === 'HASHTAGS' ? '#' : '='}${foldIod(iod)}`

/** Returns the keys of the IODs that a value matches. */
export const matchKeys = (value: string): string[] => [`=${foldValue(value)}`, `#${foldHashtag(value)}`]

/** Folds a part of a label, with each run of white space as one space. */
export const foldWords = (part: string): string => foldText(part).replace(/\s+/g, ' ')

/** Compares texts by their UTF-16 code units: the order is independent of the locale. */
export const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

/** Returns the label part of a graph node's id: folded and trimmed. */
export const foldLabel = (label: string): string => foldWords(trimBlank(label))

/** Returns the id of the graph's node with a label. */
export const nodeIdOf = (type: 'entity' | 'verb', label: string): string => `${type}:${foldLabel(label)}`

export interface FoldedText {
  /** The text as `foldText` folds it. */
  folded: string
  /**
   * For each UTF-16 unit of `folded`, the offset of its character in the text; last, the text's length. Absent
   * if the offsets are equal.
   */
  offsets?: number[]
}

/** Folds a text and maps offsets back to the text: folding changes lengths. */
export function foldWithOffsets(text: string): FoldedText {
  if (keepsOffsets(text)) return { folded: foldText(text) }
  const parts: string[] = []
  const offsets: number[] = []
  let start = 0
  // Most words keep their offsets; segmenting the others is slow.
  for (const word of text.split(/(?<=\s)/)) {
    if (keepsOffsets(word)) {
      parts.push(foldText(word))
      for (let unit = 0; unit < word.length; unit += 1) offsets.push(start + unit)
    } else
      for (const { segment, index } of graphemes.segment(word)) {
        const part = foldText(segment)
        parts.push(part)
        for (let unit = 0; unit < part.length; unit += 1) offsets.push(start + index)
      }
    start += word.length
  }
  offsets.push(text.length)
  return { folded: parts.join(''), offsets }
}

/** Range [start, end) of a text. */
export type TextRange = readonly [start: number, end: number]

/** Returns the range of the whole characters of `text` that a range touches. */
export const wholeCharacters = (text: string, [start, end]: TextRange): TextRange => {
  const segments = graphemes.segment(text)
  const last = segments.containing(end - 1)
  return [segments.containing(start)?.index ?? start, last ? last.index + last.segment.length : end]
}

/**
 * Returns the ranges of a text that match a term, both folded, as the services search: at most `max`, in order, without
 * overlaps. A match within a character covers the whole character. Returns none for an empty term.
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
