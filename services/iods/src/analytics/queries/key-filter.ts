const HASHES = 4
/** 4 MiB. Of other keys 1 in 5,000 seem to be contained beside 1,000,000 IODs, 1 in 4 beside 10,000,000. */
const BITS = 25

/** Set of lookup keys of IODs, which are hashes, as a Bloom filter: it may also contain other keys. */
export class KeyFilter {
  readonly #bits = new Uint8Array(2 ** (BITS - 3))

  add(key: string): void {
    const hash = bytesOf(key)
    for (let n = 0; n < HASHES; n++) {
      const at = position(hash, n)
      this.#bits[at >>> 3] = (this.#bits[at >>> 3] as number) | (1 << (at & 7))
    }
  }
  mayContain(key: string): boolean {
    const hash = bytesOf(key)
    for (let n = 0; n < HASHES; n++) {
      const at = position(hash, n)
      if (((this.#bits[at >>> 3] as number) & (1 << (at & 7))) === 0) return false
    }
    return true
  }
}

const bytesOf = (key: string): Buffer => Buffer.from(key, 'base64url')
const position = (hash: Buffer, n: number): number => hash.readUInt32LE(4 * n) >>> (32 - BITS)
