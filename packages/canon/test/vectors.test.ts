import { expect, it } from 'vitest'
import { assign, canonicalize, type Embeddings } from '../src/index.js'

/** Returns a vector at an angle to the first axis, in degrees. */
const at = (degrees: number, scale = 1): number[] => {
  const vector = new Array<number>(256).fill(0)
  vector[0] = Math.cos((degrees * Math.PI) / 180) * scale
  vector[1] = Math.sin((degrees * Math.PI) / 180) * scale
  return vector
}
const triplets = [
  { subject: 'the vaccine', verb: 'harms', object: 'children' },
  { subject: 'the jab', verb: 'hurt', object: 'kids' },
  { subject: 'the moon', verb: 'did not hurt', object: 'kids' },
]
const near: [string, number[]][] = [
  ['The Vaccine', at(10)],
  ['the jab', at(20, 90)],
  ['children', at(100)],
  ['kids', at(120)],
  ['the moon', at(200)],
  ['harms', at(40)],
  ['hurt', at(45)],
  ['did not hurt', at(46)],
]

it('clusters labels with similar vectors, as floats or int8', () => {
  for (const vectorOf of [
    (vector: number[]) => vector,
    (vector: number[]) => Float32Array.from(vector),
    (vector: number[]) =>
      Int8Array.from(vector, number => Math.round((number * 120) / Math.hypot(...vector))),
  ]) {
    const embeddings = new Map(near.map(([label, vector]) => [label, vectorOf(vector)]))
    const { entities, verbs, narratives } = canonicalize(triplets, { embeddings })
    expect(entities).toEqual([['children', 'kids'], ['the jab', 'the vaccine'], ['the moon']])
    expect(verbs).toEqual([['did not hurt'], ['harms', 'hurt']])
    expect(narratives[0]?.triplets).toEqual([0, 1])
  }
})

it('states `meaning` as the reason, and gives rules precedence', () => {
  const options = { embeddings: new Map(near) }
  const whyOf = (key: string, more = {}) =>
    assign(triplets, { ...options, ...more })
      .entities.flatMap(({ members }) => members)
      .find(member => member.key === key)?.why
  expect(whyOf('the vaccine')).toBe('meaning')
  expect(
    whyOf('the vaccine', { rules: [{ kind: 'entity', a: 'the jab', b: 'the vaccine', relation: 'cannot' }] }),
  ).toBe('leader')
})

it('ignores vectors that are short, long, empty, non-finite, or of labels that do not occur', () => {
  const bad: [string, ArrayLike<number>][] = [
    ['the vaccine', at(10).slice(1)],
    ['the jab', [...at(10), 0]],
    ['children', []],
    ['kids', at(10).with(255, Number.NaN)],
    ['the moon', at(10).with(3, Number.POSITIVE_INFINITY)],
    ['harms', new Array(256).fill(0)],
    ['hurt', at(10, 1e300)],
    ['nobody says this', at(10)],
    ['did not hurt', null as unknown as number[]],
    ['', ['x'] as unknown as number[]],
  ]
  const embeddings: Embeddings = new Map(bad)
  expect(canonicalize(triplets, { embeddings })).toEqual(canonicalize(triplets))
})

it('separates labels with different numbers, even if their vectors are equal', () => {
  const articles = ['article 5', 'article 51'].map(subject => ({ subject, verb: 'is', object: 'law' }))
  const embeddings = new Map(articles.map(({ subject }) => [subject, at(10)]))
  expect(canonicalize(articles, { embeddings }).entities).toHaveLength(3)
})

it('compares the vectors of many labels', { tags: 'long' }, () => {
  const many = Array.from({ length: 6_000 }, (_, n) => ({
    subject: `s${n}`,
    verb: 'is',
    object: `o${n % 7}`,
  }))
  const embeddings = new Map(
    many.map(({ subject }, n) => [
      subject,
      Int8Array.from({ length: 256 }, (_, k) => ((n * 31 + k * 7919 * (n + 1)) % 255) - 127),
    ]),
  )
  expect(canonicalize(many, { embeddings }).entities.flat()).toHaveLength(6_007)
})

it('keeps pairs joined that vectors joined in an earlier run, unless a rule forbids it', () => {
  const alike = [{ kind: 'entity' as const, a: 'The Jab', b: 'the vaccine' }]
  const { entities } = canonicalize(triplets, { alike })
  expect(entities).toContainEqual(['the jab', 'the vaccine'])
  const rules = [{ kind: 'entity' as const, a: 'the jab', b: 'the vaccine', relation: 'cannot' as const }]
  expect(canonicalize(triplets, { alike, rules })).toEqual(canonicalize(triplets))
  expect(canonicalize(triplets, { alike: [{ kind: 'verb', a: 'the jab', b: 'the vaccine' }] })).toEqual(
    canonicalize(triplets),
  )
})
