import { type FoldedText, foldValue, foldWithOffsets } from '@iodine/contracts'
import { propertyRuns } from '@iodine/test-kit/runs'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createScanner, valueKey } from '../src'

const TEXTS = propertyRuns(20_000)

/** Reference implementation of the compared text: folds, collapses white space, and reports split characters. */
const naive = (text: string) => {
  const { folded, offsets }: FoldedText = foldWithOffsets(text)
  const units: string[] = []
  const at: number[] = []
  for (let n = 0; n < folded.length; n++) {
    const unit = folded.charAt(n)
    const isSpace = /\s/.test(unit)
    if (isSpace && units.at(-1) === ' ') continue
    units.push(isSpace ? ' ' : unit)
    at.push(n)
  }
  const isWhole = (n: number) => {
    const offset = at[n]
    return !offsets || offset === undefined || offset === 0 || offsets[offset] !== offsets[offset - 1]
  }
  return { compared: units.join(''), isWhole }
}

const SPACELESS =
  '\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Thai}\\p{Script=Lao}\\p{Script=Khmer}\\p{Script=Myanmar}'
const WORD = `(?![${SPACELESS}])[\\p{L}\\p{N}_]`
const PART = '[\\p{M}\\u200d]'
const OTHER = `(?!${PART})[^\\p{L}\\p{N}_\\s]`
const ENDS_IN_WORD = new RegExp(`${WORD}${PART}*$`, 'u')
const BEGINS_WITH_WORD = new RegExp(`^${WORD}`, 'u')
const BEGINS_WITH_PART = new RegExp(`^${PART}`, 'u')
/** Matches a zero width joiner at the end, after an emoji or alone. */
const ENDS_JOINING = new RegExp(`(?:^|\\s|${OTHER})${PART}*\\u200d$`, 'u')
const BEGINS_WITH_OTHER = new RegExp(`^${OTHER}`, 'u')

const isApart = (compared: string, at: number): boolean => {
  const before = compared.slice(0, at)
  const after = compared.slice(at)
  if (/[\ud800-\udbff]$/.test(before) && /^[\udc00-\udfff]/.test(after)) return false
  if (BEGINS_WITH_PART.test(after)) return false
  if (ENDS_JOINING.test(before) && BEGINS_WITH_OTHER.test(after)) return false
  return !(ENDS_IN_WORD.test(before) && BEGINS_WITH_WORD.test(after))
}

const comparedValue = (value: string) => naive(foldValue(value)).compared

/** Finds every occurrence of every value by brute force. */
const search = (text: string, values: readonly string[]): string[] => {
  const { compared, isWhole } = naive(text)
  return values.flatMap((value, key) => {
    const wanted = comparedValue(value)
    const found: string[] = []
    if (wanted.trim() === '') return found
    for (let at = compared.indexOf(wanted); at !== -1; at = compared.indexOf(wanted, at + 1)) {
      const end = at + wanted.length
      const isOccurrence = isApart(compared, at) && isApart(compared, end) && isWhole(at) && isWhole(end)
      if (isOccurrence) found.push(`${key} ${wanted}`)
    }
    return found
  })
}

const PIECES = [
  ...'aab1_ß.#@-:/ ',
  ...['word', 'Words', 'Éa', 'e\u0301', 'İ', 'Σ', 'ΟΔΟΣ', 'ǅ', 'ﬁ', '\u1100\u1161', 'كَتَبَ', 'हिन्दी', '１'],
  ...['疫', '苗', 'กำ', 'ひ', 'カ', '👩‍👩‍👧', '❤️', '🔥', '🇩🇪', '𝐀', '𐐀', '\ud800', '\u200d', '\u0301'],
  ...['\n', '  ', '\t ', '\u00a0', '\u00ad', '\u200b', '\ufeff', '\u200c', '<b>', 'https://a.example/'],
]
const text = (max: number) =>
  fc.array(fc.constantFrom(...PIECES), { minLength: 1, maxLength: max }).map(pieces => pieces.join(''))

/** Texts with values: substrings, substrings in another form, and random texts. */
const cases = text(40).chain(whole =>
  fc.record({
    text: fc.constant(whole),
    values: fc.array(
      fc.oneof(
        fc
          .tuple(fc.nat(whole.length), fc.nat(whole.length))
          .map(([a, b]) => whole.slice(Math.min(a, b), Math.max(a, b))),
        fc.nat(whole.length).map(at => whole.slice(at).toUpperCase().replace(/\s+/g, ' ')),
        text(4),
      ),
      { minLength: 1, maxLength: 8 },
    ),
  }),
)

test(`finds the occurrences of a brute-force search in ${TEXTS.numRuns} texts`, { tags: 'long' }, () => {
  fc.assert(
    fc.property(cases, ({ text, values }) => {
      const scanner = createScanner(values.length, n =>
        valueKey({ value: values[n] as string, category: 'SENTENCE' }),
      )
      const hits = scanner.scan(text)
      for (const { start, end, key } of hits)
        expect(naive(text.slice(start, end)).compared).toBe(comparedValue(values[key] as string))
      const found = hits.map(({ key }) => `${key} ${comparedValue(values[key] as string)}`)
      expect(found.sort()).toEqual(search(text, values).sort())
    }),
    TEXTS,
  )
})
