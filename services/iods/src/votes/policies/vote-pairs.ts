import type { VoteType } from '@iodine/contracts'
import type { VoteDoc } from '../../iods/models/iod.js'

/** Two votes on the same side of an IOD within this time of each other count as cast together. */
export const TOGETHER_MS = 10 * 60_000
/**
 * Maximum number of preceding votes of its side that a vote is paired with: the work of a popular IOD with thousands of
 * votes in ten minutes grows with its votes, not with their square.
 */
export const PAIRED_MAX = 32

type Vote = Pick<VoteDoc, 'user_id' | 'vote_type' | 'created_at'>
/** A vote of a side with its position among the side's votes, those of deleted accounts included. */
export interface PositionedVote<V extends Vote = Vote> {
  vote: V
  position: number
}

/** Returns the votes of a side in the order in which they are stored. */
export const votesOfSide = <V extends Vote>(votes: readonly V[], side: VoteType): PositionedVote<V>[] =>
  votes.filter(({ vote_type }) => vote_type === side).map((vote, position) => ({ vote, position }))

/**
 * Returns the time since which two votes of a side count as cast together: that of the later one, in milliseconds.
 * Undefined if they do not count as cast together.
 */
export const togetherSince = (one: PositionedVote, other: PositionedVote): number | undefined => {
  const [a, b] = [one.vote.created_at.getTime(), other.vote.created_at.getTime()]
  const isTogether = Math.abs(one.position - other.position) <= PAIRED_MAX && Math.abs(a - b) <= TOGETHER_MS
  return isTogether ? Math.max(a, b) : undefined
}

/** A period after `from` up to and including `to`, in milliseconds. */
export interface Period {
  from: number
  to: number
}
const isIn = (time: number, { from, to }: Period) => time > from && time <= to

/**
 * Yields the pairs of user ids that an IOD adds to the counts of a period, the smaller id first: one for each pair that
 * voted together, and `[a, a]` for each vote. Votes of deleted accounts keep their positions, so that a deletion does
 * not change the counts of others.
 */
export function* pairsIn(votes: readonly Vote[], period: Period): Generator<readonly [string, string]> {
  for (const type of ['POSITIVE', 'NEGATIVE'] as const) {
    const side = votesOfSide(votes, type)
    for (const [position, later] of side.entries()) {
      const user = later.vote.user_id?.toHexString()
      if (user === undefined) continue
      if (isIn(later.vote.created_at.getTime(), period)) yield [user, user]
      for (const earlier of side.slice(Math.max(0, position - PAIRED_MAX), position)) {
        const other = earlier.vote.user_id?.toHexString()
        const since = togetherSince(earlier, later)
        if (other === undefined || since === undefined || !isIn(since, period)) continue
        yield user < other ? [user, other] : [other, user]
      }
    }
  }
}
