/** Sets `found[n]` to 1 for each term `n` that the text contains. */
export type Matcher = (text: string, found: Uint8Array) => void

const NONE = -1

/** Returns the key of an edge: nodes are below 2^37. */
const edgeOf = (node: number, unit: number): number => node * 65_536 + unit

/**
 * Creates a matcher of many terms: A. V. Aho and M. J. Corasick, "Efficient String Matching", CACM 18 (1975). It takes
 * time linear in the text, whatever the terms are. Empty terms are never found.
 */
export const createMatcher = (terms: readonly string[]): Matcher => {
  /** Nodes by edge, without those from the root, which are in `first`. */
  const edges = new Map<number, number>()
  const first = new Uint32Array(65_536)
  const next = (node: number, unit: number): number =>
    node === 0 ? (first[unit] as number) : (edges.get(edgeOf(node, unit)) ?? 0)
  /** For each node: its parent and unit, the node of its longest proper suffix, and its term. */
  const nodes = [{ parent: 0, unit: 0, suffix: 0, terms: [] as number[], shorter: NONE }]

  const add = (parent: number, unit: number): number => {
    const node = nodes.push({ parent, unit, suffix: 0, terms: [], shorter: NONE }) - 1
    if (parent === 0) first[unit] = node
    else edges.set(edgeOf(parent, unit), node)
    return node
  }
  const byDepth: number[][] = []
  for (const [n, term] of terms.entries()) {
    let node = 0
    for (let at = 0; at < term.length; at++) {
      const unit = term.charCodeAt(at)
      const known = next(node, unit)
      node = known || add(node, unit)
      if (known) continue
      const level = byDepth[at] ?? []
      byDepth[at] = level
      level.push(node)
    }
    if (node !== 0) nodes[node]?.terms.push(n)
  }
  const follow = (from: number, unit: number): number => {
    let node = from
    for (;;) {
      const to = next(node, unit)
      if (to !== 0 || node === 0) return to
      node = nodes[node]?.suffix as number
    }
  }
  for (const node of byDepth.flat()) {
    const entry = nodes[node] as (typeof nodes)[number]
    if (entry.parent !== 0) entry.suffix = follow(nodes[entry.parent]?.suffix as number, entry.unit)
    const suffix = nodes[entry.suffix]
    entry.shorter = suffix && suffix.terms.length > 0 ? entry.suffix : (suffix?.shorter ?? NONE)
  }

  return (text, found) => {
    let node = 0
    for (let at = 0; at < text.length; at++) {
      node = follow(node, text.charCodeAt(at))
      // The terms of a node whose terms are found, and of its suffixes, are all found.
      for (let end = node; end > 0; end = nodes[end]?.shorter as number) {
        const ended = nodes[end]?.terms as number[]
        if (ended.length > 0 && found[ended[0] as number] === 1) break
        for (const n of ended) found[n] = 1
      }
    }
  }
}
