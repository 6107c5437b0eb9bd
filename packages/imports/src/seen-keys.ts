/** Maximum keys of a table: at most twice as many are remembered. */
const KEYS_MAX = 2 ** 20
const SLOTS_MIN = 2 ** 12

/** Returns two hashes of a text, 32 bits each (FNV-1a, and the same with the prime of MurmurHash3's first round). */
const hashesOf = (text: string): [number, number] => {
  let [a, b] = [0x811c9dc5, 0x9747b28c]
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    a = Math.imul(a ^ code, 0x01000193)
    b = Math.imul(b ^ code, 0xcc9e2d51)
    b ^= b >>> 15
  }
  return [(a ^ (a >>> 15)) >>> 0, (b | 1) >>> 0]
}

/** Pairs of hashes by open addressing. The second one of a pair is not 0, which marks a free slot. */
class Table {
  size = 0
  #slots = new Uint32Array(2 * SLOTS_MIN)

  has(a: number, b: number): boolean {
    return this.#slots[this.#slotOf(a, b) + 1] === b
  }

  /** Adds a pair that the table lacks. */
  add(a: number, b: number): void {
    if (4 * this.size >= this.#slots.length) this.#grow()
    this.#put(a, b)
    this.size += 1
  }

  #put(a: number, b: number): void {
    const slot = this.#slotOf(a, b)
    this.#slots[slot] = a
    this.#slots[slot + 1] = b
  }

  /** Returns the offset of a pair, or of the free slot for it. At most half of the slots are used. */
  #slotOf(a: number, b: number): number {
    const slots = this.#slots
    const mask = slots.length / 2 - 1
    for (let slot = a & mask; ; slot = (slot + 1) & mask) {
      const stored = slots[2 * slot + 1]
      if (stored === 0 || (stored === b && slots[2 * slot] === a)) return 2 * slot
    }
  }

  #grow(): void {
    const old = this.#slots
    this.#slots = new Uint32Array(2 * old.length)
    for (let at = 0; at < old.length; at += 2) {
      const [a = 0, b = 0] = [old[at], old[at + 1]]
      if (b !== 0) this.#put(a, b)
    }
  }
}

/**
 * Keys that occurred before, as hashes of 63 bits in at most 32 MiB: of a million keys, two have the same hash in one of
 * ten million files. At least the last 1,048,576 keys are remembered.
 */
export class SeenKeys {
  #recent = new Table()
  #older = new Table()

  has(key: string): boolean {
    const [a, b] = hashesOf(key)
    return this.#recent.has(a, b) || this.#older.has(a, b)
  }

  add(key: string): void {
    const [a, b] = hashesOf(key)
    if (this.#recent.has(a, b)) return
    if (this.#recent.size >= KEYS_MAX) {
      this.#older = this.#recent
      this.#recent = new Table()
    }
    this.#recent.add(a, b)
  }
}
