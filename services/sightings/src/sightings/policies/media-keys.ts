/** Of 256 bits: hashes of looks that differ in more bits are those of other pictures. */
export const LOOKS_BITS = 15
const PIECES = 16

/**
 * Postings of a 256-bit hash of a picture's looks: 16 pieces of 16 bits, each with its position. Two hashes that differ in
 * at most 15 bits have a piece in common.
 */
export const looksKeys = (phash: string): string[] =>
  Array.from({ length: PIECES }, (_, n) => `${n.toString(16)}${phash.slice(n * 4, n * 4 + 4)}`)

export const hashKey = (sha256: string): string => `s${sha256}`

/** Number of bits in which two hashes of 64 hexadecimal digits differ. */
export const differingBits = (a: string, b: string): number => {
  let bits = 0
  for (let at = 0; at < 64; at += 8) {
    let x = (Number.parseInt(a.slice(at, at + 8), 16) ^ Number.parseInt(b.slice(at, at + 8), 16)) >>> 0
    for (; x !== 0; x &= x - 1) bits++
  }
  return bits
}

/** Whether a picture looks like nothing: of one colour, as placeholders are. Such hashes would find each other. */
export const isBlank = (phash: string): boolean => {
  const ones = differingBits(phash, '0'.repeat(64))
  return ones < LOOKS_BITS || ones > 256 - LOOKS_BITS
}
