import type { FastifyRequest } from 'fastify'
import { timedOut } from './errors.js'
import { createKeyedLimiter } from './keyed-limiter.js'
import { type ReplyHead, Streamed } from './streamed.js'
import type { Caller } from './tokens.js'

/** Bytes that are the same for every user until they change. */
export interface Download {
  /** ETag of the current bytes, with quotation marks. */
  etag: string
  /** Approximate number of bytes. */
  size: number
  make(): Promise<{ etag: string; bytes: Uint8Array }>
}

/** The parts of a call that a download needs. */
interface DownloadCall {
  request: Pick<FastifyRequest, 'headers'>
  reply: ReplyHead
  user: Caller
}

const TYPE = 'application/octet-stream'
/** Size of a chunk. Larger downloads are sent in chunks, one download at a time for each user. */
const CHUNK = 65_536
/** Timeout after which a download's bytes are freed: enough for 34 MB at 2.3 Mbit/s. */
const TIMEOUT_MS = 120_000

/** Returns whether If-None-Match names the ETag (RFC 9110, 13.1.2). */
export const isKnownEtag = (header: string | undefined, etag: string): boolean =>
  header?.split(',').some(each => ['*', etag].includes(each.trim().replace(/^W\//, ''))) ?? false

/**
 * Yields copies, so that a client that stops reading keeps only a chunk in memory. The bytes are freed after `ms`
 * milliseconds.
 */
async function* chunksOf(
  held: { bytes?: Uint8Array },
  length: number,
  ms: number,
): AsyncGenerator<Uint8Array> {
  const timer = setTimeout(() => delete held.bytes, ms)
  try {
    for (let at = 0; at < length; at += CHUNK) {
      if (!held.bytes) throw timedOut()
      yield Buffer.from(held.bytes.subarray(at, at + CHUNK))
    }
  } finally {
    clearTimeout(timer)
  }
}

/**
 * Creates the function that answers with a download, or with 304 if the client has the bytes. A user has one slot for
 * large downloads. One download queues for it; a newer one replaces it, and the replaced one is refused by 429.
 * @param ms timeout of a large download: slower clients are disconnected
 */
export const createDownloads = (ms = TIMEOUT_MS) => {
  const limiter = createKeyedLimiter(ms)
  return async (
    { request, reply, user }: DownloadCall,
    { etag, size, make }: Download,
  ): Promise<Streamed<unknown>> => {
    const answer = (content: ConstructorParameters<typeof Streamed>[0], made: string) => {
      reply.header('etag', made)
      reply.header('cache-control', 'private, no-cache')
      return new Streamed<unknown>(content, TYPE)
    }
    if (isKnownEtag(request.headers['if-none-match'], etag)) {
      reply.code(304)
      return answer(null, etag)
    }
    if (size <= CHUNK) {
      const made = await make()
      return answer(made.bytes, made.etag)
    }
    return limiter(user.id, async () => {
      const { bytes, etag } = await make()
      reply.header('content-length', String(bytes.length))
      return answer(chunksOf({ bytes }, bytes.length, ms), etag)
    })
  }
}
