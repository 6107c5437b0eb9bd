import { signatureOf } from '@iodine/likeness'
import { expect, it } from 'vitest'
import { nearGroups, type Post } from '../src/coordination/thread/find.js'

let made = 0
const post = (at: number, text: string): Post => ({
  id: String(++made),
  owner: 'ana',
  key: `key ${made}`,
  account: `telegram ${made}`,
  at,
  links: [],
  media: [],
  hashtags: [],
  signature: text === '' ? null : signatureOf(text),
})
const WORDS = Array.from({ length: 24 }, (_, n) => `distinct${String.fromCharCode(97 + n)}word`)
/** Returns twelve of the words, shifted by four per step: adjacent steps share half of their words, others fewer. */
const step = (n: number) => WORDS.slice(n * 4, n * 4 + 12).join(' ')

it('groups texts with the earliest similar text', () => {
  const [late, first, other, none] = nearGroups([
    post(9, `${step(0)} again`),
    post(1, step(0)),
    post(5, 'the market hall opens at eight with bread and cheese'),
    post(6, ''),
  ])
  expect(first).toBe(signatureOf(step(0)).exact)
  expect(late).toBe(first)
  expect(other).not.toBe(first)
  expect(none).toBeNull()
})

it('does not join different texts through a chain of similar ones', () => {
  const groups = nearGroups([post(1, step(0)), post(2, step(1)), post(3, step(2)), post(4, step(3))])
  // Each has a likeness of about 0.5 to the previous one. The third is unlike the first.
  expect(groups[0]).toBe(groups[1])
  expect(groups[2]).not.toBe(groups[0])
  expect(groups[2]).toBe(groups[3])
})
