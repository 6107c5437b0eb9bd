/** Maximum number of different bits, of 256, between perceptual hashes of the same picture. */
export const PHASH_BITS_MAX = 15
const PIECES = 16

/**
 * Returns the postings of a 256-bit perceptual hash: 16 pieces of 16 bits, each with its position. Two hashes that
 * differ in at most 15 bits have a piece in common.
 */
export const phashKeys = (phash: string): string[] =>
  Array.from({ length: PIECES }, (_, n) => `${n.toString(16)}${phash.slice(n * 4, n * 4 + 4)}`)

export const hashKey = (sha256: string): string => `s${sha256}`

/** Returns the Hamming distance of two hashes of 64 hexadecimal digits. */
export const differingBits = (a: string, b: string): number => {
  let bits = 0
  for (let at = 0; at < 64; at += 8) {
    let x = (Number.parseInt(a.slice(at, at + 8), 16) ^ Number.parseInt(b.slice(at, at + 8), 16)) >>> 0
    for (; x !== 0; x &= x - 1) bits++
  }
  return bits
}

/** Whether a picture has one colour, like a placeholder. Such hashes would match each other. */
export const isBlank = (phash: string): boolean => {
  const ones = differingBits(phash, '0'.repeat(64))
  return ones < PHASH_BITS_MAX || ones > 256 - PHASH_BITS_MAX
}
