import type { VoteType } from '@iodine/contracts'
import { seededRandom } from '@iodine/test-kit'
import { Types } from 'mongoose'
import { expect, it } from 'vitest'
import type { VoteDoc } from '../src/iods/models/iod.js'
import { type VoterHistory, weighVotes } from '../src/votes/policies/consensus.js'
import { pairsIn } from '../src/votes/policies/vote-pairs.js'

const DAY = 24 * 3_600_000
const NOW = Date.UTC(2026, 5, 1)
const BEGIN = NOW - 100 * DAY

/** Creates the id of an account of this age, a year by default. */
const account = (days = 365) => {
  const time = Math.floor((NOW - days * DAY) / 1_000)
  return new Types.ObjectId(`${time.toString(16)}${new Types.ObjectId().toHexString().slice(8)}`)
}
const cast = (user_id: Types.ObjectId, vote_type: VoteType, time: number): VoteDoc => ({
  _id: new Types.ObjectId(),
  user_id,
  vote_type,
  created_at: new Date(time),
})
interface Simulated {
  created_by: null
  votes: VoteDoc[]
  isTrue: boolean
  isContested: boolean
}

const historyOf = (iods: Simulated[]): VoterHistory => {
  const votes = new Map<string, number>()
  const together = new Map<string, Map<string, number>>()
  for (const iod of iods)
    for (const [a, b] of pairsIn(iod.votes, { from: 0, to: NOW })) {
      if (a === b) votes.set(a, (votes.get(a) ?? 0) + 1)
      else
        for (const [one, other] of [
          [a, b],
          [b, a],
        ] as const) {
          const others = together.get(one) ?? new Map<string, number>()
          together.set(one, others.set(other, (others.get(other) ?? 0) + 1))
        }
    }
  return { upTo: NOW, votes, together }
}

/**
 * Simulates 40 honest voters and a ring of 20. Each honest voter votes on a quarter of the IODs within three days, and
 * is right nine times of ten. The ring votes within ten minutes, always wrong, on 43 of 200 IODs.
 */
const simulate = (seed: number, isCloned = false) => {
  const random = seededRandom(seed)
  const honest = Array.from({ length: 40 }, () => account())
  const ring = Array.from({ length: 20 }, () => account())
  const clone = account()
  const iods: Simulated[] = Array.from({ length: 200 }, (_, n) => {
    const isTrue = random() < 0.5
    const right = (is: boolean): VoteType => (is === isTrue ? 'POSITIVE' : 'NEGATIVE')
    const begin = BEGIN + random() * 90 * DAY
    const votes = honest
      .filter(() => random() < 0.25)
      .map(user => cast(user, right(random() < 0.9), begin + random() * 3 * DAY))
    const cloned = votes.find(({ user_id }) => user_id === honest[0])
    if (isCloned && cloned) votes.push(cast(clone, cloned.vote_type, cloned.created_at.getTime() + 30_000))
    const isContested = n < 43
    if (isContested) {
      const meet = begin + random() * 3 * DAY
      votes.push(...ring.map(user => cast(user, right(false), meet + random() * 9 * 60_000)))
    }
    votes.sort((a, b) => a.created_at.getTime() - b.created_at.getTime())
    return { created_by: null, votes, isTrue, isContested }
  })
  const history = historyOf(iods)
  return { iods, honest, clone, weigh: (iod: Simulated) => weighVotes(iod, history, NOW) }
}

const SEEDS = [1, 2, 3, 4, 5]

it.each(SEEDS)('a ring of 20 loses against 40 honest voters the IODs that it wins by counting (%i)', seed => {
  const { iods, weigh } = simulate(seed)
  let byCount = 0
  let byWeight = 0
  for (const iod of iods.filter(({ isContested }) => isContested)) {
    const { positive, negative } = weigh(iod)
    if (positive.votes > negative.votes === iod.isTrue) byCount++
    if (positive.independent > negative.independent === iod.isTrue) byWeight++
    const ofRing = iod.isTrue ? negative : positive
    expect(ofRing.groups[0]).toBeGreaterThanOrEqual(20)
  }
  expect(byCount).toBe(0)
  expect(byWeight).toBeGreaterThanOrEqual(40)
})

it.each(SEEDS)('honest voters keep 0.95 of their votes on IODs without a ring (%i)', seed => {
  const { iods, weigh } = simulate(seed)
  let votes = 0
  for (const iod of iods.filter(({ isContested }) => !isContested)) {
    const { positive, negative } = weigh(iod)
    for (const side of [positive, negative])
      if (side.votes > 0) expect(side.independent / side.votes).toBeGreaterThanOrEqual(0.95)
    votes += positive.votes + negative.votes
  }
  expect(votes).toBeGreaterThan(1_000)
})

it.each(SEEDS)('a ring on the side of honest voters does not lower their weight (%i)', seed => {
  const { iods, weigh } = simulate(seed)
  for (const iod of iods.filter(({ isContested }) => isContested)) {
    const ringSide = iod.isTrue ? 'NEGATIVE' : 'POSITIVE'
    const { positive, negative } = weigh(iod)
    const side = ringSide === 'POSITIVE' ? positive : negative
    const honest = side.votes - 20
    expect(side.independent).toBeGreaterThanOrEqual(honest * 0.9)
    expect(side.independent).toBeLessThanOrEqual(honest + 1.5)
  }
})

it.each(SEEDS)('a voter who repeats another’s votes half a minute later adds at most 0.2 (%i)', seed => {
  const plain = simulate(seed)
  const cloned = simulate(seed, true)
  let seen = 0
  for (const [n, iod] of cloned.iods.entries()) {
    if (!iod.votes.some(({ user_id }) => user_id === cloned.clone)) continue
    const [before, after] = [plain.weigh(plain.iods[n] as Simulated), cloned.weigh(iod)]
    for (const side of ['positive', 'negative'] as const)
      expect(after[side].independent - before[side].independent).toBeLessThanOrEqual(0.2)
    seen++
  }
  expect(seen).toBeGreaterThan(20)
})

it('new accounts count 1 together, deleted accounts count 1 together, the creator counts 0', () => {
  const [creator, old, young] = [account(), account(), account(6)]
  const time = NOW - DAY
  const deleted = { ...cast(old, 'POSITIVE', time), user_id: null }
  const votes = [
    cast(creator, 'POSITIVE', time),
    cast(old, 'POSITIVE', time),
    cast(young, 'POSITIVE', time),
    cast(account(), 'POSITIVE', time),
    deleted,
    deleted,
    cast(young, 'NEGATIVE', time),
  ]
  const counts = new Map([creator, old, young].map(user => [user.toHexString(), 5]))
  const history: VoterHistory = { upTo: NOW, votes: counts, together: new Map() }
  const { positive, negative } = weighVotes({ created_by: creator, votes }, history, NOW)
  expect(positive).toEqual({
    votes: 6,
    independent: 3,
    groups: [],
    newcomers: 2,
    deleted: 2,
    creator: true,
  })
  expect(negative).toMatchObject({ independent: 1, newcomers: 1 })
})
