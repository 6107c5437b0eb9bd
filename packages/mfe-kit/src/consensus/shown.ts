import type { Consensus } from '@iodine/contracts'

/** Minimum number of votes for a row to show how many are independent. */
const VOTES_MIN = 3
/** Share of independent votes up to which a row shows their number. */
const SHARE_MAX = 0.5

/** Returns the number of independent voters of both sides. */
export const independentOf = (consensus: Consensus): number => consensus.for + consensus.against

/** Returns whether a row shows the number of independent votes. */
export const consensusShown = (votes: number, consensus: Consensus | undefined): consensus is Consensus =>
  consensus !== undefined && votes >= VOTES_MIN && independentOf(consensus) <= votes * SHARE_MAX
