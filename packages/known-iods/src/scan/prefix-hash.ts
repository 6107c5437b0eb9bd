/**
 * Polynomial hashes of all ranges of a text from the hashes of its prefixes (Karp and Rabin, 1987): two bases modulo
 * the Mersenne prime 2^31 - 1, together 62 bits. The bases are public, so that an attacker can construct collisions.
 */
const PRIME = 0x7fffffff
const BASES = [1_597_463, 1_181_783] as const

/** Returns `x` modulo the prime, for integers from 0 to 2^53. */
const reduce = (x: number): number => {
  const high = Math.floor(x / 0x80000000)
  const sum = high + (x - high * 0x80000000)
  return sum >= PRIME ? sum - PRIME : sum
}

const multiply = (a: number, b: number): number => reduce(reduce(a * (b >>> 16)) * 0x10000 + a * (b & 0xffff))

/** Powers of a base, computed on demand. */
class Powers {
  #values = Uint32Array.of(1)
  readonly #base: number

  constructor(base: number) {
    this.#base = base
  }

  upTo(length: number): Uint32Array {
    const from = this.#values.length
    if (length < from) return this.#values
    const values = new Uint32Array(Math.max(length + 1, 2 * from))
    values.set(this.#values)
    for (let n = from; n < values.length; n++) values[n] = reduce((values[n - 1] as number) * this.#base)
    this.#values = values
    return values
  }
}

const powers = BASES.map(base => new Powers(base)) as [Powers, Powers]

/** Hashes of ranges of a text in UTF-16 units, which are added one by one. `clear` prepares it for the next text. */
export class PrefixHashes {
  #first = new Uint32Array(1_024)
  #second = new Uint32Array(1_024)
  length = 0

  clear(): void {
    this.length = 0
  }

  add(unit: number): void {
    const n = this.length++
    if (n + 1 === this.#first.length) {
      this.#first = grown(this.#first)
      this.#second = grown(this.#second)
    }
    this.#first[n + 1] = reduce((this.#first[n] as number) * BASES[0] + unit + 1)
    this.#second[n + 1] = reduce((this.#second[n] as number) * BASES[1] + unit + 1)
  }

  /** Returns the first hash of the range [start, end), below 2^31 - 1. */
  first(start: number, end: number): number {
    return part(this.#first, powers[0], start, end)
  }

  /** Returns the second hash of the range. */
  second(start: number, end: number): number {
    return part(this.#second, powers[1], start, end)
  }
}

const part = (prefixes: Uint32Array, of: Powers, start: number, end: number): number => {
  const begun = multiply(prefixes[start] as number, of.upTo(end - start)[end - start] as number)
  const difference = (prefixes[end] as number) - begun
  return difference < 0 ? difference + PRIME : difference
}

/** Returns a copy of twice the length. */
export const grown = <A extends Uint32Array<ArrayBuffer> | Uint8Array<ArrayBuffer>>(array: A): A => {
  const larger = new (array.constructor as new (length: number) => A)(2 * array.length)
  larger.set(array)
  return larger
}
