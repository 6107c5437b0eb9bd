import { lengthOfEntry, type Signature, SKETCH_LENGTH } from './signature.js'

/** Returns the weight of a sketch entry: longer words weigh more. */
const weightOf = (entry: number): number => Math.sqrt(lengthOfEntry(entry))

const entriesOf = ({ sketch }: Pick<Signature, 'sketch'>): number[] => sketch.filter(entry => entry !== 0)

/** Returns the largest hash up to which a sketch contains all words of its text. */
const reach = (entries: readonly number[]): number =>
  entries.length < SKETCH_LENGTH ? Number.POSITIVE_INFINITY : (entries.at(-1) as number)

/** Returns the weights of the words in both sketches and in only one, up to the smaller reach of both. */
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
 * Returns the weighted Jaccard similarity of two texts by signatures of one seed: 1 for the same content words, 0 for
 * none in common. Longer words weigh more. Exact for texts of up to 96 content words, else estimated from the 96
 * smallest hashes (bottom-k; Cohen and Kaplan, 2007). Symmetric.
 */
export function likeness(a: Signature, b: Signature): number {
  if (a.exact === b.exact) return 1
  const { both, onlyA, onlyB } = compare(entriesOf(a), entriesOf(b), weightOf)
  return both === 0 ? 0 : both / (both + (onlyA + onlyB))
}

/**
 * Weights of words that only the query or only the candidate contains (Tversky, 1977): a candidate post may contain
 * more than the claim that is searched for.
 */
const QUERY_ALONE = 0.6
const CANDIDATE_ALONE = 0.3

/**
 * Returns ranking scores of candidates for a query, from 0 to 1, in the order of the candidates. Like `likeness`, but a
 * word weighs more the fewer candidates contain it. Linear in the number of candidates.
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
  const wanted = entriesOf(query)
  return sketches.map(entries => {
    const { both, onlyA, onlyB } = compare(wanted, entries, weight)
    return both === 0 ? 0 : both / (both + QUERY_ALONE * onlyA + CANDIDATE_ALONE * onlyB)
  })
}
