import { expect, test } from 'vitest'
import { cutPieces, excerptStart, findMatches, isNearStart } from '../src/model/matches'

/** Renders a text from its start, with its matches in brackets. */
const marked = (text: string, q: string) => show(cutPieces(text, findMatches(text, q)))
/** Renders the excerpt around the first match. */
const excerpt = (text: string, q: string) => {
  const matches = findMatches(text, q)
  return show(cutPieces(text, matches, excerptStart(text, matches)))
}
const show = (pieces: ReturnType<typeof cutPieces>) =>
  pieces.map(({ text, isMatch }) => (isMatch ? `[${text}]` : text)).join('')

test.each([
  ['nothing', 'alpha', 'beta', 'alpha'],
  ['nothing without a search', 'alpha', '', 'alpha'],
  ['any case', 'The Hidden HAND', 'hidden hand', 'The [Hidden HAND]'],
  ['each occurrence', 'aXaxA', 'a', '[a]X[a]x[A]'],
  ['occurrences that overlap themselves once', 'nanana', 'nana', '[nana]na'],
  ['composed letters for combining marks', 'un cafe\u0301 noir', 'CAFÉ', 'un [cafe\u0301] noir'],
  ['combining marks for composed letters', 'un café noir', 'cafe\u0301', 'un [café] noir'],
  ['a letter together with its marks', 'cafe\u0332 x', 'cafe', '[cafe\u0332] x'],
  ['what stands behind combining marks', 'e\u0301e\u0301e\u0301 xyz', 'y', 'e\u0301e\u0301e\u0301 x[y]z'],
  ['a Turkish İ by itself', 'ANKARA İZMİR', 'İzmİr', 'ANKARA [İZMİR]'],
  ['a Turkish İ by the dotted i that it folds to', 'ANKARA İZMİR', 'i', 'ANKARA [İ]ZM[İ]R'],
  ['what stands behind a Turkish İ', 'İİİ end', 'end', 'İİİ [end]'],
  ['a final sigma', 'ΟΔΟΣ ΜΟΥ', 'οδος', '[ΟΔΟΣ] ΜΟΥ'],
  ['a final sigma in a text of several forms', 'e\u0301 ΟΔΟΣ', 'οδος', 'e\u0301 [ΟΔΟΣ]'],
  ['surrogate pairs', 'a😀b😁c', '😁', 'a😀b[😁]c'],
  ['capitals beyond the first plane', '𐐀𐐁 x', '𐐩', '𐐀[𐐁] x'],
  ['no half of an emoji', 'x 👩‍👧 y', '👩', 'x [👩‍👧] y'],
  ['Hangul in parts', '\u1112\u1161\u11ab글', '한', '[\u1112\u1161\u11ab]글'],
  ['regular expressions literally', 'a.c (a+)+$ [x] \\d', '(A+)+$', 'a.c [(a+)+$] [x] \\d'],
  ['a backslash', 'c:\\temp', '\\', 'c:[\\]temp'],
  ['a replacement pattern', "$& $1 $'", '$&', "[$&] $1 $'"],
  ['markup as text', 'x <img src=x onerror=alert(1)>', '<IMG', 'x [<img] src=x onerror=alert(1)>'],
])('finds %s', (_, text, q, expected) => {
  expect(marked(text, q)).toBe(expected)
  expect(marked(text, q).replace(/\[|\]/g, '')).toBe(text.replace(/\[|\]/g, ''))
})

test('shows a distant match with the words before it, between ellipses', () => {
  const text = `${'lorem ipsum dolor '.repeat(60)}the needle in it ${'and more '.repeat(60)}`
  expect(isNearStart(findMatches(text, 'needle'))).toBe(false)
  expect(isNearStart(findMatches(text, 'lorem'))).toBe(true)
  expect(excerpt(text, 'NEEDLE')).toMatch(/^…ipsum dolor the \[needle\] in it and more [a-z ]+…$/)
  expect(excerpt(text, 'lorem')).toMatch(/^\[lorem\] ipsum/)
})

test('begins an excerpt of a long word within it, at a whole character', () => {
  expect(excerpt(`${'x'.repeat(600)}needle`, 'needle')).toBe(`…${'x'.repeat(8)}[needle]`)
  expect(excerpt(`${'😀'.repeat(300)}needle`, 'needle')).toBe(`…${'😀'.repeat(4)}[needle]`)
  expect(excerpt(`${'👩‍👧'.repeat(100)}needle`, 'needle')).toBe(`…${'👩‍👧'.repeat(2)}[needle]`)
  expect(excerpt('needle at the start', 'needle')).toBe('[needle] at the start')
})

test('limits the shown length and the marks of a long text', () => {
  const text = 'a'.repeat(10_000)
  const pieces = cutPieces(text, findMatches(text, 'a'))
  expect(pieces.filter(({ isMatch }) => isMatch)).toHaveLength(20)
  expect(pieces.map(piece => piece.text).join('')).toBe(`${'a'.repeat(500)}…`)
  const whole = cutPieces(text, findMatches(text, text))
  expect(whole.map(piece => [piece.text.length, piece.isMatch])).toEqual([
    [500, true],
    [1, false],
  ])
  const emoji = '😀'.repeat(400)
  expect(cutPieces(`x${emoji}`, []).every(piece => piece.text.isWellFormed())).toBe(true)
})
