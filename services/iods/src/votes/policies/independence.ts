/** Normal quantile of a two-sided 95 % interval. */
const Z = 1.959_964
/** Weight of the assumption that two people who have seldom voted are independent. */
const PRIOR_VOTES = 3

/** Dependence of a voter on others, 0 to 1: 0 for independent voters, 1 where one repeats the other. */
export type Dependence<K> = (voter: K) => Iterable<readonly [other: K, dependence: number]>

/**
 * Returns how far two voters depend on each other, 0 to 1. Voting together once may be chance and counts as 0.
 * @param together other IODs that both voted on, on the same side and within ten minutes of each other
 * @param votesOfOne votes of one of them on other IODs
 * @param votesOfOther votes of the other
 */
export const dependence = (together: number, votesOfOne: number, votesOfOther: number): number =>
  Math.min(1, Math.max(0, (together - 1) / (Math.min(votesOfOne, votesOfOther) + PRIOR_VOTES)))

/**
 * Returns the weight of each voter of a side, 0 to 1: 1 / Σ d(voter, v) over all voters v of the side, with
 * d(voter, voter) = 1. A group that always votes together weighs 1 in total, regardless of its size (the weighting of
 * similar sequences by the size of their cluster, Vingron and Argos 1989). Unlike with n² / Σ d over the side, a group
 * that joins a side does not lower the weight of voters independent of it, and no voter weighs less than by counting
 * groups. A voter who repeats another in everything adds at most 3 − 2√2 ≈ 0.172.
 * @param voters of one side, each once
 * @param dependent the other voters that a voter depends on; voters outside the side are ignored
 */
export const independenceWeights = <K>(voters: Iterable<K>, dependent: Dependence<K>): Map<K, number> => {
  const side = new Set(voters)
  const weights = new Map<K, number>()
  for (const voter of side) {
    let sum = 1
    for (const [other, d] of dependent(voter)) if (other !== voter && side.has(other)) sum += d
    weights.set(voter, 1 / sum)
  }
  return weights
}

/** Returns the effective number of independent voters of a side: between 0 and the number of its voters. */
export const independentVoters = (weights: ReadonlyMap<unknown, number>): number => {
  let sum = 0
  for (const weight of weights.values()) sum += weight
  return sum
}

/**
 * Returns the sizes of the groups of a side that mostly vote together, largest first: the connected components of two
 * or more voters, linked by a dependence of at least `least`.
 */
export const groupSizes = <K>(voters: Iterable<K>, dependent: Dependence<K>, least = 0.5): number[] => {
  const left = new Set(voters)
  const sizes: number[] = []
  for (const first of left) {
    left.delete(first)
    const group = [first]
    // The loop also visits the voters that it adds.
    for (const voter of group)
      for (const [other, d] of dependent(voter)) if (d >= least && left.delete(other)) group.push(other)
    if (group.length > 1) sizes.push(group.length)
  }
  return sizes.sort((a, b) => b - a)
}

/**
 * Returns the lower bound of the share of positive votes, 0 to 1, at 95 %: the score interval of E. B. Wilson,
 * "Probable inference, the law of succession, and statistical inference", JASA 22 (1927), 209–212. 0 without votes.
 * Numbers of independent voters may be fractional.
 */
export const confidenceOf = (positive: number, negative: number): number => {
  const n = positive + negative
  if (n <= 0) return 0
  const margin = Z * Math.sqrt(positive * (negative / n) + Z ** 2 / 4)
  return Math.max(0, (positive + Z ** 2 / 2 - margin) / (n + Z ** 2))
}
