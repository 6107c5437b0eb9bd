const GRAM = 3
const BUCKETS = 1 << 15
/** Lists read per search, rarest first: checking the remaining candidates is faster than reading more. */
const INTERSECTED = 4
/** A list this many times longer than the candidates is not worth reading. */
const TOO_LONG = 32

/** Ascending integers, stored as differences in a variable-length encoding. */
class Postings {
  #bytes = new Uint8Array(8)
  #end = 0
  #last = -1
  size = 0

  /** `ordinal` must not be below an earlier one. A repeated ordinal is stored once. */
  add(ordinal: number): void {
    if (ordinal === this.#last) return
    if (this.#end + 5 > this.#bytes.length) {
      const grown = new Uint8Array(Math.ceil(this.#bytes.length * 1.5) + 5)
      grown.set(this.#bytes)
      this.#bytes = grown
    }
    let gap = ordinal - this.#last
    while (gap > 0x7f) {
      this.#bytes[this.#end++] = (gap & 0x7f) | 0x80
      gap >>>= 7
    }
    this.#bytes[this.#end++] = gap
    this.#last = ordinal
    this.size++
  }

  toArray(): Uint32Array {
    const ordinals = new Uint32Array(this.size)
    let last = -1
    let at = 0
    for (let n = 0; n < ordinals.length; n++) {
      let gap = 0
      let shift = 0
      let byte: number
      do {
        byte = this.#bytes[at++] as number
        gap |= (byte & 0x7f) << shift
        shift += 7
      } while (byte > 0x7f)
      last += gap
      ordinals[n] = last
    }
    return ordinals
  }
}

/** Hash bucket of the gram at a position of a text. Several grams may share a bucket. */
const bucketAt = (text: string, at: number): number => {
  let hash = Math.imul(text.charCodeAt(at), 0x9e3779b1) + text.charCodeAt(at + 1)
  hash = Math.imul(hash ^ (hash >>> 15), 0x85ebca6b) + text.charCodeAt(at + 2)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return (hash ^ (hash >>> 16)) & (BUCKETS - 1)
}

const bothIn = (a: Uint32Array, b: Uint32Array): Uint32Array => {
  const both = new Uint32Array(Math.min(a.length, b.length))
  let found = 0
  let j = 0
  for (const ordinal of a) {
    while (j < b.length && (b[j] as number) < ordinal) j++
    if (b[j] === ordinal) both[found++] = ordinal
  }
  return both.subarray(0, found)
}

/** In-memory n-gram index of runs of 3 code units, like PostgreSQL's pg_trgm. */
export class GramIndex {
  readonly #lists: (Postings | undefined)[] = new Array(BUCKETS)

  /** Texts must be added in the order of their ordinals. */
  add(ordinal: number, text: string): void {
    for (let at = 0; at + GRAM <= text.length; at++) {
      const bucket = bucketAt(text, at)
      const list = this.#lists[bucket] ?? new Postings()
      this.#lists[bucket] = list
      list.add(ordinal)
    }
  }

  /**
   * Ordinals, ascending, of every text that contains `part`, and of some that do not. Undefined when `part`
   * is shorter than a gram.
   */
  candidates(part: string): Uint32Array | undefined {
    if (part.length < GRAM) return undefined
    const lists = new Set<Postings>()
    for (let at = 0; at + GRAM <= part.length; at++) {
      const list = this.#lists[bucketAt(part, at)]
      if (!list) return new Uint32Array()
      lists.add(list)
    }
    const [rarest, ...others] = [...lists].sort((a, b) => a.size - b.size).slice(0, INTERSECTED)
    let left = (rarest as Postings).toArray()
    for (const other of others) if (other.size < left.length * TOO_LONG) left = bothIn(left, other.toArray())
    return left
  }
}
