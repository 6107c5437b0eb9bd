import { propertyRuns } from '@iodine/test-kit/runs'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { assign, canonicalize, clusterIdOf } from '../src/index.js'

const tripletsOf = (labels: readonly string[]) =>
  labels.map(subject => ({ subject, verb: 'is', object: 'known' }))
const clustersOf = (...labels: string[]) =>
  canonicalize(tripletsOf(labels))
    .entities.map(cluster => [...cluster].sort())
    .filter(([first]) => first !== 'known')
const together = (...labels: string[]) => clustersOf(...labels).length === 1

describe('entities', () => {
  it('merges variants that differ in case, white space, articles, punctuation, plurals and order', () => {
    expect(together('Giant mirror', 'the  giant mirrors', 'GIANT MIRRORS!', '“giant mirrors”')).toBe(true)
    expect(together('army of Ukraine', 'the Ukrainian army', "Ukraine's army")).toBe(true)
  })

  it('merges an acronym with its only expansion', () => {
    expect(together('NATO', 'North Atlantic Treaty Organization', 'N.A.T.O.')).toBe(true)
    expect(together('UN', 'U.N.', 'the United Nations')).toBe(true)
    expect(together('UN troops', 'United Nations troops')).toBe(true)
    expect(clustersOf('BBC', 'British Broadcasting Corporation', 'Big Bear Club')).toHaveLength(3)
  })

  it('merges misspellings, but not two English words', () => {
    expect(together('Zelensky', 'Zelenskyy')).toBe(true)
    expect(together('Volodymyr Zelensky', 'Volodymyr Zelenskiy')).toBe(true)
    expect(clustersOf('hungry people', 'hungary people')).toHaveLength(2)
    expect(clustersOf('vaccinated people', 'unvaccinated people')).toHaveLength(2)
    expect(clustersOf('Covid-19', 'Covid-18', 'F-16', 'F-15')).toHaveLength(4)
  })

  it('merges a short form with the only name that it can stand for', () => {
    expect(together('Putin', 'Vladimir Putin', 'President Putin', 'President Vladimir Putin')).toBe(true)
    expect(together('V. Putin', 'Vladimir Putin')).toBe(true)
    expect(clustersOf('Smith', 'Jane Smith', 'John Smith')).toHaveLength(3)
  })

  it('separates different entities with common words', () => {
    for (const labels of [
      ['Ukraine', 'war in Ukraine', 'children of Ukraine'],
      ['East Germany', 'West Germany'],
      ['NATO', 'NATO forces'],
      ['Los Angeles Kings', 'Los Angeles Lakers', 'Los Angeles'],
    ])
      expect(clustersOf(...labels).sort()).toEqual(labels.map(label => [label]).sort())
  })

  it('preserves the id of a cluster when labels are added that sort behind its smallest key', () => {
    const [first] = assign(tripletsOf(['giant mirrors', 'the giant mirrors'])).entities
    expect(first?.id).toBe(clusterIdOf('entity', 'giant mirrors'))
    const [again] = assign(
      tripletsOf(['giant mirrors', 'the giant mirrors', 'The Giant Mirrors?', 'x']),
    ).entities
    expect(again?.id).toBe(first?.id)
    expect(again?.members.map(({ key, why }) => [key, why])).toEqual([
      ['giant mirrors', 'leader'],
      ['the giant mirrors', 'words'],
      ['the giant mirrors?', 'words'],
    ])
  })

  it('labels a cluster by its most frequent variant', () => {
    const [cluster] = assign(
      tripletsOf(['The Mirrors', 'the mirrors', 'The Mirrors', 'mirrors']),
    ).entities.filter(({ members }) => members.length > 1)
    expect(cluster).toMatchObject({ label: 'The Mirrors', count: 4 })
    expect(cluster?.members.find(({ key }) => key === 'the mirrors')?.spellings).toEqual([
      'The Mirrors',
      'the mirrors',
    ])
  })
})

const WORDS = [
  'the',
  'giant',
  'mirrors',
  'mirror',
  'lake',
  'varnel',
  'warnel',
  'lv',
  'of',
  'nordic',
  'council',
  '—',
  '9',
]
const phrase = fc
  .array(fc.constantFrom(...WORDS), { minLength: 0, maxLength: 4 })
  .map(words => words.join(' '))
const verb = fc.constantFrom(
  'heat',
  'heated',
  'did not heat',
  'was heated by',
  'may heat',
  'heats',
  'IS heating',
)
const someTriplets = fc.array(fc.record({ subject: phrase, verb, object: phrase }), { maxLength: 40 })

it('returns the same clusters and narratives for any order of the triplets', () => {
  const clustered = (triplets: Parameters<typeof canonicalize>[0]) => {
    const { entities, verbs, narratives } = canonicalize(triplets)
    const counted = narratives.map(({ triplets: indexes, ...labels }) => ({
      ...labels,
      count: indexes.length,
    }))
    return { entities, verbs, narratives: counted }
  }
  fc.assert(
    fc.property(
      someTriplets.chain(triplets =>
        fc.tuple(
          fc.constant(triplets),
          fc.shuffledSubarray(triplets, { minLength: triplets.length, maxLength: triplets.length }),
        ),
      ),
      ([triplets, shuffled]) => {
        expect(clustered(shuffled)).toEqual(clustered(triplets))
      },
    ),
    propertyRuns(200),
  )
})

it('puts every variant into one cluster and every triplet into one narrative', () => {
  fc.assert(
    fc.property(someTriplets, triplets => {
      const { entities, verbs, narratives } = canonicalize(triplets)
      const spelled = [...new Set(triplets.flatMap(({ subject, object }) => [subject, object]))].sort()
      expect(entities.flat().sort()).toEqual(spelled)
      expect(verbs.flat().sort()).toEqual([...new Set(triplets.map(each => each.verb))].sort())
      const indexes = narratives.flatMap(each => each.triplets).sort((a, b) => a - b)
      expect(indexes).toEqual(triplets.map((_, n) => n))
    }),
    propertyRuns(200),
  )
})

describe('hostile labels', () => {
  const BIDI = '\u202e\u2066\u200f'

  it.each<[string, (n: number) => string]>([
    ['share a word', n => `campaign ${n}`],
    ['share words and the head', n => `the ${n} big campaign`],
    ['differ in punctuation', n => `campaign${'!'.repeat(n % 250)}${'?'.repeat(Math.floor(n / 250))}`],
    ['share their initials', n => (n % 2 ? 'AB' : `a${n} b${n}`)],
    ['change the writing direction', n => `${BIDI}${n % 5}campaign ${n}${BIDI}`],
  ])('puts each of 50,000 labels that %s into one cluster', { tags: 'long' }, (_, labelOf) => {
    const labels = Array.from({ length: 50_000 }, (_, n) => labelOf(n))
    const { entities, narratives } = canonicalize(tripletsOf(labels))
    expect(entities.flat()).toHaveLength(new Set(labels).size + 1)
    expect(Math.max(...entities.map(({ length }) => length))).toBeLessThanOrEqual(64)
    expect(narratives.reduce((sum, { triplets }) => sum + triplets.length, 0)).toBe(labels.length)
  })

  it('puts each of 10,000 labels of 21 words into one cluster', { tags: 'long' }, () => {
    const labels = Array.from(
      { length: 10_000 },
      (_, n) => `${Array.from({ length: 20 }, (_, k) => `w${k}x${n % 150}`).join(' ')} ${n}`,
    )
    expect(canonicalize(tripletsOf(labels)).entities.flat()).toHaveLength(10_001)
  })

  it('preserves labels that are empty, very long, property names of objects or half characters', () => {
    const labels = [
      '',
      '   ',
      '__proto__',
      'constructor',
      'toString',
      '\ud800',
      'x '.repeat(5_000),
      '\u202e',
      '…',
      '—',
    ]
    const { entities, verbs } = canonicalize(
      labels.map(label => ({ subject: label, verb: label, object: label })),
    )
    expect(entities.flat().sort()).toEqual([...labels].sort())
    expect(verbs.flat().sort()).toEqual([...labels].sort())
  })
})
