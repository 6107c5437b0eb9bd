import { describe, expect, it } from 'vitest'
import { parseTriplets } from '../src/extraction/answer.js'
import { mergeTriplets, splitText } from '../src/extraction/split.js'

const triplet = (subject: string, verb = 'is', object = 'there') => ({ subject, verb, object })

/** Returns distinct sentences of varying length. */
const story = (sentences: number) =>
  Array.from({ length: sentences }, (_, n) => `Sentence ${n} goes ${'on and '.repeat(n % 7)}on.`).join(' ')

describe('splitText', () => {
  it('keeps a short text in one part', () => {
    const text = story(100)
    expect(splitText(text)).toEqual([{ text, start: 0 }])
  })

  it.each([
    ['sentences', story(400)],
    ['one endless sentence', 'word '.repeat(3_000)],
    ['one endless word', 'x'.repeat(9_000)],
    ['astral characters', '🛰'.repeat(5_000)],
    ['no Latin sentence ends', '彼らは数字を隠している。誰も尋ねない。'.repeat(400)],
    ['blank lines', 'line\n\n'.repeat(1_500)],
  ])('splits %s into parts within the size that make up the whole text', (_, text) => {
    const textsOf = (overlap: number) => splitText(text, 1_000, overlap).map(part => part.text)
    expect(textsOf(0).join('')).toBe(text)
    expect(textsOf(100).length).toBeGreaterThan(1)
    for (const part of textsOf(100)) {
      expect(part.length).toBeLessThanOrEqual(1_000)
      expect(part.isWellFormed()).toBe(true)
    }
    for (const overlap of [0, 100, 900])
      for (const part of splitText(text, 1_000, overlap))
        expect(text.startsWith(part.text, part.start)).toBe(true)
  })

  it('splits at sentence ends and repeats the last sentences of the previous part', () => {
    const parts = splitText(story(400), 1_000, 100).map(({ text }) => text)
    for (const part of parts) expect(part).toMatch(/^Sentence \d+ goes .*on\. ?$/)
    for (const [n, part] of parts.slice(1).entries())
      expect(parts[n]).toContain(part.slice(0, part.indexOf('.') + 1))
  })

  it('splits at the same positions in every locale', () => {
    // In Greek a semicolon is a question mark.
    const text = 'They hide it; nobody asks. '.repeat(100)
    for (const part of splitText(text, 1_000, 100)) expect(part.text).toMatch(/^They .*asks\. $/)
  })

  it('terminates within the size for an excessive overlap', () => {
    const parts = splitText(story(100), 60, 5_000).map(({ text }) => text)
    expect(parts.every(part => part.length <= 60)).toBe(true)
    expect(parts.at(-1)).toContain('Sentence 99')
  })
})

describe('mergeTriplets', () => {
  it('keeps duplicates within a part and omits triplets of earlier parts', () => {
    const twice = [triplet('A'), triplet('A')]
    expect(mergeTriplets([twice])).toEqual(twice)
    expect(
      mergeTriplets([twice, [triplet(' a ', 'IS'), triplet('B')], [triplet('b'), triplet('C')]]),
    ).toEqual([...twice, triplet('B'), triplet('C')])
  })

  it('respects the limit', () => {
    const many = (from: number) => Array.from({ length: 150 }, (_, n) => triplet(`${from + n}`))
    expect(mergeTriplets([many(0), many(150)])).toHaveLength(200)
  })
})

describe('parseTriplets', () => {
  it('returns the triplets, trimmed and truncated to the limits', () => {
    const long = `${'x'.repeat(499)}🛰`
    expect(
      parseTriplets(JSON.stringify({ triplets: [triplet(' A\u0000\n', long, '\ud800 b'), triplet(' ')] })),
    ).toEqual([{ subject: 'A', verb: 'x'.repeat(499), object: '\ufffd b' }])
    const many = Array.from({ length: 201 }, (_, n) => triplet(`${n}`))
    expect(parseTriplets(JSON.stringify({ triplets: many }))).toHaveLength(200)
    expect(parseTriplets('{"triplets": []}')).toEqual([])
    expect(parseTriplets('[]')).toEqual([])
  })

  const quote = triplet('They', 'write', '</think>')
  const list = JSON.stringify({ triplets: [triplet('A'), quote, triplet('B')] })
  it.each([
    ['JSON whose triplets quote an end of reasoning', list, 3],
    ['such JSON in a fence', `\`\`\`json\n${list}\n\`\`\``, 3],
    ['such JSON after reasoning', `<think>Hm.</think>${JSON.stringify([triplet('A')])}`, 1],
    [
      'a triplet a line',
      Array.from({ length: 60 }, (_, n) => JSON.stringify(triplet(`${n}`))).join('\n'),
      60,
    ],
    [
      'a list of triplets',
      ['A', 'B'].map((name, n) => `${n + 1}. ${JSON.stringify(triplet(name))}`).join('\n'),
      2,
    ],
    [
      'the last of several triplets',
      `First ${JSON.stringify(triplet('A'))}, then ${JSON.stringify(triplet('B'))}`,
      1,
    ],
    [
      'JSON after 60 references',
      `${Array.from({ length: 60 }, (_, n) => `see [${n}]`)} ${JSON.stringify([triplet('A')])}`,
      1,
    ],
  ])('reads %s', (_, content, count) => {
    expect(parseTriplets(content)).toHaveLength(count)
  })

  it('reads a text of many brackets in bounded time', () => {
    const before = process.cpuUsage()
    expect(parseTriplets('[x]'.repeat(660_000))).toBeUndefined()
    expect(process.cpuUsage(before).user).toBeLessThan(4_000_000)
  })

  it.each([
    'no JSON',
    '{"triplets": [',
    'null',
    '{"triplets": {}}',
    '{"triplets": [{"subject": "a", "verb": "b"}]}',
    '{"triplets": [{"subject": 1, "verb": "b", "object": "c"}]}',
  ])('rejects %s', content => {
    expect(parseTriplets(content)).toBeUndefined()
  })
})
