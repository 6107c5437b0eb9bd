import { HASHTAG_SIGNS } from '@iodine/contracts'
import { ComparedText } from './compared-text.js'
import { anchorOf, pairAnchorOf, type ValueKey } from './value-key.js'

export { type ValueKey, valueKey } from './value-key.js'

/** An occurrence [start, end) of a key's value in a text, in UTF-16 units. */
export interface Hit {
  start: number
  end: number
  /** Number of the key. */
  key: number
}

/** Multi-pattern search for the values of keys in texts. */
export interface Scanner {
  /**
   * Returns all occurrences of the values in a text, including overlapping ones, sorted by start. The comparison folds
   * case, collapses white space and ignores invisible characters. Scripts with spaces match whole words only.
   */
  scan(text: string): Hit[]
}

const NONE = -1

/** Returns the slots of an open-addressing hash table that is at most half full. */
const slotsFor = (entries: number): number => 2 ** Math.ceil(Math.log2(Math.max(8, 2 * entries)))

/** Mixes a hash with the finalizer of MurmurHash3: all bits of the input affect the lowest bits of the result. */
const spread = (hash: number): number => {
  const half = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  const most = Math.imul(half ^ (half >>> 13), 0xc2b2ae35)
  return (most ^ (most >>> 16)) >>> 0
}

/** Hash tables of keys by value hashes, and by anchors. */
class KeyTable {
  readonly #mask: number
  readonly #first: Uint32Array
  readonly #second: Uint32Array
  readonly #lengths: Uint16Array
  readonly #leads: Uint16Array
  readonly #anchors: Uint32Array
  /** Slots with a key of each value; `#same` links the other keys of the value. */
  readonly #byValue: Int32Array
  readonly #same: Int32Array
  /** Slots with a key of each anchor; `#spans` links keys with another lead or length. */
  readonly #byAnchor: Int32Array
  readonly #spans: Int32Array

  constructor(count: number) {
    const slots = slotsFor(count)
    this.#mask = slots - 1
    this.#first = new Uint32Array(count)
    this.#second = new Uint32Array(count)
    this.#lengths = new Uint16Array(count)
    this.#leads = new Uint16Array(count)
    this.#anchors = new Uint32Array(count)
    this.#byValue = new Int32Array(slots).fill(NONE)
    this.#same = new Int32Array(count).fill(NONE)
    this.#byAnchor = new Int32Array(slots).fill(NONE)
    this.#spans = new Int32Array(count).fill(NONE)
  }

  #valueSlot(first: number, second: number, length: number): number {
    let slot = spread(first ^ Math.imul(second, 0x9e3779b1)) & this.#mask
    for (;;) {
      const key = this.#byValue[slot] as number
      const isMatch =
        this.#first[key] === first && this.#second[key] === second && this.#lengths[key] === length
      if (key === NONE || isMatch) return slot
      slot = (slot + 1) & this.#mask
    }
  }

  #anchorSlot(anchor: number): number {
    let slot = spread(anchor) & this.#mask
    for (;;) {
      const key = this.#byAnchor[slot] as number
      if (key === NONE || this.#anchors[key] === anchor) return slot
      slot = (slot + 1) & this.#mask
    }
  }

  add(n: number, key: Readonly<ValueKey>): void {
    this.#first[n] = key.first
    this.#second[n] = key.second
    this.#lengths[n] = key.length
    this.#leads[n] = key.lead
    this.#anchors[n] = key.anchor
    const value = this.#valueSlot(key.first, key.second, key.length)
    const same = this.#byValue[value] as number
    this.#byValue[value] = n
    this.#same[n] = same
    // Keys of the same value have the same anchor.
    if (same === NONE) this.#addSpan(n, key)
  }

  #addSpan(n: number, { anchor, lead, length }: Readonly<ValueKey>): void {
    const slot = this.#anchorSlot(anchor)
    let last = NONE
    for (let other = this.#byAnchor[slot] as number; other !== NONE; other = this.#spans[other] as number) {
      if (this.#leads[other] === lead && this.#lengths[other] === length) return
      last = other
    }
    if (last === NONE) this.#byAnchor[slot] = n
    else this.#spans[last] = n
  }

  /** Calls `found` for each key whose value occurs in the text with its anchor at `at`. */
  find(anchor: number, at: number, text: ComparedText, found: (key: number, start: number) => void): void {
    let span = this.#byAnchor[this.#anchorSlot(anchor)] as number
    for (; span !== NONE; span = this.#spans[span] as number) {
      const lead = this.#leads[span] as number
      const length = this.#lengths[span] as number
      const start = at - lead
      if (start < 0 || start + length > text.length || !text.isApart(start, start + length)) continue
      const { hashes } = text
      const slot = this.#valueSlot(
        hashes.first(start, start + length),
        hashes.second(start, start + length),
        length,
      )
      let key = this.#byValue[slot] as number
      // The text may contain a value's anchor several times: only the key's own anchor counts.
      if (key === NONE || this.#anchors[key] !== anchor || this.#leads[key] !== lead) continue
      for (; key !== NONE; key = this.#same[key] as number) found(key, start)
    }
  }

  lengthOf(key: number): number {
    return this.#lengths[key] as number
  }
}

/** Calls `found` with each word and each pair of neighbouring words of a text, as an anchor with its first unit. */
const eachAnchor = (
  { words, wordHash, wordStart, isStrong }: ComparedText,
  found: (anchor: number, at: number) => void,
): void => {
  let previous = -1
  for (let n = 0; n < words; n++) {
    const hash = wordHash[n] as number
    found(anchorOf(hash), wordStart[n] as number)
    if (!isStrong[n]) continue
    if (previous >= 0) found(pairAnchorOf(wordHash[previous] as number, hash), wordStart[previous] as number)
    previous = n
  }
}

const anchored = new ComparedText()

/**
 * Returns the anchors of a text, each once. A value occurs in the text only if the `anchor` of its `valueKey` is one of
 * them: an index of keys by anchor finds the candidates, and a scanner of these the occurrences.
 */
export const anchorsOf = (text: string): Set<number> => {
  const anchors = new Set<number>()
  anchored.read(text)
  eachAnchor(anchored, anchor => anchors.add(anchor))
  return anchors
}

/**
 * Creates a scanner of keys 0 to `count` - 1; undefined keys are never found. Each word and each pair of neighbouring
 * words of the text is looked up as an anchor. The prefix hashes then verify the candidate range in constant time.
 * Memory: about 40 bytes per key.
 */
export const createScanner = (
  count: number,
  keyAt: (n: number) => Readonly<ValueKey> | undefined,
): Scanner => {
  const table = new KeyTable(count)
  for (let n = 0; n < count; n++) {
    const key = keyAt(n)
    if (key) table.add(n, key)
  }
  const text = new ComparedText()
  return {
    scan(from) {
      text.read(from)
      const hits: Hit[] = []
      const add = (key: number, at: number) => {
        const [start, end] = text.rangeOf(at, at + table.lengthOf(key))
        hits.push({ start, end, key })
      }
      eachAnchor(text, (anchor, at) => table.find(anchor, at, text, add))
      return hits.sort((a, b) => a.start - b.start || a.end - b.end || a.key - b.key)
    },
  }
}

/** Returns the start of a hashtag, including the signs before `start`. */
export const withSign = (text: string, start: number): number => {
  let at = start
  while (at > 0 && HASHTAG_SIGNS.includes(text.charAt(at - 1))) at--
  return at
}
