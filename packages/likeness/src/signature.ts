import { blake2s } from '@noble/hashes/blake2.js'
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js'
import { contentWords, exactForm } from './words.js'

/** Fingerprint of a text for finding its copies and rewordings without storing the text. */
export interface Signature {
  /**
   * 32 hexadecimal digits: equal for texts that differ only in case, white space, invisible or look-alike characters.
   */
  exact: string
  /** 32 bands of three minima (MinHash; Broder, 1997), 12 hexadecimal digits each: near copies share one. */
  bands: string[]
  /** Hashes of the up to 12 longest stems, which rewordings share: 12 hexadecimal digits each. */
  keys: string[]
  /**
   * The 96 smallest hashes of the content words (bottom-k sketch): 32-bit numbers, ascending, padded with zeros. The
   * lower four bits of each are the word's length, at most 15.
   */
  sketch: number[]
}

export interface SignatureOptions {
  /** Secret that prevents forged collisions. Signatures of different seeds are not comparable. */
  seed?: string
}

export const BANDS = 32
export const ROWS = 3
export const KEYS_MAX = 12
export const SKETCH_LENGTH = 96
const KEY_DIGITS = 12
const EXACT_BYTES = 16
/** Bits of an entry of the sketch that hold the word's length. */
const LENGTH_BITS = 4
const LENGTH_MAX = 2 ** LENGTH_BITS - 1

/** Mixes a hash with the finalizer of MurmurHash3: each bit of the input affects all bits of the result. */
const spread = (hash: number): number => {
  const half = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  const most = Math.imul(half ^ (half >>> 13), 0xc2b2ae35)
  return (most ^ (most >>> 16)) >>> 0
}

let lastSeed: { seed: string; key: Uint8Array } | undefined
const keyOf = (seed: string): Uint8Array => {
  if (lastSeed?.seed !== seed) lastSeed = { seed, key: blake2s(utf8ToBytes(seed)) }
  return lastSeed.key
}

const wordAt = (bytes: Uint8Array, at: number) => new DataView(bytes.buffer, bytes.byteOffset).getUint32(at)

/**
 * Computes the signature of a text of any length, in linear time. The text is folded first: NFKC, case, invisible and
 * look-alike characters. Two texts are candidates for each other if they share a band or a key.
 */
export function signatureOf(text: string, { seed = '' }: SignatureOptions = {}): Signature {
  const key = keyOf(seed)
  const hash = (value: string, dkLen: number) => blake2s(utf8ToBytes(value), { key, dkLen })
  const exact = bytesToHex(hash(exactForm(text), EXACT_BYTES))
  const words = contentWords(text).map(word => {
    const bytes = hash(`w${word}`, EXACT_BYTES)
    return {
      digits: bytesToHex(bytes).slice(0, KEY_DIGITS),
      length: [...word].length,
      first: wordAt(bytes, 0),
      second: wordAt(bytes, 4),
      third: wordAt(bytes, 8),
    }
  })

  const minima = new Uint32Array(BANDS * ROWS).fill(0xffffffff)
  for (const { first, second } of words) {
    for (let n = 0; n < minima.length; n++) {
      const value = spread(first + Math.imul(n + 1, second | 1))
      if (value < (minima[n] as number)) minima[n] = value
    }
  }
  const bands = Array.from({ length: BANDS }, (_, band) => {
    // A text without content words matches only equal texts.
    const rows = words.length > 0 ? minima.subarray(band * ROWS, (band + 1) * ROWS).join() : exact
    return bytesToHex(hash(`b${band},${rows}`, KEY_DIGITS / 2))
  })

  const keys = [...words]
    .sort((a, b) => b.length - a.length || (a.digits < b.digits ? -1 : 1))
    .slice(0, KEYS_MAX)
    .map(({ digits }) => digits)

  const entries = words
    .map(({ third, length }) => ((third & ~LENGTH_MAX) | Math.min(LENGTH_MAX, length)) >>> 0)
    .sort((a, b) => a - b)
    .slice(0, SKETCH_LENGTH)
  const sketch = [...entries, ...new Array<number>(SKETCH_LENGTH - entries.length).fill(0)]
  return { exact, bands, keys, sketch }
}

/** Returns the length of a sketch entry's word, at most 15. */
export const lengthOfEntry = (entry: number): number => entry & LENGTH_MAX
