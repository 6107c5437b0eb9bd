import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { toErrorPage } from '@iodine/reports'
import { type FastifyRequest, isKnownEtag, type ReplyHeaders, Streamed } from '@iodine/service-kit'
import type { CampaignsConfig } from '../../config.js'
import { PageError } from '../queries/published.js'

/** What answers need of a call. */
export interface Call {
  request: FastifyRequest
  reply: ReplyHeaders & { code(status: number): unknown }
}

/** Returns the bytes in parts, so that readers of large files do not use the memory for whole ones. */
const decompressed = (gzip: Buffer) => Readable.from([gzip]).pipe(createGunzip())

export const HTML = 'text/html; charset=utf-8'
export const LATEST = 'public, max-age=60, stale-if-error=0'
export const VERSION = 'public, max-age=300'

/** Returns whether an Accept header accepts a type (RFC 9110, 12.5.1). */
const accepts = (accept: string | undefined, type: string): boolean => {
  const [wanted = ''] = type.split(';')
  const ranges = [wanted, `${wanted.split('/')[0]}/*`, '*/*']
  return (accept ?? '*/*').split(',').some(range => {
    const [name = '', ...parameters] = range.toLowerCase().replace(/\s/g, '').split(';')
    return ranges.includes(name) && !parameters.some(each => /^q=0(\.0*)?$/.test(each))
  })
}

/** Sets the headers of each page. */
export const setHeaders = (reply: ReplyHeaders, caching: string, isListed: boolean) => {
  reply.header('cache-control', caching)
  reply.header('x-content-type-options', 'nosniff')
  if (!isListed) reply.header('x-robots-tag', 'noindex')
}

/** Answers with bytes of that hash, 304 if the client has them, or 406. */
export const send = async (
  { request, reply }: Call,
  { type, sha256, gzip, bytes }: { type: string; sha256: string; gzip?: Buffer; bytes?: Buffer },
): Promise<Streamed<unknown>> => {
  if (!accepts(request.headers.accept, type)) throw new PageError(406)
  const etag = `"${sha256}"`
  reply.header('etag', etag)
  reply.header('vary', 'accept, accept-encoding')
  if (isKnownEtag(request.headers['if-none-match'], etag)) {
    reply.code(304)
    return new Streamed<unknown>(null)
  }
  if (!gzip) return new Streamed<unknown>(bytes ?? Buffer.alloc(0), type)
  if (!/\bgzip\b/i.test(String(request.headers['accept-encoding'] ?? '')))
    return new Streamed<unknown>(decompressed(gzip), type)
  reply.header('content-encoding', 'gzip')
  return new Streamed<unknown>(gzip, type)
}

/** Answers with a text. */
export const sendText = (call: Call, text: string, type: string) => {
  const bytes = Buffer.from(text)
  return send(call, { type, bytes, sha256: createHash('sha256').update(bytes).digest('hex') })
}

/** Returns a handler that answers a PageError by an error page; 404 while reports are off. */
export const pageHandler =
  <C extends Call>(
    { REPORTS }: Pick<CampaignsConfig, 'REPORTS'>,
    work: (call: C) => Promise<Streamed<unknown>>,
  ) =>
  async (call: C): Promise<Streamed<unknown>> => {
    try {
      if (REPORTS === 'off') throw new PageError(404)
      return await work(call)
    } catch (error) {
      if (!(error instanceof PageError)) throw error
      const { status, text, lines } = error
      const languages = call.request.headers['accept-language']
      call.reply.code(status)
      setHeaders(call.reply, 'no-store', false)
      return new Streamed<unknown>(
        toErrorPage(status, { text, lines: lines.filter(Boolean), languages }),
        HTML,
      )
    }
  }
