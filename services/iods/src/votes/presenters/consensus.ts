import type { Consensus } from '@iodine/contracts'
import type { WeighedSide, WeighedVotes } from '../policies/consensus.js'

const round = (n: number) => Math.round(n * 100) / 100
const format = (n: number) => n.toLocaleString('en-US', { maximumFractionDigits: 1 })
const some = (n: number, one: string, more: string) => `${n.toLocaleString('en-US')} ${n === 1 ? one : more}`
/** Maximum groups whose sizes are listed. */
const GROUPS_NAMED = 3

/** Presents consensus to clients. Of groups it discloses only the sizes, never the members. */
export const presentConsensus = (weighed: WeighedVotes): Consensus => {
  const { positive, negative, confidence } = weighed
  return {
    for: round(positive.independent),
    against: round(negative.independent),
    confidence: Math.round(confidence * 1_000) / 1_000,
    reason: reasonOf(positive, negative),
  }
}

/**
 * Returns the confidence of STIX 2.1 (section 3.2), 0 to 100: the lower bound of the share of positive votes, in
 * percent; null if no vote counts. On the scale of appendix A 1–29 is low, 30–69 medium and 70–100 high.
 */
export const confidenceOf = (consensus: Pick<Consensus, 'for' | 'against' | 'confidence'>): number | null =>
  consensus.for + consensus.against > 0 ? Math.round(consensus.confidence * 100) : null

const reasonOf = (positive: WeighedSide, negative: WeighedSide): string => {
  const sides = [positive, negative]
  const sum = (of: (side: WeighedSide) => number) => sides.reduce((n, side) => n + of(side), 0)
  const votes = sum(side => side.votes)
  if (votes === 0) return 'No votes yet.'
  const independent = sum(side => side.independent)
  const groups = sides.flatMap(side => side.groups).sort((a, b) => b - a)
  const newcomers = sum(side => side.newcomers)
  const deleted = sum(side => side.deleted)
  const parts = [
    ...(groups.length > 0
      ? [`${sizes(groups)} mostly vote the same within ten minutes of each other on other IODs`]
      : []),
    ...(newcomers > 0
      ? [`${some(newcomers, 'is', 'are')} from ${newcomers === 1 ? 'a new account' : 'new accounts'}`]
      : []),
    ...(deleted > 0
      ? [`${some(deleted, 'is', 'are')} from ${deleted === 1 ? 'a deleted account' : 'deleted accounts'}`]
      : []),
    ...(sides.some(({ creator }) => creator) ? ["the creator's own does not count"] : []),
  ]
  const counted = `${some(votes, 'vote counts', 'votes count')} like ${independentOnes(independent)}`
  if (parts.length > 0) return `${counted}: ${parts.join(', ')}.`
  return votes - independent < 0.05
    ? `${counted}: no two of these voters often vote together.`
    : `${counted}: some of these voters occasionally vote the same within ten minutes of each other on other IODs.`
}

const independentOnes = (n: number) => `${format(n)} independent ${format(n) === '1' ? 'one' : 'ones'}`

/** Formats group sizes: 'a group of 9', 'groups of 9 and 3', 'groups of 9, 3, 2 and 4 more groups'. */
const sizes = (groups: number[]): string => {
  const named = groups.slice(0, GROUPS_NAMED).map(String)
  if (groups.length > GROUPS_NAMED)
    named.push(`${some(groups.length - GROUPS_NAMED, 'more group', 'more groups')}`)
  const last = named.pop() ?? ''
  return named.length === 0 ? `a group of ${last}` : `groups of ${named.join(', ')} and ${last}`
}
