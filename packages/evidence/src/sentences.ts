import { sentenceSegmenter } from '@iodine/contracts'

/** A sentence of a text: UTF-16 offsets without surrounding white space. */
export interface Sentence {
  start: number
  end: number
}

/** Maximum length of a sentence. Longer ones are split: a text without full stops needs short citations, too. */
const SENTENCE_MAX = 500

/** Abbreviations, whose full stop usually ends no sentence. */
const ABBREVIATIONS = new Set(
  (
    'mr mrs ms dr prof sr jr st gen col lt capt sgt rep sen gov rev hon vs inc ltd co corp no nos vol fig pp al ca cf approx ' +
    'dept est mme mlle bzw nr usw evtl jan feb mar apr jun jul aug sep sept oct nov dec'
  ).split(' '),
)
/** Words that begin sentences, but no names: one after 'Vitamin B.' or 'Example Co.' begins a new sentence. */
const SENTENCE_STARTERS = new Set(
  (
    'a an and as at but by for from he her his how i if in it its of on or our she so that the their then there these they ' +
    'this those to we what when while who with you le la les un une il elle ils elles en et mais der die das ein eine er sie es im am und'
  ).split(' '),
)

const LAST_WORD = /(\p{L}+)\.\s*$/u
const FIRST_WORD = /^["'“‘«([]*(\p{L}+)/u
const IS_INITIAL = /^\p{Lu}$/u

/** Returns whether the full stop at the end of a segment belongs to an initial or an abbreviation. */
const endsInAbbreviation = (segment: string, next: string): boolean => {
  const [, word = ''] = LAST_WORD.exec(segment.slice(-20)) ?? []
  if (!IS_INITIAL.test(word) && !ABBREVIATIONS.has(word.toLowerCase())) return false
  const [, follows = ''] = FIRST_WORD.exec(next) ?? []
  return !SENTENCE_STARTERS.has(follows.toLowerCase())
}

/** Matches a line break at the end that no mark of a sentence's or heading's end precedes. */
const LINE = /[^\s.!?…。！？:;|][^\S\n]*\r?\n[^\S\n]*$/u
const LOWER = /^\p{Ll}/u

/** Matches the end of a sentence before a number: UAX #29 does not break there if lower-case letters follow. */
const BEFORE_NUMBER = /(\p{L}{3,})[.!?]["'”’»)]*\s+(?=\p{Sc}?\p{N})/gu

/** Splits a text into the segments of UAX #29, and before numbers. */
const segmentsOf = (text: string): { start: number; words: string }[] => {
  const found: { start: number; words: string }[] = []
  for (const { segment, index } of sentenceSegmenter.segment(text)) {
    let from = 0
    for (const match of segment.matchAll(BEFORE_NUMBER)) {
      if (ABBREVIATIONS.has((match[1] ?? '').toLowerCase())) continue
      const to = match.index + match[0].length
      found.push({ start: index + from, words: segment.slice(from, to) })
      from = to
    }
    found.push({ start: index + from, words: segment.slice(from) })
  }
  return found
}

/** Splits a long sentence after white space, or within a word that is too long, never within a character. */
const splitLong = (text: string, start: number, end: number): Sentence[] => {
  const parts: Sentence[] = []
  let from = start
  while (end - from > SENTENCE_MAX) {
    const space = text.slice(from, from + SENTENCE_MAX).search(/\s\S*$/)
    let to = from + (space > 0 ? space + 1 : SENTENCE_MAX)
    if (/[\ud800-\udbff]/.test(text.charAt(to - 1))) to -= 1
    parts.push({ start: from, end: to })
    from = to
  }
  return [...parts, { start: from, end }]
}

/** Splits a text into sentences by UAX #29, abbreviations and wrapped lines; long sentences are split again. */
export const sentencesOf = (text: string): Sentence[] => {
  const joined: Sentence[] = []
  let before = ''
  for (const { start, words } of segmentsOf(text)) {
    const last = joined.at(-1)
    const isWrapped = LINE.test(before.slice(-20)) && LOWER.test(words)
    if (last && (isWrapped || endsInAbbreviation(before, words))) last.end = start + words.length
    else joined.push({ start, end: start + words.length })
    before = words
  }
  return joined
    .flatMap(({ start, end }) => splitLong(text, start, end))
    .flatMap(({ start, end }) => {
      const words = text.slice(start, end)
      const trimmed = words.trim()
      if (trimmed === '') return []
      const from = start + words.indexOf(trimmed)
      return { start: from, end: from + trimmed.length }
    })
}
