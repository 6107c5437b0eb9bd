import type { FastifyRequest } from 'fastify'
import { timedOut } from './errors.js'
import { createKeyedLimiter } from './keyed-limiter.js'
import { type ReplyHead, Streamed } from './streamed.js'
import type { Caller } from './tokens.js'

/** Bytes that are the same for every user until they change. */
export interface Download {
  /** Of the bytes that it would have now: changes with them; with its quotation marks. */
  etag: string
  /** About how many bytes there are. */
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
/** Above this size a download is sent in pieces of it, one at a time for each user. */
const PIECE = 65_536
/** Time for which a download may take its bytes' memory: enough for 34 MB at 2.3 Mbit/s. */
const PATIENCE_MS = 120_000

/** Whether If-None-Match names the ETag (RFC 9110, 13.1.2). */
export const isKnownEtag = (header: string | undefined, etag: string): boolean =>
  header?.split(',').some(each => ['*', etag].includes(each.trim().replace(/^W\//, ''))) ?? false

/**
 * Copies, so that a client that stops reading keeps few of the bytes in memory, and for a limited time: the
 * bytes of later downloads may be others.
 */
async function* piecesOf(
  held: { bytes?: Uint8Array },
  length: number,
  ms: number,
): AsyncGenerator<Uint8Array> {
  const timer = setTimeout(() => delete held.bytes, ms)
  try {
    for (let at = 0; at < length; at += PIECE) {
      if (!held.bytes) throw timedOut()
      yield Buffer.from(held.bytes.subarray(at, at + PIECE))
    }
  } finally {
    clearTimeout(timer)
  }
}

/**
 * Answers with downloads, by 304 where the client has the bytes already. Of large ones a user gets one at a
 * time: one more waits, further ones are refused by 429.
 * @param ms how long a large one may take: a client that is slower is cut off
 */
export const createDownloads = (ms = PATIENCE_MS) => {
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
    if (size <= PIECE) {
      const made = await make()
      return answer(made.bytes, made.etag)
    }
    return limiter(user.id, async () => {
      const { bytes, etag } = await make()
      reply.header('content-length', String(bytes.length))
      return answer(piecesOf({ bytes }, bytes.length, ms), etag)
    })
  }
}
