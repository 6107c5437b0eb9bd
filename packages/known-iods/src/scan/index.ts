import { HASHTAG_SIGNS } from '@iodine/contracts'
import { ComparedText } from './compared-text.js'
import { anchorOf, pairAnchorOf, type ValueKey } from './value-key.js'

export { type ValueKey, valueKey } from './value-key.js'

/** A place [start, end) of a text, in UTF-16 units, that has the value of a key. */
export interface Hit {
  start: number
  end: number
  /** The key's number. */
  key: number
}

/** Finds the values of many keys in texts. */
export interface Scanner {
  /**
   * All places of a text that have one of the values, overlapping ones included, in the order of their starts. Compared
   * folded, white space as one space, without invisible characters; as whole words in scripts that have spaces.
   */
  scan(text: string): Hit[]
}

const NONE = -1

/** Number of slots of an open hash table that is at most half full. */
const slotsFor = (entries: number): number => 2 ** Math.ceil(Math.log2(Math.max(8, 2 * entries)))

/** Finalizer of MurmurHash3: all bits of a hash decide on the lowest. */
const spread = (hash: number): number => {
  const half = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  const most = Math.imul(half ^ (half >>> 13), 0xc2b2ae35)
  return (most ^ (most >>> 16)) >>> 0
}

/** Keys by the hashes of their values, and by their anchors. */
class KeyTable {
  readonly #mask: number
  readonly #first: Uint32Array
  readonly #second: Uint32Array
  readonly #lengths: Uint16Array
  readonly #leads: Uint16Array
  readonly #anchors: Uint32Array
  /** Slots with a key of a value; `#same` leads from there to the value's other keys. */
  readonly #byValue: Int32Array
  readonly #same: Int32Array
  /** Slots with a key of an anchor; `#spans` leads from there to those of other leads or lengths. */
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
      const isIt = this.#first[key] === first && this.#second[key] === second && this.#lengths[key] === length
      if (key === NONE || isIt) return slot
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
    // Keys of one value have one anchor.
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

  /** Calls back with each key whose value the text has where the value's anchor stands at `at`. */
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
      // A value that has the anchor more than once, or another one, too, is found by its own alone.
      if (key === NONE || this.#anchors[key] !== anchor || this.#leads[key] !== lead) continue
      for (; key !== NONE; key = this.#same[key] as number) found(key, start)
    }
  }

  lengthOf(key: number): number {
    return this.#lengths[key] as number
  }
}

/**
 * Makes a scanner of keys 0 to `count` - 1; those that are undefined are never found. A word of the text, or two
 * neighbouring ones, lead to the places where the values anchored there would stand; the hashes of such a place tell in
 * constant time whether it has one. Memory: some 40 bytes a key.
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
      const { words, wordHash, wordStart, isStrong } = text
      let previous = -1
      for (let n = 0; n < words; n++) {
        const hash = wordHash[n] as number
        table.find(anchorOf(hash), wordStart[n] as number, text, add)
        if (!isStrong[n]) continue
        if (previous >= 0) {
          const anchor = pairAnchorOf(wordHash[previous] as number, hash)
          table.find(anchor, wordStart[previous] as number, text, add)
        }
        previous = n
      }
      return hits.sort((a, b) => a.start - b.start || a.end - b.end || a.key - b.key)
    },
  }
}

/** Where a hashtag begins that stands at `start` of a text: with its signs. */
export const withSign = (text: string, start: number): number => {
  let at = start
  while (at > 0 && HASHTAG_SIGNS.includes(text.charAt(at - 1))) at--
  return at
}
