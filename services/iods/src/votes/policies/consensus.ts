import type { VoteType } from '@iodine/contracts'
import type { VoteDoc } from '../../iods/models/iod.js'
import {
  confidenceOf,
  dependence,
  groupSizes,
  independenceWeights,
  independentVoters,
} from './independence.js'
import { type PositionedVote, togetherSince, votesOfSide } from './vote-pairs.js'

/** Accounts that are younger, or have fewer votes, count as one voter together. */
export const ESTABLISHED_MS = 7 * 24 * 3_600_000
export const ESTABLISHED_VOTES = 5

/** Voting history of all voters of some IODs, by hexadecimal user id. */
export interface VoterHistory {
  /** Votes up to this time are counted, in milliseconds. */
  upTo: number
  /** Numbers of votes; voters with fewer than two may be missing. */
  votes: ReadonlyMap<string, number>
  /** Numbers of times that two voters voted together, in both directions; numbers below two may be missing. */
  together: ReadonlyMap<string, ReadonlyMap<string, number>>
}

/** Weighed votes of a side. */
export interface WeighedSide {
  /** All votes, the creator's included. */
  votes: number
  /** Number of independent voters. */
  independent: number
  /** Sizes of the groups that mostly vote together, largest first. */
  groups: number[]
  /** New accounts, which count 1 together. */
  newcomers: number
  /** Voters whose accounts are deleted, who count 1 together. */
  deleted: number
  /** Whether the creator has voted; that vote counts 0. */
  creator: boolean
}

export interface WeighedVotes {
  positive: WeighedSide
  negative: WeighedSide
  /** Wilson's lower bound of the share of positive votes, 0 to 1. */
  confidence: number
}

type VotedIod = { created_by: { toHexString(): string } | null; votes: readonly VoteDoc[] }

/**
 * Weighs the votes of an IOD by how independent the voters are of each other on other IODs.
 * @param now in milliseconds: an account's age is read from its id, an ObjectId made with the account
 */
export const weighVotes = (iod: VotedIod, history: VoterHistory, now: number): WeighedVotes => {
  const side = (type: VoteType) => weighSide(votesOfSide(iod.votes, type), iod.created_by, history, now)
  const [positive, negative] = [side('POSITIVE'), side('NEGATIVE')]
  return { positive, negative, confidence: confidenceOf(positive.independent, negative.independent) }
}

const weighSide = (
  side: PositionedVote<VoteDoc>[],
  creator: VotedIod['created_by'],
  { upTo, votes, together }: VoterHistory,
  now: number,
): WeighedSide => {
  const established = new Map<string, PositionedVote<VoteDoc>>()
  const result = { votes: side.length, newcomers: 0, deleted: 0, creator: false }
  /** Returns the number of a voter's votes on other IODs. */
  const elsewhere = (user: string, { vote }: PositionedVote<VoteDoc>) =>
    Math.max(0, (votes.get(user) ?? 1) - (vote.created_at.getTime() <= upTo ? 1 : 0))
  for (const positioned of side) {
    const id = positioned.vote.user_id
    const user = id?.toHexString()
    if (!id || user === undefined) result.deleted++
    else if (user === creator?.toHexString()) result.creator = true
    else if (
      now - id.getTimestamp().getTime() < ESTABLISHED_MS ||
      elsewhere(user, positioned) + 1 < ESTABLISHED_VOTES
    )
      result.newcomers++
    else established.set(user, positioned)
  }
  const dependent = new Map<string, [string, number][]>()
  for (const [user, positioned] of established) {
    const others: [string, number][] = []
    for (const [other, n] of together.get(user) ?? []) {
      const otherPositioned = established.get(other)
      if (!otherPositioned) continue
      // This IOD's own addition to the count must not lower the weight of its votes.
      const since = togetherSince(positioned, otherPositioned)
      const onOthers = n - (since !== undefined && since <= upTo ? 1 : 0)
      const d = dependence(onOthers, elsewhere(user, positioned), elsewhere(other, otherPositioned))
      if (d > 0) others.push([other, d])
    }
    dependent.set(user, others)
  }
  const of = (user: string) => dependent.get(user) ?? []
  const weights = independenceWeights(established.keys(), of)
  return {
    ...result,
    independent: independentVoters(weights) + Math.min(1, result.newcomers) + Math.min(1, result.deleted),
    groups: groupSizes(established.keys(), of),
  }
}
