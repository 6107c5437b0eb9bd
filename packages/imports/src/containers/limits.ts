import { RefusedError } from '../refused.js'

/** Bytes that an archive may unpack to, in total. */
const UNPACKED_MAX = 8 * 2 ** 30
/** Unpacked bytes per packed byte, once more than `RATIO_FREE` bytes are unpacked. */
const RATIO_MAX = 200
const RATIO_FREE = 16 * 2 ** 20
/** Packed bytes that are unpacked at once: DEFLATE expands at most by 1,032. */
const PACKED_AT_ONCE = 4_096

/** Counts packed and unpacked bytes, so that a small file cannot unpack to a huge one. */
export class UnpackedBytes {
  #packed = 0
  #unpacked = 0

  addPacked(bytes: number): void {
    this.#packed += bytes
  }

  /** @throws RefusedError above the limits */
  addUnpacked(bytes: number): void {
    this.#unpacked += bytes
    if (this.#unpacked > UNPACKED_MAX)
      throw new RefusedError(
        'The archive unpacks to more than 8 GiB: unpack it, then choose the file with the data',
      )
    if (this.#unpacked > RATIO_FREE && this.#unpacked > RATIO_MAX * this.#packed)
      throw new RefusedError(`The archive unpacks to more than ${RATIO_MAX} times its size`)
  }
}

/** Yields the bytes of chunks in pieces of `PACKED_AT_ONCE` bytes, so that a damaged file gives the same with any chunks. */
export async function* pieces(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let piece = new Uint8Array(PACKED_AT_ONCE)
  let length = 0
  for await (const chunk of chunks)
    for (let at = 0; at < chunk.length; ) {
      const part = chunk.subarray(at, at + PACKED_AT_ONCE - length)
      piece.set(part, length)
      at += part.length
      length += part.length
      if (length < PACKED_AT_ONCE) break
      yield piece
      piece = new Uint8Array(PACKED_AT_ONCE)
      length = 0
    }
  if (length > 0) yield piece.subarray(0, length)
}
