/** Agreement of clusters with labelled ones, each value from 0 to 1. */
export interface ClusteringF1 {
  macro: number
  micro: number
  pair: number
  /** The average of the three. */
  mean: number
}

type ClustersOf = ReadonlyMap<string, ReadonlySet<string>>

const harmonic = (a: number, b: number) => (a + b > 0 ? (2 * a * b) / (a + b) : 0)
const ratio = (part: number, whole: number) => (whole > 0 ? part / whole : 0)

const groupsOf = (clusters: ClustersOf): string[][] => {
  const groups = new Map<string, string[]>()
  for (const [element, names] of clusters)
    for (const name of names) {
      const group = groups.get(name)
      if (group) group.push(element)
      else groups.set(name, [element])
    }
  return [...groups.values()]
}

/**
 * Compares groups with others: share of groups that lie within one, share of elements in the largest parts, pairs, and
 * equal pairs.
 */
const agreement = (groups: readonly string[][], others: ClustersOf) => {
  let [whole, elements, inLargest, pairs, equal] = [0, 0, 0, 0, 0]
  for (const group of groups) {
    const counts = new Map<string, number>()
    for (const element of group)
      for (const other of others.get(element) ?? []) counts.set(other, (counts.get(other) ?? 0) + 1)
    const largest = Math.max(0, ...counts.values())
    if (largest === group.length) whole++
    elements += group.length
    inLargest += largest
    pairs += (group.length * (group.length - 1)) / 2
    for (const count of counts.values()) equal += (count * (count - 1)) / 2
  }
  return { macro: ratio(whole, groups.length), micro: ratio(inLargest, elements), pairs, equal }
}

/**
 * Macro, micro and pairwise F1 of clusters, as in Galárraga et al., Canonicalizing Open Knowledge Bases (CIKM 2014)
 * and Vashishth et al., CESI (WWW 2018).
 *
 * @param found the cluster of each element
 * @param labelled the labelled clusters of each element
 */
export const clusteringF1 = (found: ReadonlyMap<string, string>, labelled: ClustersOf): ClusteringF1 => {
  const clusters = new Map([...found].map(([element, name]) => [element, new Set([name])]))
  const precision = agreement(groupsOf(clusters), labelled)
  const recall = agreement(groupsOf(labelled), clusters)
  const macro = harmonic(precision.macro, recall.macro)
  const micro = harmonic(precision.micro, recall.micro)
  const pair = harmonic(ratio(precision.equal, precision.pairs), ratio(precision.equal, recall.pairs))
  return { macro, micro, pair, mean: (macro + micro + pair) / 3 }
}

/** A label with the name of its meaning. */
export interface LabelledPart {
  label: string
  means: string
}

/** Reads lines of `label = name | label = name | label = name`; those that begin with # are comments. */
export const labelledTriplets = (text: string): Record<'subject' | 'verb' | 'object', LabelledPart>[] =>
  text
    .split('\n')
    .filter(line => line && !line.startsWith('#'))
    .map(line => {
      const [subject, verb, object] = line.split(' | ').map(part => {
        const [label = '', means = ''] = part.split(' = ')
        return { label, means }
      })
      if (!subject || !verb || !object) throw new Error(`not three labels: ${line}`)
      return { subject, verb, object }
    })
