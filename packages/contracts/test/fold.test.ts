import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import {
  findFolded,
  foldIod,
  foldLabel,
  foldText,
  foldValue,
  foldWithOffsets,
  isFilled,
  matchKeys,
} from '../src/index.js'

/** Unicode's table, full and not Turkic. */
const CASE_FOLDING = new Map(
  readFileSync(new URL('case-folding.txt', import.meta.url), 'utf8')
    .split('\n')
    .filter(line => /^[0-9a-f]/.test(line))
    .map(line => line.split(' ').map(hex => String.fromCodePoint(Number.parseInt(hex, 16))))
    .map(([from = '', ...to]) => [from, to.join('')]),
)

it('folds every character as CaseFolding.txt does, Cherokee to the other case', () => {
  expect(CASE_FOLDING.size).toBe(1_557)
  const others: unknown[] = []
  for (let point = 0x20; point < 0x20000; point++) {
    const character = String.fromCodePoint(point)
    // Skips ignored characters and lone surrogates. Later versions of Unicode assign further characters.
    if (!character.isWellFormed() || foldText(character) === '') continue
    const isKnown = CASE_FOLDING.has(character) || character === character.toLowerCase()
    if (!isKnown && !/\p{Script=Cherokee}/u.test(character)) continue
    const wanted = [...character.normalize('NFC')].map(each => CASE_FOLDING.get(each) ?? each).join('')
    const folded = /\p{Script=Cherokee}/u.test(character) ? foldText(wanted) : wanted.normalize('NFC')
    if (foldText(character) !== folded) others.push([point.toString(16), foldText(character), folded])
  }
  expect(others).toEqual([])
})

it('folds idempotently, and each character independently of its neighbours', () => {
  const parts = [
    ...'aßẞΣσςΟıIİiſKŉǰΐᾳﬃ𐐀𝔸Ꭰ한 \u00ad\u200b\u200c\u200d',
    'e\u0301',
    'J\u030c',
    'ς\u0301',
    '👩\u200d🚀',
  ]
  let seed = 1
  const next = (n: number) => {
    seed = (seed * 48_271) % 0x7fffffff
    return seed % n
  }
  const others: string[][] = []
  for (let round = 0; round < 5_000; round++) {
    const text = Array.from({ length: 1 + next(8) }, () => parts[next(parts.length)] ?? '')
    const folded = foldText(text.join(''))
    const whole = text.join('')
    const isSame =
      foldText(folded) === folded &&
      text.map(foldText).join('').normalize('NFC') === folded &&
      foldWithOffsets(whole).folded === folded &&
      foldValue(foldValue(whole)) === foldValue(whole)
    if (!isSame) others.push(text)
  }
  expect(others).toEqual([])
})

it.each([
  ['plain', 'Abc 😀 É', undefined],
  ['combining marks', 'xe\u0301Y', [0, 1, 3, 4]],
  ['a letter that grows', 'aİB', [0, 1, 1, 2, 3]],
  ['a final sigma', 'e\u0301ΟΣ', [0, 2, 3, 4]],
  ['a sharp s among other words', 'ab aße', [0, 1, 2, 3, 4, 4, 5, 6]],
  ['a soft hyphen', 'a\u00adb', [0, 2, 3]],
  ['as many growing letters as removed ones', 'ß\u00ada', [0, 0, 2, 3]],
  ['nothing', '', undefined],
])('folds %s as foldText, with the offsets of its characters', (_, text, offsets) => {
  expect(foldWithOffsets(text)).toEqual({ folded: foldText(text), ...(offsets && { offsets }) })
})

it.each([
  ['Η ΠΡΟΣΒΟΛΗ', 'προσ', 'ΠΡΟΣ'],
  ['Η ΠΡΟΣΒΟΛΗ', 'ΠΡΟΣ', 'ΠΡΟΣ'],
  ['οδος μας', 'ΟΔΟΣ', 'οδος'],
  ['Die Straße', 'STRASSE', 'Straße'],
  ['MASSE', 'maße', 'MASSE'],
  ['die Des\u00adin\u00adfor\u00adma\u00adtion', 'desinformation', 'Des\u00adin\u00adfor\u00adma\u00adtion'],
  ['von \u2068Ana\u2069 Lou', 'ana lou', 'Ana\u2069 Lou'],
])('finds in %j the text %j', (text, term, found) => {
  expect(findFolded(text, term).map(([start, end]) => text.slice(start, end))).toEqual([found])
})

it.each([
  ['a final sigma', 'ΟΔΟΣ', 'οδος', 'οδοσ'],
  ['a sharp s', 'Straße', 'STRASSE', 'STRAẞE', 'strasse'],
  ['letters that combine', 'J\u030cEZ', 'ǰez', 'j\u030cez'],
  ['zero-width characters at its ends', '\u200bfoo\ufeff', '\u2060foo\u200d', 'foo\u200c', 'foo'],
  [
    'marks of direction',
    '\u200efoo bar\u200f',
    '\u2068foo\u2069 bar',
    '\u202bfoo bar\u202c',
    'foo bar\u202e',
    'foo bar',
  ],
  ['soft hyphens', 'Des\u00adinformation', 'desinformation'],
  ['white space and fillers', '\u3164foo\u2800\u00a0', '\u3000foo\u0085', 'foo'],
])('treats values that differ only by %s as equal', (_, ...values) => {
  expect([...new Set(values.map(foldValue))]).toHaveLength(1)
  expect([...new Set(values.map(foldLabel))]).toHaveLength(1)
})

it.each([
  ['a joiner that a script needs', 'می\u200cخواهم', 'میخواهم'],
  ['joined emoji', '👩\u200d🚀', '👩🚀'],
  ['an override that reverses it', '\u202eabc', 'abc'],
  ['accents', 'côté', 'cote'],
  ['a dotless i', 'ı', 'i'],
  ['full-width letters', 'ＡＢＣ', 'abc'],
])('distinguishes values that differ by %s', (_, one, other) => {
  expect(foldValue(one)).not.toBe(foldValue(other))
})

it('ignores the sign of hashtags', () => {
  const fold = (value: string) => foldIod({ category: 'HASHTAGS', value })
  for (const value of ['＃Odos', '#ODOS', '\u200f#odos', '##odos', '﹟ odos', '#\u200bodos', 'ODOS\u200e'])
    expect([value, fold(value)]).toEqual([value, 'odos'])
  expect(fold('＃می\u200cخواهم\u200c')).toBe('می\u200cخواهم')
  expect(fold('＃')).toBe('＃')
  expect(matchKeys('＃ΟΔΟΣ')).toEqual(['=＃οδοσ', '#οδοσ'])
})

it('treats a text as filled if it has a visible character', () => {
  for (const blank of ['', ' \n', '\u200b', '\u200e\u2800', '\u3164', '\u00ad\ufeff'])
    expect(isFilled(blank)).toBe(false)
  for (const filled of ['a', '👩\u200d🚀', '.', '\u0301']) expect(isFilled(filled)).toBe(true)
})
