import type { Readable } from 'node:stream'
import { DETAILS } from '@iodine/contracts'
import { badRequest, HttpError } from './errors.js'

/**
 * Reads a body of bytes. One whose length is told is in memory once: Fastify's own reader has all its chunks and their
 * copy.
 * @param told the header `content-length`
 * @param limit in bytes
 * @throws 413 past the limit, 400 for a body of another length than told, or one that breaks off
 */
export const readBytes = async (
  payload: Readable,
  told: string | undefined,
  limit: number,
): Promise<Buffer> => {
  const length = told === undefined ? undefined : Number(told)
  if (length !== undefined && length > limit) throw new HttpError(413, DETAILS.bodyTooLarge)
  // The system allocates the memory when it is written to: a false length costs none.
  const whole = length === undefined ? undefined : Buffer.allocUnsafeSlow(length)
  const chunks: Buffer[] = []
  let at = 0
  // Not destroyed where it is given up: the answer goes over its connection.
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

/** Joins pieces to larger ones, of at least `size` bytes but for the last. */
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
