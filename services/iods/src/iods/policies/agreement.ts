import { AGREEMENTS, type Agreement, THIRD_VOTES, type ThirdVote } from '@iodine/contracts'
import type { QueryFilter } from 'mongoose'
import type { IodDoc } from '../models/iod.js'

/** Minimum votes of an agreed, mixed or disputed IOD. */
export const DECIDED_MIN = 3
/** Percentage of votes on the majority's side, from which an IOD is agreed or mixed. */
const AGREED = 80
const MIXED = 60

const HOUR_MS = 3_600_000
/** Longest times to the third vote. */
const LIMITS_MS = { hour: HOUR_MS, day: 24 * HOUR_MS, week: 168 * HOUR_MS, month: 720 * HOUR_MS } as const

/** Returns the agreement of an IOD's votes, as an index into `AGREEMENTS`. */
export const agreementOf = (total: number, disputed: number): number => {
  const name = (): Agreement => {
    if (total === 0) return 'none'
    if (total < DECIDED_MIN) return 'few'
    const share = 100 * (total - disputed)
    return share >= AGREED * total ? 'agreed' : share >= MIXED * total ? 'mixed' : 'disputed'
  }
  return AGREEMENTS.indexOf(name())
}

/** Returns the class of the time to the third vote, as an index into `THIRD_VOTES`. */
export const thirdVoteOf = (created: Date, third: Date | null | undefined): number => {
  if (!third) return THIRD_VOTES.indexOf('never')
  const ms = third.getTime() - created.getTime()
  const within = Object.values(LIMITS_MS).findIndex(limit => ms <= limit)
  return within < 0 ? THIRD_VOTES.indexOf('later') : within
}

/** Returns a filter of the IODs of an agreement. */
export const ofAgreement = (agreement: Agreement): QueryFilter<IodDoc> => {
  if (agreement === 'none') return { votes_total: 0 }
  if (agreement === 'few') return { votes_total: { $gt: 0, $lt: DECIDED_MIN } }
  const share = { $multiply: [100, { $subtract: ['$votes_total', '$votes_disputed'] }] }
  const atLeast = (percent: number) => ({ $gte: [share, { $multiply: [percent, '$votes_total'] }] })
  const condition = {
    agreed: atLeast(AGREED),
    mixed: { $and: [atLeast(MIXED), { $not: [atLeast(AGREED)] }] },
    disputed: { $not: [atLeast(MIXED)] },
  }[agreement]
  return { votes_total: { $gte: DECIDED_MIN }, $expr: condition }
}

/** Time of an IOD's third vote, as an aggregation expression; missing without one. */
export const THIRD_VOTE_AT = { $arrayElemAt: ['$votes.created_at', DECIDED_MIN - 1] }

/** Returns a filter of the IODs of a class of the time to the third vote. */
export const ofThirdVote = (within: ThirdVote): QueryFilter<IodDoc> => {
  if (within === 'never') return { votes_total: { $lt: DECIDED_MIN } }
  const ms = { $subtract: [THIRD_VOTE_AT, '$created_at'] }
  const limits = Object.values(LIMITS_MS)
  const at = THIRD_VOTES.indexOf(within)
  const above = at > 0 ? [{ $gt: [ms, limits[at - 1]] }] : []
  const to = at < limits.length ? [{ $lte: [ms, limits[at]] }] : []
  return { votes_total: { $gte: DECIDED_MIN }, $expr: { $and: [...above, ...to] } }
}
