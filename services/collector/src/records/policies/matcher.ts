import { setImmediate } from 'node:timers/promises'

/** Sets `found[n]` to 1 for each term `n` that the text contains. */
export type Matcher = (text: string, found: Uint8Array) => void

/** Characters of terms after which other requests get a turn. */
const SLICE_CHARACTERS = 50_000
/** No term. */
const NONE = -1

/**
 * The tree of the prefixes of terms. Nodes are numbered by depth; 0 is the root and also stands for no node. Typed arrays
 * and a hash table with linear probing take 27 to 35 bytes a character; a map of edges takes ten times that.
 */
class Nodes {
  count = 1
  readonly #parents: Uint32Array
  readonly #units: Uint16Array
  /** The node of the longest proper suffix. */
  readonly suffixes: Uint32Array
  /** The longest proper suffix at which a term ends. */
  readonly shorter: Uint32Array
  /** The last term that ends at a node. */
  readonly ends: Int32Array
  readonly #table: Uint32Array
  /** Random: users cannot choose terms that collide in the table. */
  readonly #seed = Math.floor(Math.random() * 2 ** 32) | 1

  /** @param max number of nodes without the root */
  constructor(max: number) {
    const size = max + 1
    this.#parents = new Uint32Array(size)
    this.#units = new Uint16Array(size)
    this.suffixes = new Uint32Array(size)
    this.shorter = new Uint32Array(size)
    this.ends = new Int32Array(size).fill(NONE)
    this.#table = new Uint32Array(2 ** Math.ceil(Math.log2(2 * size)))
  }

  /** Returns the position in the table of an edge, or of where it would be. */
  #slot(node: number, unit: number): number {
    const mask = this.#table.length - 1
    const mixed = Math.imul((node ^ (unit << 16) ^ unit) | 0, this.#seed)
    for (let slot = (mixed ^ (mixed >>> 15)) & mask; ; slot = (slot + 1) & mask) {
      const child = this.#table[slot] as number
      if (child === 0 || (this.#parents[child] === node && this.#units[child] === unit)) return slot
    }
  }

  /** Returns the child of a node, which is added if it is missing. All nodes of smaller depth must exist. */
  add(node: number, unit: number): number {
    const slot = this.#slot(node, unit)
    const known = this.#table[slot] as number
    if (known !== 0) return known
    const child = this.count++
    this.#table[slot] = child
    this.#parents[child] = node
    this.#units[child] = unit
    const suffix = node === 0 ? 0 : this.follow(this.suffixes[node] as number, unit)
    this.suffixes[child] = suffix
    this.shorter[child] = this.ends[suffix] === NONE ? (this.shorter[suffix] as number) : suffix
    return child
  }

  /** Returns the node of the longest suffix of a node's text and the unit. */
  follow(from: number, unit: number): number {
    for (let node = from; ; node = this.suffixes[node] as number) {
      const child = this.#table[this.#slot(node, unit)] as number
      if (child !== 0 || node === 0) return child
    }
  }
}

/**
 * Creates a matcher of many terms: A. V. Aho and M. J. Corasick, "Efficient String Matching", CACM 18 (1975). It takes
 * time linear in the text, whatever the terms are. Empty terms are never found.
 */
export const createMatcher = async (terms: readonly string[]): Promise<Matcher> => {
  const nodes = new Nodes(terms.reduce((sum, { length }) => sum + length, 0))
  /** The node that each term has reached. */
  const reached = new Uint32Array(terms.length)
  /** The term before that ends at the same node. */
  const same = new Int32Array(terms.length).fill(NONE)
  let open = terms.map((_, n) => n).filter(n => terms[n] !== '')
  for (let depth = 0, sliced = 0; open.length > 0; depth++) {
    for (const n of open) reached[n] = nodes.add(reached[n] as number, (terms[n] as string).charCodeAt(depth))
    open = open.filter(n => {
      const isOpen = (terms[n] as string).length > depth + 1
      const node = reached[n] as number
      if (isOpen) return true
      same[n] = nodes.ends[node] as number
      nodes.ends[node] = n
      return false
    })
    sliced += open.length
    if (sliced < SLICE_CHARACTERS) continue
    sliced = 0
    await setImmediate()
  }
  return (text, found) => {
    let node = 0
    for (let at = 0; at < text.length; at++) {
      node = nodes.follow(node, text.charCodeAt(at))
      // The terms of a node whose terms are found, and of its suffixes, are all found.
      for (let end = node; end > 0; end = nodes.shorter[end] as number) {
        const last = nodes.ends[end] as number
        if (last !== NONE && found[last] === 1) break
        for (let n = last; n !== NONE; n = same[n] as number) found[n] = 1
      }
    }
  }
}
