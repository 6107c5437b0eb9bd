import { lengthOfEntry, type Signature, SKETCH_LENGTH } from './signature.js'

/** Longer words say more. */
const weightOf = (entry: number): number => Math.sqrt(lengthOfEntry(entry))

const entriesOf = ({ sketch }: Pick<Signature, 'sketch'>): number[] => sketch.filter(entry => entry !== 0)

/** The largest hash up to which a sketch is known to have all words of its text. */
const reach = (entries: readonly number[]): number =>
  entries.length < SKETCH_LENGTH ? Number.POSITIVE_INFINITY : (entries.at(-1) as number)

/** Weights of the words that two sketches share, and of those that one alone has, as far as both reach. */
const compare = (a: readonly number[], b: readonly number[], weight: (entry: number) => number) => {
  const end = Math.min(reach(a), reach(b))
  let both = 0
  let onlyA = 0
  let onlyB = 0
  let m = 0
  let n = 0
  for (;;) {
    const next = a[m] ?? Number.POSITIVE_INFINITY
    const other = b[n] ?? Number.POSITIVE_INFINITY
    const least = Math.min(next, other)
    if (least > end || least === Number.POSITIVE_INFINITY) return { both, onlyA, onlyB }
    if (next === other) {
      both += weight(least)
      m++
      n++
    } else if (next < other) {
      onlyA += weight(least)
      m++
    } else {
      onlyB += weight(least)
      n++
    }
  }
}

/**
 * How alike two texts are, by signatures of one seed: 1 for the same content words, 0 for none in common. The share of
 * words that both have (Jaccard), longer words weighing more; exact for texts of up to 96 content words, else estimated
 * from the 96 smallest hashes (bottom-k; Cohen and Kaplan, 2007). Symmetric.
 */
export function likeness(a: Signature, b: Signature): number {
  if (a.exact === b.exact) return 1
  const { both, onlyA, onlyB } = compare(entriesOf(a), entriesOf(b), weightOf)
  return both === 0 ? 0 : both / (both + (onlyA + onlyB))
}

/** Shares of the words that the query or the candidate alone has (Tversky, 1977): a post says more than what it retells. */
const QUERY_ALONE = 0.6
const CANDIDATE_ALONE = 0.3

/**
 * Scores of candidates for a query, from 0 to 1 and in their order, to rank them by: like `likeness`, but that a word
 * weighs more the fewer candidates have it. Time grows with the number of candidates.
 */
export function rankingScores(
  query: Pick<Signature, 'sketch'>,
  candidates: readonly Pick<Signature, 'sketch'>[],
): number[] {
  const sketches = candidates.map(entriesOf)
  const holders = new Map<number, number>()
  for (const entries of sketches) {
    for (const entry of entries) holders.set(entry, (holders.get(entry) ?? 0) + 1)
  }
  const weight = (entry: number) =>
    weightOf(entry) * Math.log(1 + (candidates.length + 1) / ((holders.get(entry) ?? 0) + 0.5))
  const asked = entriesOf(query)
  return sketches.map(entries => {
    const { both, onlyA, onlyB } = compare(asked, entries, weight)
    return both === 0 ? 0 : both / (both + QUERY_ALONE * onlyA + CANDIDATE_ALONE * onlyB)
  })
}
