import type { Readable } from 'node:stream'
import { DETAILS } from '@iodine/contracts'
import { badRequest, HttpError } from './errors.js'

/**
 * Reads a binary body. With a known length it is in memory once; Fastify's reader holds all chunks and their copy.
 * @param contentLength the header `content-length`
 * @param limit in bytes
 * @throws HttpError 413 past the limit; 400 if the length differs from the header, or the body breaks off
 */
export const readBytes = async (
  payload: Readable,
  contentLength: string | undefined,
  limit: number,
): Promise<Buffer> => {
  const length = contentLength === undefined ? undefined : Number(contentLength)
  if (length !== undefined && length > limit) throw new HttpError(413, DETAILS.bodyTooLarge)
  // The system allocates the memory when it is written to: a false length costs none.
  const whole = length === undefined ? undefined : Buffer.allocUnsafeSlow(length)
  const chunks: Buffer[] = []
  let at = 0
  // The stream is not destroyed on error: the answer uses its connection.
  try {
    for await (const chunk of payload.iterator({ destroyOnReturn: false })) {
      if (at + chunk.length > limit) throw new HttpError(413, DETAILS.bodyTooLarge)
      if (whole && at + chunk.length > whole.length) throw badRequest()
      if (whole) whole.set(chunk, at)
      else chunks.push(chunk)
      at += chunk.length
    }
  } catch (error) {
    throw error instanceof HttpError ? error : badRequest()
  }
  if (whole && at !== whole.length) throw badRequest()
  return whole ?? Buffer.concat(chunks, at)
}

/** Joins pieces to buffers of at least `size` bytes, except the last. */
export async function* joinPieces(
  pieces: AsyncIterable<Uint8Array | string>,
  size: number,
): AsyncGenerator<Buffer> {
  let waiting: Uint8Array[] = []
  let bytes = 0
  for await (const piece of pieces) {
    const some = typeof piece === 'string' ? Buffer.from(piece) : piece
    waiting.push(some)
    bytes += some.length
    if (bytes < size) continue
    yield Buffer.concat(waiting)
    waiting = []
    bytes = 0
  }
  if (bytes > 0) yield Buffer.concat(waiting)
}
