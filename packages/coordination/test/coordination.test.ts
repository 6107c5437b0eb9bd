import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  detectGroups,
  detectPairs,
  heaviest,
  network,
  type Pair,
  type Share,
  significance,
  significant,
} from '../src/index.js'

const share = (object: string, account: string, content: string, at: number): Share => ({
  object,
  account,
  content,
  at,
})
const brief = ({ object, a, b, contentA, contentB, deltaS }: Pair) =>
  `${object} ${a}:${contentA} ${b}:${contentB} ${deltaS}`
const detected = (shares: readonly Share[], windowS: number, minParticipation: number, loops = false) =>
  detectGroups(shares, { windowS, minParticipation, loops }).map(brief).sort()

/**
 * Expected results were computed by hand. ana and ben share two links within 10 s; cem shares one late; dan shares
 * once.
 */
const STORY = [
  share('link1', 'ana', 'a1', 100),
  share('link1', 'ben', 'b1', 104),
  share('link1', 'cem', 'c1', 113),
  share('link1', 'dan', 'd1', 103),
  share('link2', 'ben', 'b2', 200),
  share('link2', 'ana', 'a2', 210),
  share('link2', 'cem', 'c2', 500),
]

describe('pairs', () => {
  it('consist of two shares of an object within the window, both ends included', () => {
    expect(detected(STORY, 10, 1)).toEqual([
      'link1 ana:a1 ben:b1 4',
      'link1 ana:a1 dan:d1 3',
      'link1 ben:b1 cem:c1 9',
      'link1 dan:d1 ben:b1 1',
      'link1 dan:d1 cem:c1 10',
      'link2 ben:b2 ana:a2 10',
    ])
    expect(detected(STORY, 9.5, 1)).toEqual([
      'link1 ana:a1 ben:b1 4',
      'link1 ana:a1 dan:d1 3',
      'link1 ben:b1 cem:c1 9',
      'link1 dan:d1 ben:b1 1',
    ])
  })

  it('exclude accounts with too few shares, then pairs without an account with enough paired posts', () => {
    // dan has one share. cem has two, one of them paired. The pair stays because ben has two paired posts.
    expect(detected(STORY, 10, 2)).toEqual([
      'link1 ana:a1 ben:b1 4',
      'link1 ben:b1 cem:c1 9',
      'link2 ben:b2 ana:a2 10',
    ])
    // At 9 s ana, ben and cem have one paired post each: none has two.
    expect(detected(STORY, 9, 2)).toEqual([])
    expect(detected(STORY, 10, 3)).toEqual([])
  })

  it('order posts of equal times by the first appearance of their accounts', () => {
    const shares = [share('o', 'z', 'z1', 5), share('o', 'a', 'a1', 5)]
    expect(detected(shares, 0, 1)).toEqual(['o z:z1 a:a1 0'])
    expect(detected([share('p', 'a', 'a0', 0), ...shares], 0, 1)).toEqual(['o a:a1 z:z1 0'])
  })

  it('are loops if account or post are equal, or a post is the object', () => {
    const shares = [
      share('p0', 'ana', 'p0', 0),
      share('p0', 'ben', 'p1', 1),
      share('p0', 'ben', 'p2', 2),
      share('p0', 'cem', 'p2', 3),
    ]
    expect(detected(shares, 10, 1)).toEqual(['p0 ben:p1 cem:p2 2'])
    expect(detected(shares, 10, 1, true)).toEqual([
      'p0 ana:p0 ben:p1 1',
      'p0 ana:p0 ben:p2 2',
      'p0 ana:p0 cem:p2 3',
      'p0 ben:p1 ben:p2 1',
      'p0 ben:p1 cem:p2 2',
      'p0 ben:p2 cem:p2 1',
    ])
  })

  it('support times in the future, before 1970 and in fractions of seconds', () => {
    const late = 4e12
    const shares = [
      share('o', 'a', 'a1', -0.5),
      share('o', 'b', 'b1', 0.25),
      share('o', 'a', 'a2', late),
      share('o', 'b', 'b2', late + 1),
    ]
    expect(detected(shares, 1, 2)).toEqual(['o a:a1 b:b1 0.75', 'o a:a2 b:b2 1'])
  })

  it('exclude shares without a finite time', () => {
    const shares = [Number.NaN, Number.POSITIVE_INFINITY, 1, 2].map((at, n) =>
      share('o', `${n}`, `c${n}`, at),
    )
    expect(detected(shares, 10, 1)).toEqual(['o 2:c2 3:c3 1'])
  })

  it('are rejected unless window and participation are numbers from 0', () => {
    for (const windowS of [-1, Number.NaN, Number.POSITIVE_INFINITY]) {
      expect(() => detectGroups(STORY, { windowS, minParticipation: 1 })).toThrow(RangeError)
    }
    for (const minParticipation of [-1, Number.NaN]) {
      expect(() => detectGroups(STORY, { windowS: 1, minParticipation })).toThrow(RangeError)
    }
    expect(detectGroups([], { windowS: 1, minParticipation: 1 })).toEqual([])
  })
})

/** Reference implementation of the rules: compares each share with each other share. */
const reference = (shares: readonly Share[], windowS: number, min: number, loops: boolean): string[] => {
  const isEnough = (some: readonly Share[], account: string) =>
    some.filter(one => one.account === account).length >= min
  const rows = shares.filter(({ account }) => isEnough(shares, account))
  const accounts = [...new Set(rows.map(({ account }) => account))]
  rows.sort((a, b) => accounts.indexOf(a.account) - accounts.indexOf(b.account))
  const pairs = rows.flatMap((one, n) =>
    rows.slice(n + 1).flatMap(other => {
      const isPair = one.object === other.object && Math.abs(one.at - other.at) <= windowS
      const isLoop =
        one.account === other.account ||
        one.content === other.content ||
        one.object === one.content ||
        other.object === other.content
      return isPair && (loops || !isLoop) ? [one.at <= other.at ? [one, other] : [other, one]] : []
    }),
  ) as [Share, Share][]
  const paired = new Set(pairs.flat().map(({ content }) => content))
  const pairedRows = rows.filter(({ content }) => paired.has(content))
  const participating = new Set(
    pairedRows.filter(({ account }) => isEnough(pairedRows, account)).map(({ content }) => content),
  )
  return pairs
    .filter(pair => min < 1 || pair.some(({ content }) => participating.has(content)))
    .map(([a, b]) =>
      brief({
        object: a.object,
        a: a.account,
        b: b.account,
        contentA: a.content,
        contentB: b.content,
        deltaS: b.at - a.at,
      }),
    )
    .sort()
}

it('finds the pairs of the reference implementation for any shares', () => {
  const some = fc.record({
    object: fc.constantFrom('o1', 'o2', 'c1'),
    account: fc.constantFrom('u1', 'u2', 'u3', 'u4'),
    content: fc.constantFrom('c1', 'c2', 'c3', 'c4', 'c5', 'c6', 'c7', 'c8', 'c9'),
    at: fc.integer({ min: -3, max: 30 }),
  })
  fc.assert(
    fc.property(
      fc.array(some, { maxLength: 24 }),
      fc.integer({ min: 0, max: 12 }),
      fc.integer({ min: 0, max: 4 }),
      fc.boolean(),
      (shares, windowS, min, loops) => {
        expect(detected(shares, windowS, min, loops)).toEqual(reference(shares, windowS, min, loops))
      },
    ),
    { numRuns: 500 },
  )
})

describe('the network', () => {
  it('aggregates the pairs of two accounts, in either order', () => {
    expect(network(detectGroups(STORY, { windowS: 10, minParticipation: 2 }))).toEqual([
      { a: 'ana', b: 'ben', weight: 2, avgDeltaS: 7, nA: 2, nB: 2, symmetry: 1 },
      { a: 'ben', b: 'cem', weight: 1, avgDeltaS: 9, nA: 1, nB: 1, symmetry: 1 },
    ])
  })

  it('counts the older and the newer posts', () => {
    const shares = [
      share('o', 'a', 'a1', 0),
      share('o', 'b', 'b1', 1),
      share('o', 'b', 'b2', 2),
      share('o', 'b', 'b3', 3),
    ]
    expect(network(detectGroups(shares, { windowS: 9, minParticipation: 1 }))).toEqual([
      { a: 'a', b: 'b', weight: 3, avgDeltaS: 2, nA: 1, nB: 3, symmetry: 1 / 3 },
    ])
  })

  it('filters edges above a quantile of the weights', () => {
    const edges = [1, 1, 2, 5].map((weight, n) => ({
      a: 'a',
      b: `${n}`,
      weight,
      avgDeltaS: 0,
      nA: 1,
      nB: 1,
      symmetry: 1,
    }))
    expect(heaviest(edges, 0.5).map(({ weight }) => weight)).toEqual([2, 5])
    expect(heaviest(edges, 0.75).map(({ weight }) => weight)).toEqual([5])
    expect(heaviest([], 0.5)).toEqual([])
  })
})

describe('an object with many shares', () => {
  const options = { windowS: 60, minParticipation: 1 }

  it('has at most 200,000 pairs for 100,000 shares in a second, and is reported as truncated', () => {
    const shares = Array.from({ length: 100_000 }, (_, n) => share('o', `u${n}`, `c${n}`, 1_000))
    const { pairs, truncated } = detectPairs(shares, options)
    expect(pairs.length).toBeLessThanOrEqual(200_000)
    expect(pairs.length).toBeGreaterThan(90_000)
    expect(truncated).toEqual(['o'])
  })

  it('is not truncated by 90,000 shares of one account in a second', () => {
    const shares = Array.from({ length: 90_000 }, (_, n) => share('o', 'flood', `f${n}`, 1_000))
    const { pairs, truncated } = detectPairs(
      [share('o', 'ana', 'a', 999), ...shares, share('o', 'ben', 'b', 1_001)],
      options,
    )
    expect(truncated).toEqual([])
    expect(pairs.some(({ a, b }) => a === 'ana' && b === 'ben')).toBe(true)
  })

  it('keeps for each share the pairs with the latest earlier shares, and does not truncate other objects', () => {
    const shares = [
      ...Array.from({ length: 100 }, (_, n) => share('much', `u${n}`, `c${n}`, n)),
      share('few', 'ana', 'a', 0),
      share('few', 'ben', 'b', 1),
    ]
    const { pairs, truncated } = detectPairs(shares, { ...options, maxPairsPerObject: 200 })
    expect(truncated).toEqual(['much'])
    const much = pairs.filter(({ object }) => object === 'much')
    expect(much).toHaveLength(197)
    expect(new Set(much.map(({ deltaS }) => deltaS))).toEqual(new Set([1, 2]))
    expect(pairs.filter(({ object }) => object === 'few')).toHaveLength(1)
  })

  it('limits the total number of pairs, and reports the truncated objects', () => {
    const shares = ['o1', 'o2', 'o3'].flatMap(object => [
      share(object, 'ana', `${object}a`, 0),
      share(object, 'ben', `${object}b`, 1),
    ])
    expect(detectPairs(shares, { ...options, maxPairs: 2 })).toMatchObject({
      pairs: [{ object: 'o1' }, { object: 'o2' }],
      truncated: ['o3'],
    })
  })
})

describe('significance', () => {
  /** Two accounts that share links seconds apart, among forty that share the same links at random times of a week. */
  const shares = (() => {
    let state = 7
    const random = () => {
      state = (state * 48_271) % 2_147_483_647
      return state / 2_147_483_647
    }
    const links = Array.from({ length: 30 }, (_, n) => ({ object: `link${n}`, at: 604_800 * random() }))
    return links.flatMap(({ object, at }, n) => [
      share(object, 'left', `l${n}`, at),
      share(object, 'right', `r${n}`, at + 5),
      ...Array.from({ length: 40 }, (_, u) => share(object, `u${u}`, `u${u}-${n}`, 604_800 * random())),
    ])
  })()
  const options = { windowS: 3_600, minParticipation: 1 }

  it('keeps only the coordinated accounts', () => {
    const all = network(detectGroups(shares, options))
    expect(all.length).toBeGreaterThan(100)
    expect(significant(shares, options)).toEqual([
      expect.objectContaining({ a: 'left', b: 'right', weight: 30, avgDeltaS: expect.closeTo(5) }),
    ])
  })

  it('computes p-values, and q-values that correct for multiple comparisons', () => {
    const { tested } = significance(shares, options)
    expect(tested).toHaveLength(network(detectGroups(shares, options)).length)
    const together = tested.find(({ a, b }) => a === 'left' && b === 'right')
    expect(together?.pValue).toBe(1 / 101)
    for (const { pValue, qValue } of tested) {
      expect(pValue).toBeGreaterThanOrEqual(1 / 101)
      expect(qValue).toBeGreaterThanOrEqual(pValue)
      expect(qValue).toBeLessThanOrEqual(1)
    }
    const sorted = [...tested].sort((a, b) => a.pValue - b.pValue)
    for (const [n, { qValue }] of sorted.entries())
      expect(qValue).toBeGreaterThanOrEqual(sorted[n - 1]?.qValue ?? 0)
    const chance = tested.filter(({ a, b }) => a !== 'left' || b !== 'right')
    const small = chance.filter(({ pValue }) => pValue <= 0.05).length
    expect(small / chance.length).toBeLessThan(0.2)
  })

  it('repeats its shuffles for the same seed, and reports progress', () => {
    const done: number[] = []
    const onRun = (run: number) => done.push(run)
    const first = significance(shares, { ...options, runs: 5, seed: 3, onRun })
    expect(done).toEqual([1, 2, 3, 4, 5])
    expect(significance(shares, { ...options, runs: 5, seed: 3 })).toEqual(first)
    expect(first.threshold).toBeGreaterThan(0)
  })

  it('finds no edge among accounts that share all objects at the same moment', () => {
    const burst = Array.from({ length: 20 }, (_, u) =>
      ['o1', 'o2'].map(object => share(object, `u${u}`, `u${u}${object}`, 0)),
    ).flat()
    expect(network(detectGroups(burst, options)).length).toBe(190)
    expect(significant(burst, { ...options, runs: 10 })).toEqual([])
  })
})
