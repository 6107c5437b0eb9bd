import { LIMITS } from '@iodine/contracts'
import { expect, test } from 'vitest'
import { lookupCandidates } from '../src'

const text =
  'Wake up! They HIDE the numbers (see https://blog.example.com/a-b?c=1), @Night_Watch #WakeUp\nsecond line.'

test.each([
  ['the text', text.toLowerCase()],
  ['a line', 'second line.'],
  ['a line without its full stop', 'second line'],
  ['a sentence', 'wake up!'],
  ['a word', 'numbers'],
  ['a phrase', 'hide the numbers'],
  ['a URL without the bracket after it', 'https://blog.example.com/a-b?c=1'],
  ['the domain of a URL', 'blog.example.com'],
  ['a mention', '@night_watch'],
  ['a hashtag', '#wakeup'],
  ['a hashtag’s word', 'wakeup'],
])('returns %s', (_, candidate) => {
  expect(lookupCandidates(text)).toContain(candidate)
})

test('returns the same sentences in every browser locale', () => {
  // In Greek, the semicolon is the question mark.
  const sentence = 'they hide the numbers of the lake; nobody in the town asks'
  expect(lookupCandidates(`${sentence}! Why?`)).toContain(sentence)
})

test('returns words of scripts without spaces', () => {
  expect(lookupCandidates('新冠疫苗很好')).toContain('疫苗')
})

test('returns each value once, and no blank value', () => {
  const candidates = lookupCandidates('go go GO \n go')
  expect(new Set(candidates).size).toBe(candidates.length)
  expect(lookupCandidates(' \n ')).toEqual([])
})

test('limits the number and length of candidates for a text of maximum length', () => {
  const words = Array.from({ length: 1_600 }, (_, index) => `w${index}`)
    .join(' ')
    .slice(0, LIMITS.fieldMax)
  const candidates = lookupCandidates(words)
  expect(candidates.length).toBeLessThan(6_000)
  expect(candidates).toContain('w100 w101 w102')
  expect(candidates.every(candidate => candidate.length <= LIMITS.fieldMax)).toBe(true)
})
