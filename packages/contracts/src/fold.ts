import { graphemes } from './characters.js'

/*
 * Folding: the one form by which texts are compared, in services and browsers, for search, unique keys, labels of the
 * graph, highlights, likeness and quotes. Folded texts are stored: a change of these rules needs migrations.
 */

/**
 * Characters that a reader does not see, and that change nothing which the reader sees: soft hyphen, zero width space,
 * word joiner, byte order mark, invisible operators, and marks of direction. Not the joiners (U+200C, U+200D), which
 * change letters and emoji, and not the overrides (U+202D, U+202E), which turn the text around.
 */
const IGNORED_CHARACTERS =
  /[\u00ad\u061c\u180e\u200b\u200e\u200f\u202a-\u202c\u2060-\u2064\u2066-\u2069\ufeff]/
const ALL_IGNORED = new RegExp(IGNORED_CHARACTERS, 'g')

/**
 * Folds case as Unicode's CaseFolding.txt does, full and not Turkic (C and F): `ß` is `ss`, `ς` is `σ`, `İ` is `i̇`, `ı`
 * stays. `toLowerCase` alone makes the sigma depend on the letters around it. Upper and lower case of a text give its
 * folding but for `ı`, whose capital is that of `i`, and for Cherokee, which Unicode folds to capitals; here to small
 * letters, which makes the same texts equal.
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
  foldCase(text.normalize('NFC').replace(ALL_IGNORED, '')).normalize('NFC')

/** Whether the text is as long folded as it is, unit by unit. */
const keepsOffsets = (text: string): boolean => {
  if (IGNORED_CHARACTERS.test(text) || text.normalize('NFC') !== text) return false
  const folded = foldCase(text)
  // Folding never shortens a character.
  return folded.length === text.length && folded.normalize('NFC') === folded
}

/** Joiners, combining grapheme joiner, fillers and the blank of Braille: nothing is seen of them at an end. */
const BLANK_AT_ENDS = /^(?:[\s\p{Cc}\u115f\u1160\u200c\u2800\u3164\uffa0]|\u034f|\u200d)$/u
const isBlank = (unit: string): boolean => BLANK_AT_ENDS.test(unit) || IGNORED_CHARACTERS.test(unit)
/** An override turns what follows it around. */
const isBlankLast = (unit: string): boolean => isBlank(unit) || /[\u202d\u202e]/.test(unit)

/** The text without what a reader does not see at its ends: white space, controls, zero-width and directional marks. */
export const trimBlank = (text: string): string => {
  let start = 0
  let end = text.length
  while (end > 0 && isBlankLast(text.charAt(end - 1))) end -= 1
  while (start < end && isBlank(text.charAt(start))) start += 1
  return text.slice(start, end)
}

/** True if a reader sees a character of the text. */
export const isFilled = (value: string): boolean => trimBlank(value) !== ''

/** Folds and trims an IOD value for comparison. */
export const foldValue = (value: string): string => foldText(trimBlank(value))

/** The signs of hashtags: number sign, small and full-width number sign. */
export const HASHTAG_SIGNS = '#﹟＃'
const SIGNS = new RegExp(`^[${HASHTAG_SIGNS}]+`)

/** A folded value without the sign of a hashtag; a value of signs alone stays. */
const foldHashtag = (value: string): string => {
  const folded = foldValue(value)
  return trimBlank(folded.replace(SIGNS, '')) || folded
}

interface Valued {
  category: string
  value: string
}

/** Folds the value of an IOD for comparison within its category: a leading # does not tell two hashtags apart. */
export const foldIod = ({ category, value }: Valued): string =>
  category === 'HASHTAGS' ? foldHashtag(value) : foldValue(value)

/** The key by which an IOD is found: an IOD has a value if its key is one of the value's `matchKeys`. */
export const matchKey = (iod: Valued): string => `${iod.category === 'HASHTAGS' ? '#' : '='}${foldIod(iod)}`

/** The keys of the IODs that a value matches. */
export const matchKeys = (value: string): string[] => [`=${foldValue(value)}`, `#${foldHashtag(value)}`]

/** Folds a part of a label: as text, with white space as one space. */
export const foldWords = (part: string): string => foldText(part).replace(/\s+/g, ' ')

/** Label part of a graph node's id: folded and trimmed. */
export const foldLabel = (label: string): string => foldWords(trimBlank(label))

/** The id of the graph's node with a label. */
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

/** Folds a text, and keeps the way back to the text: folding changes lengths. */
export function foldWithOffsets(text: string): FoldedText {
  if (keepsOffsets(text)) return { folded: foldText(text) }
  const parts: string[] = []
  const offsets: number[] = []
  let start = 0
  // Most words keep their offsets; to find the characters of the others takes long.
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
