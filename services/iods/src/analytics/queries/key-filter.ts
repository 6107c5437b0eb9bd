const HASHES = 4
/** 4 MiB. Of other keys 1 in 5,000 seem to be contained beside 1,000,000 IODs, 1 in 4 beside 10,000,000. */
const BITS = 25

/** Set of lookup keys of IODs, which are hashes, as a Bloom filter: it may also contain other keys. */
export class KeyFilter {
  readonly #bits = new Uint8Array(2 ** (BITS - 3))

  add(key: string): void {
    for (const at of positions(key)) this.#bits[at >>> 3] = (this.#bits[at >>> 3] as number) | (1 << (at & 7))
  }
  mayContain(key: string): boolean {
    return positions(key).every(at => ((this.#bits[at >>> 3] as number) & (1 << (at & 7))) !== 0)
  }
}

const positions = (key: string): number[] => {
  const hash = Buffer.from(key, 'base64url')
  return Array.from({ length: HASHES }, (_, n) => hash.readUInt32LE(4 * n) >>> (32 - BITS))
}
