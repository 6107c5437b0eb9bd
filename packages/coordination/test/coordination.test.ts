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

/** Worked out on paper. ana and ben share two links within 10 s; cem comes late to one; dan shares once. */
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
  it('are two shares of an object within the window, both ends included', () => {
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

  it('leave out accounts with too few shares, then pairs without an account of enough posts in pairs', () => {
    // dan has one share. cem has two, of which one is in a pair: the pair stays for ben, who has two.
    expect(detected(STORY, 10, 2)).toEqual([
      'link1 ana:a1 ben:b1 4',
      'link1 ben:b1 cem:c1 9',
      'link2 ben:b2 ana:a2 10',
    ])
    // At 9 s ana has one post in pairs, ben one, cem one: none has two.
    expect(detected(STORY, 9, 2)).toEqual([])
    expect(detected(STORY, 10, 3)).toEqual([])
  })

  it('take that of the account which came first for the older one of equal times', () => {
    const shares = [share('o', 'z', 'z1', 5), share('o', 'a', 'a1', 5)]
    expect(detected(shares, 0, 1)).toEqual(['o z:z1 a:a1 0'])
    expect(detected([share('p', 'a', 'a0', 0), ...shares], 0, 1)).toEqual(['o a:a1 z:z1 0'])
  })

  it('of an account with itself, of a post with itself and with the object that it is are loops', () => {
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

  it('of times in the future, before 1970 and in parts of seconds are as those of any others', () => {
    const late = 4e12
    const shares = [
      share('o', 'a', 'a1', -0.5),
      share('o', 'b', 'b1', 0.25),
      share('o', 'a', 'a2', late),
      share('o', 'b', 'b2', late + 1),
    ]
    expect(detected(shares, 1, 2)).toEqual(['o a:a1 b:b1 0.75', 'o a:a2 b:b2 1'])
  })

  it('leave out shares whose time is no number', () => {
    const shares = [Number.NaN, Number.POSITIVE_INFINITY, 1, 2].map((at, n) =>
      share('o', `${n}`, `c${n}`, at),
    )
    expect(detected(shares, 10, 1)).toEqual(['o 2:c2 3:c3 1'])
  })

  it('are refused for a window or a participation that is no number from 0', () => {
    for (const windowS of [-1, Number.NaN, Number.POSITIVE_INFINITY]) {
      expect(() => detectGroups(STORY, { windowS, minParticipation: 1 })).toThrow(RangeError)
    }
    for (const minParticipation of [-1, Number.NaN]) {
      expect(() => detectGroups(STORY, { windowS: 1, minParticipation })).toThrow(RangeError)
    }
    expect(detectGroups([], { windowS: 1, minParticipation: 1 })).toEqual([])
  })
})

/** The rules word for word, each share with each other. */
const plainly = (shares: readonly Share[], windowS: number, min: number, loops: boolean): string[] => {
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
  const taking = new Set(pairs.flat().map(({ content }) => content))
  const rowsTaking = rows.filter(({ content }) => taking.has(content))
  const kept = new Set(
    rowsTaking.filter(({ account }) => isEnough(rowsTaking, account)).map(({ content }) => content),
  )
  return pairs
    .filter(pair => min < 1 || pair.some(({ content }) => kept.has(content)))
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

it('finds what the rules say, for any shares', () => {
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
        expect(detected(shares, windowS, min, loops)).toEqual(plainly(shares, windowS, min, loops))
      },
    ),
    { numRuns: 500 },
  )
})

describe('the network', () => {
  it('joins the pairs of two accounts, whichever was first', () => {
    expect(network(detectGroups(STORY, { windowS: 10, minParticipation: 2 }))).toEqual([
      { a: 'ana', b: 'ben', weight: 2, avgDeltaS: 7, nA: 2, nB: 2, symmetry: 1 },
      { a: 'ben', b: 'cem', weight: 1, avgDeltaS: 9, nA: 1, nB: 1, symmetry: 1 },
    ])
  })

  it('says how many posts were the older and the newer ones', () => {
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

  it('has edges above a quantile of the weights', () => {
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

describe('one object that is everywhere', () => {
  const options = { windowS: 60, minParticipation: 1 }

  it('of 100,000 shares in a second has 200,000 pairs at most, and is said to be cut', () => {
    const shares = Array.from({ length: 100_000 }, (_, n) => share('o', `u${n}`, `c${n}`, 1_000))
    const { pairs, truncated } = detectPairs(shares, options)
    expect(pairs.length).toBeLessThanOrEqual(200_000)
    expect(pairs.length).toBeGreaterThan(90_000)
    expect(truncated).toEqual(['o'])
  })

  it('of 90,000 shares of one account in a second hides no pair of two accounts, and is whole', () => {
    const shares = Array.from({ length: 90_000 }, (_, n) => share('o', 'flood', `f${n}`, 1_000))
    const { pairs, truncated } = detectPairs(
      [share('o', 'ana', 'a', 999), ...shares, share('o', 'ben', 'b', 1_001)],
      options,
    )
    expect(truncated).toEqual([])
    expect(pairs.some(({ a, b }) => a === 'ana' && b === 'ben')).toBe(true)
  })

  it('keeps for each share those nearest before it, and leaves other objects whole', () => {
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

  it('makes no more pairs than it may in all, and says of which objects there are more', () => {
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
  /** Two accounts that share the same links seconds apart, among forty that share the same links at any time of a week. */
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

  it('keeps the accounts that move together, and none of those that share the same by chance', () => {
    const all = network(detectGroups(shares, options))
    expect(all.length).toBeGreaterThan(100)
    expect(significant(shares, options)).toEqual([
      expect.objectContaining({ a: 'left', b: 'right', weight: 30, avgDeltaS: expect.closeTo(5) }),
    ])
  })

  it('tells of each edge how often shuffled times weigh as much, and corrects for how many are compared', () => {
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

  it('shuffles alike by the same seed, and tells how far it is', () => {
    const done: number[] = []
    const onRun = (run: number) => done.push(run)
    const first = significance(shares, { ...options, runs: 5, seed: 3, onRun })
    expect(done).toEqual([1, 2, 3, 4, 5])
    expect(significance(shares, { ...options, runs: 5, seed: 3 })).toEqual(first)
    expect(first.threshold).toBeGreaterThan(0)
  })

  it('finds nothing among accounts that share at one moment whatever they share', () => {
    const burst = Array.from({ length: 20 }, (_, u) =>
      ['o1', 'o2'].map(object => share(object, `u${u}`, `u${u}${object}`, 0)),
    ).flat()
    expect(network(detectGroups(burst, options)).length).toBe(190)
    expect(significant(burst, { ...options, runs: 10 })).toEqual([])
  })
})
