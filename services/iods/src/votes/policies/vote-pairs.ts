import type { VoteType } from '@iodine/contracts'
import type { VoteDoc } from '../../iods/models/iod.js'

/** Two votes on the same side of an IOD within this time of each other count as cast together. */
export const TOGETHER_MS = 10 * 60_000
/**
 * A vote is paired with at most this many votes before it on its side: a popular IOD with thousands of votes in
 * ten minutes makes work in proportion to its votes, not to their square.
 */
export const PAIRED_MAX = 32

type Vote = Pick<VoteDoc, 'user_id' | 'vote_type' | 'created_at'>
/** A vote of a side with its place among the side's votes, those of deleted accounts included. */
export interface PlacedVote<V extends Vote = Vote> {
  vote: V
  place: number
}

/** The votes of a side in the order in which they are stored. */
export const votesOfSide = <V extends Vote>(votes: readonly V[], side: VoteType): PlacedVote<V>[] =>
  votes.filter(({ vote_type }) => vote_type === side).map((vote, place) => ({ vote, place }))

/**
 * The time since which two votes of a side count as cast together: that of the later one, in milliseconds.
 * Undefined if they are not cast together.
 */
export const togetherSince = (one: PlacedVote, other: PlacedVote): number | undefined => {
  const [a, b] = [one.vote.created_at.getTime(), other.vote.created_at.getTime()]
  const isTogether = Math.abs(one.place - other.place) <= PAIRED_MAX && Math.abs(a - b) <= TOGETHER_MS
  return isTogether ? Math.max(a, b) : undefined
}

/** A period: after `from` up to `to`, in milliseconds. */
export interface Period {
  from: number
  to: number
}
const isIn = (time: number, { from, to }: Period) => time > from && time <= to

/**
 * What an IOD adds to the counts of a period, by `a:b` with the two users' ids in order: 1 for each pair that
 * voted together, and 1 under `a:a` for each vote. Votes of deleted accounts keep their places, so that what
 * others have in common doesn't change by a deletion.
 */
export function* pairsIn(votes: readonly Vote[], period: Period): Generator<readonly [string, string]> {
  for (const type of ['POSITIVE', 'NEGATIVE'] as const) {
    const side = votesOfSide(votes, type)
    for (const [place, later] of side.entries()) {
      const user = later.vote.user_id?.toHexString()
      if (user === undefined) continue
      if (isIn(later.vote.created_at.getTime(), period)) yield [user, user]
      for (const earlier of side.slice(Math.max(0, place - PAIRED_MAX), place)) {
        const other = earlier.vote.user_id?.toHexString()
        const since = togetherSince(earlier, later)
        if (other === undefined || since === undefined || !isIn(since, period)) continue
        yield user < other ? [user, other] : [other, user]
      }
    }
  }
}
