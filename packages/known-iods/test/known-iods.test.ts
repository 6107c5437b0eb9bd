import type { Iod } from '@iodine/contracts'
import { expect, test } from 'vitest'
import { createKnownIods } from '../src'
import { iod } from './fixtures'

/** Returns the pieces as text with the values of their IODs: 'a [b|beta]'. */
const marked = (text: string, iods: Iod[]) => {
  const pieces = createKnownIods(iods).split(text)
  expect(pieces.map(piece => piece.text).join('')).toBe(text)
  return pieces
    .map(piece =>
      piece.iods.length ? `[${piece.text}|${piece.iods.map(found => found.value).join('+')}]` : piece.text,
    )
    .join('')
}

test.each([
  ['nothing known', 'alpha beta', [], 'alpha beta'],
  ['a phrase, in any case', 'An Alpha Beta', ['alpha BETA'], 'An [Alpha Beta|alpha BETA]'],
  ['repeated values', 'beta, beta', ['beta'], '[beta|beta], [beta|beta]'],
  [
    'overlapping values',
    'alpha beta gamma',
    ['alpha beta', 'beta gamma'],
    '[alpha |alpha beta][beta|alpha beta+beta gamma][ gamma|beta gamma]',
  ],
  [
    'a value inside another',
    'the hidden hand',
    ['hidden', 'the hidden hand'],
    '[the |the hidden hand][hidden|the hidden hand+hidden][ hand|the hidden hand]',
  ],
  ['occurrences that overlap themselves', 'na na na', ['na na'], '[na na na|na na]'],
  ['long values inside words', 'vaccines', ['vaccine'], '[vaccine|vaccine]s'],
  [
    'no parts of words beside whole ones',
    'vaccines, a vaccine',
    ['vaccine'],
    'vaccines, a [vaccine|vaccine]',
  ],
  [
    'values that white space breaks',
    'giant\n  mirrors',
    ['giant mirrors'],
    '[giant\n  mirrors|giant mirrors]',
  ],
  ['values with invisible signs between', 'vac\u00adcine', ['vaccine'], '[vac\u00adcine|vaccine]'],
  ['short values as words of their own only', 'us, bus and #us.', ['us'], '[us|us], bus and #[us|us].'],
  ['short values in scripts without spaces', '新冠疫苗很好', ['疫苗'], '新冠[疫苗|疫苗]很好'],
  ['accents in either form', 'Cafe\u0301 de Flore', ['café'], '[Cafe\u0301|café] de Flore'],
  ['no half of a character', 'e\u0301tat', ['e'], 'e\u0301tat'],
  ['letters that grow when folded', 'İSTANBUL çok', ['istanbul', 'çok'], 'İSTANBUL [çok|çok]'],
  ['a final sigma in a text of several forms', 'e\u0301 ΟΔΟΣ', ['οδος'], 'e\u0301 [ΟΔΟΣ|οδος]'],
  ['values around which white space was sent', 'a b c', [' b '], 'a [b| b ] c'],
  ['HTML-like values', 'x <b>y</b>', ['<b>y</b>'], 'x [<b>y</b>|<b>y</b>]'],
])('highlights %s', (_, text, values, expected) => {
  expect(
    marked(
      text,
      values.map(value => iod(value)),
    ),
  ).toBe(expected)
})

const tag = (value: string) => iod(value, 'HASHTAGS')

test('finds a hashtag with and without its sign, and highlights the sign', () => {
  const known = createKnownIods([tag('#Mirrors'), iod('#mirrors', 'KEYWORDS')])
  const found = (value: string) => known.matching(value).map(({ category }) => category)
  expect(found('mirrors')).toEqual(['HASHTAGS'])
  expect(found(' #MIRRORS')).toEqual(['KEYWORDS', 'HASHTAGS'])
  expect(found('#mirror')).toEqual([])
  expect(marked('see #Mirrors', [tag('mirrors')])).toBe('see [#Mirrors|mirrors]')
  expect(marked('mirrors #mirrors', [tag('#mirrors')])).toBe('[mirrors|#mirrors] [#mirrors|#mirrors]')
  expect(marked('#us, bus', [tag('#us')])).toBe('[#us|#us], bus')
  expect(marked('a # b', [tag('#')])).toBe('a [#|#] b')
})

test('returns an IOD of several look-ups once, and a value of two categories twice', () => {
  const url = iod('example.com', 'URL')
  const known = createKnownIods([url, url, iod('Example.com', 'DOMAIN')])
  expect(known.matching(' EXAMPLE.com ').map(found => found.category)).toEqual(['URL', 'DOMAIN'])
  expect(known.matching('example.org')).toEqual([])
})

test('splits a long text by many values in less than 2 s', () => {
  const text = 'lorem ipsum dolor '.repeat(550)
  const iods = Array.from({ length: 500 }, (_, index) => iod(`value ${index}`))
  // Use the fastest run: load on the machine slows some.
  const times = [1, 2, 3].map(() => {
    const started = performance.now()
    createKnownIods([...iods, iod('ipsum dolor')]).split(text)
    return performance.now() - started
  })
  expect(Math.min(...times)).toBeLessThan(2_000)
})
