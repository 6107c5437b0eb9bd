import { Gunzip } from 'fflate'
import { RefusedError } from '../refused.js'
import { joinBytes } from '../text/decode.js'
import { pieces, UnpackedBytes } from './limits.js'

export const isGzip = (head: Uint8Array): boolean => head[0] === 0x1f && head[1] === 0x8b

/**
 * Unpacks all members of a gzip file (RFC 1952): WARC has one per record.
 * @throws RefusedError for damaged data, or above the limits of `UnpackedBytes`
 */
export async function* gunzip(
  chunks: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array, void, undefined> {
  const bytes = new UnpackedBytes()
  const ready: Uint8Array[] = []
  const unpacker = new Gunzip(chunk => {
    if (chunk.length === 0) return
    bytes.addUnpacked(chunk.length)
    // fflate reuses its buffer.
    ready.push(chunk.slice())
  })
  const push = (piece: Uint8Array, isLast: boolean) => {
    try {
      unpacker.push(piece, isLast)
    } catch (error) {
      if (error instanceof RefusedError) throw error
      throw new RefusedError('The gzip file is damaged')
    }
  }
  for await (const piece of pieces(chunks)) {
    bytes.addPacked(piece.length)
    push(piece, false)
    yield* ready.splice(0)
  }
  push(new Uint8Array(), true)
  yield* ready.splice(0)
}

/** Unpacks the beginning of a gzip file as far as its first bytes reach. */
export const gunzipHead = (head: Uint8Array): Uint8Array => {
  const parts: Uint8Array[] = []
  let length = 0
  const unpacker = new Gunzip(chunk => {
    parts.push(chunk.slice())
    length += chunk.length
  })
  try {
    for (let at = 0; at < head.length && length < 65_536; at += 512)
      unpacker.push(head.subarray(at, at + 512))
  } catch {
    // What is unpacked so far is recognised.
  }
  return joinBytes(parts)
}
