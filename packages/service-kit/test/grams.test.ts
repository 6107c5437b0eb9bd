import { seededRandom } from '@iodine/test-kit'
import { expect, it } from 'vitest'
import { containingInAnyCase, gramsOf, gramsOfTerm } from '../src/index.js'

const SPARSE = { longest: 10 }
const random = seededRandom(3)
const ALPHABETS = ['ab', 'abcdefghijklmnopqrstuvwxyz ', 'абвгде ', '👍🏽a\u0301']
const text = (alphabet: string, length: number) => {
  const points = [...alphabet]
  return Array.from({ length }, () => points[Math.floor(random() * points.length)]).join('')
}

it.each([undefined, SPARSE])('a text has all grams of each of its parts: %o', lengths => {
  for (let round = 0; round < 400; round++) {
    const whole = [...text(ALPHABETS[round % ALPHABETS.length] as string, 1 + (round % 60))]
    const from = Math.floor(random() * whole.length)
    const part = whole.slice(from, from + 1 + Math.floor(random() * 30)).join('')
    const grams = new Set(gramsOf([whole.join('')], lengths))
    const wanted = gramsOfTerm(part, lengths)
    expect(wanted.length).toBeGreaterThan(0)
    expect(wanted.filter(gram => !grams.has(gram))).toEqual([])
  }
})

it('no gram spans two texts', () => {
  const grams = new Set(gramsOf(['abc', 'def'], SPARSE))
  expect(gramsOfTerm('cd').some(gram => grams.has(gram))).toBe(false)
  expect(gramsOfTerm('def').every(gram => grams.has(gram))).toBe(true)
})

it('sparse grams are longer, and fewer than the code points', () => {
  const texts = Array.from({ length: 50 }, () => text(ALPHABETS[1] as string, 300))
  const more = texts.map(each => gramsOf([each], SPARSE).length - gramsOf([each]).length)
  for (const n of more) expect(n).toBeGreaterThan(0)
  expect(more.reduce((sum, n) => sum + n, 0)).toBeLessThan((texts.length * 300) / 2)
})

it('a term begins with its longest gram, which few texts without the term have', () => {
  const texts = Array.from({ length: 500 }, () => text('abcd', 200))
  const grams = texts.map(each => new Set(gramsOf([each], SPARSE)))
  const having = (gram: number | undefined) => grams.filter(each => each.has(gram as number)).length
  let [sparse, runs] = [0, 0]
  for (const each of texts.slice(0, 100)) {
    const term = each.slice(50, 62)
    sparse += having(gramsOfTerm(term, SPARSE)[0])
    runs += having(gramsOfTerm(term)[0])
  }
  expect(sparse).toBeLessThan(runs / 4)
})

it('a text of one code point many times has one gram of each length up to three', () => {
  expect(gramsOf(['a'.repeat(5_000)], SPARSE)).toHaveLength(3)
})

it.each([
  ['STRASSE', 'Die Straße', true],
  ['straße', 'DIE STRASSE', true],
  ['ß', 'Masse', true],
  ['ΠΡΟΣ', 'η προς', true],
  ['προσ', 'Η ΠΡΟΣΒΟΛΗ', true],
  ['istanbul', 'İstanbul', false],
  ['i̇stanbul', 'İSTANBUL', true],
  ['office', 'oﬃce, oﬀice, ofﬁce', true],
  ['ᾳ', 'ΑΙ', true],
  ['élan', 'E\u0301LAN', true],
  ['a.c', 'abc', false],
])('a search of %s in the stored text %s: %s', (term, text, isFound) => {
  const { $regex, $options } = containingInAnyCase(term)
  expect(new RegExp($regex, `${$options}u`).test(text)).toBe(isFound)
})
