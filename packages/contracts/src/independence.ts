/** Numbers of independent votes of an IOD, as estimated by the iods service. */
export interface IndependentVotes {
  for: number
  against: number
}

/** Minimum number of votes whose independence is shown. */
const VOTES_MIN = 3
/** Share of independent votes up to which their number is shown. */
const SHARE_MAX = 0.5

/** Returns the number of independent votes of both sides. */
export const independentOf = (votes: IndependentVotes): number => votes.for + votes.against

/** Returns whether the app and the extension show the number of independent votes: at most half of three or more. */
export const showsIndependence = <T extends IndependentVotes>(
  votes: number,
  independent: T | undefined,
): independent is T =>
  independent !== undefined && votes >= VOTES_MIN && independentOf(independent) <= votes * SHARE_MAX
