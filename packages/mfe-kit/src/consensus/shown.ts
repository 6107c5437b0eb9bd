import type { Consensus } from '@iodine/contracts'

type Sides = Pick<Consensus, 'for' | 'against'>

/** Minimum number of votes whose independence is shown. */
const VOTES_MIN = 3
/** Share of independent votes up to which their number is shown. */
const SHARE_MAX = 0.5

/** Returns the number of independent voters of both sides. */
export const independentOf = (consensus: Sides): number => consensus.for + consensus.against

/** Returns whether the number of independent votes is shown. */
export const consensusShown = <T extends Sides>(votes: number, consensus: T | undefined): consensus is T =>
  consensus !== undefined && votes >= VOTES_MIN && independentOf(consensus) <= votes * SHARE_MAX
