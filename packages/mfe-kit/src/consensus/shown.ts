import type { Consensus } from '@iodine/contracts'

/** Fewer votes are worth little in any case. */
const VOTES_LEAST = 3
/** Difference from the number of votes from which on it is told: a tenth, and at least a half. */
const SHARE = 0.1
const LEAST = 0.5

/** Number of independent voters of both sides. */
export const independentOf = (consensus: Consensus): number => consensus.for + consensus.against

/** Whether a row tells that an IOD's votes are worth noticeably less than their number. */
export const consensusShown = (votes: number, consensus: Consensus | undefined): consensus is Consensus =>
  consensus !== undefined &&
  votes >= VOTES_LEAST &&
  votes - independentOf(consensus) >= Math.max(LEAST, votes * SHARE)
