import { Gunzip, Inflate, Unzlib } from 'fflate'
import { type DraftRecord, recordOfAddress } from '../records/of-draft.js'
import { RefusedError } from '../refused.js'
import { addressOf } from '../text/addresses.js'
import { isEncoding, joinBytes } from '../text/decode.js'
import { htmlContent } from '../text/html.js'
import { timeOf } from '../text/times.js'
import type { Reason } from '../types.js'
import { isAddressSource } from './address-source.js'

/** Bytes of a page that is read, unpacked. Larger ones are skipped. */
const PAGE_MAX = 16 * 2 ** 20
const HEADER_MAX = 65_536

type WarcItem = (DraftRecord & { at: number }) | { skipped: Reason; line: number }

/** Reads bytes in pieces of the wanted sizes. */
class ByteReader {
  readonly #source: AsyncIterator<Uint8Array>
  #ready = new Uint8Array()
  #isDone = false

  constructor(chunks: AsyncIterable<Uint8Array>) {
    this.#source = chunks[Symbol.asyncIterator]()
  }

  async #more(): Promise<boolean> {
    if (this.#isDone) return false
    const { done, value } = await this.#source.next()
    if (done) this.#isDone = true
    else this.#ready = joinBytes([this.#ready, value])
    return !done
  }

  /** Returns the lines up to a blank one, or undefined at the end. */
  async header(): Promise<string | undefined> {
    let from = 0
    for (;;) {
      // Blank lines end the previous record.
      while (this.#ready[from] === 13 || this.#ready[from] === 10) from += 1
      const text = new TextDecoder().decode(this.#ready.subarray(from, from + HEADER_MAX))
      const end = /\r?\n\r?\n/.exec(text)
      if (end) {
        const bytes = new TextEncoder().encode(text.slice(0, end.index + end[0].length)).length
        this.#ready = this.#ready.slice(from + bytes)
        return text.slice(0, end.index)
      }
      if (text.length >= HEADER_MAX)
        throw new RefusedError('The web archive has a header of more than 64 KiB')
      if (!(await this.#more())) return undefined
    }
  }

  /** Returns `length` bytes, or passes over them; undefined if the file ends before. */
  async body(length: number, isWanted: boolean): Promise<Uint8Array | undefined> {
    const parts: Uint8Array[] = []
    let missing = length
    for (;;) {
      const part = this.#ready.subarray(0, missing)
      if (isWanted) parts.push(part.slice())
      missing -= part.length
      this.#ready = this.#ready.slice(part.length)
      if (missing === 0) return joinBytes(parts)
      if (!(await this.#more())) return undefined
    }
  }
}

const fieldsOf = (header: string): Map<string, string> =>
  new Map(
    header
      .split(/\r?\n(?![ \t])/)
      .slice(1)
      .map(line => {
        const at = line.indexOf(':')
        return [line.slice(0, at).trim().toLowerCase(), line.slice(at + 1).trim()]
      }),
  )

/** Joins the chunks of a body (RFC 9112, section 7.1). */
const unchunked = (body: Uint8Array): Uint8Array => {
  const parts: Uint8Array[] = []
  let at = 0
  for (;;) {
    const end = body.indexOf(10, at)
    const size = Number.parseInt(new TextDecoder().decode(body.subarray(at, end)), 16)
    if (end < 0 || !(size > 0)) return joinBytes(parts)
    parts.push(body.subarray(end + 1, end + 1 + size))
    at = end + 1 + size + (body[end + 1 + size] === 13 ? 2 : 1)
  }
}

/** Unpacks a body that is encoded as gzip or deflate; undefined for another encoding, damaged data and large pages. */
const unpacked = (body: Uint8Array, encoding: string): Uint8Array | undefined => {
  if (encoding === '' || encoding === 'identity') return body
  const parts: Uint8Array[] = []
  let length = 0
  const add = (chunk: Uint8Array) => {
    length += chunk.length
    if (length > PAGE_MAX) throw new RangeError('too large')
    parts.push(chunk.slice())
  }
  const isZlib = ((body[0] ?? 0) & 15) === 8
  const unpacker = /^(?:x-)?gzip$/.test(encoding)
    ? new Gunzip(add)
    : encoding === 'deflate'
      ? isZlib
        ? new Unzlib(add)
        : new Inflate(add)
      : undefined
  try {
    for (let at = 0; unpacker && at < body.length; at += 4_096) unpacker.push(body.subarray(at, at + 4_096))
  } catch {
    return undefined
  }
  return unpacker && joinBytes(parts)
}

/** Returns the text of a page: its encoding is that of the HTTP header, else of its `meta`. */
const pageText = (body: Uint8Array, type: string): string => {
  const [, stated] = /charset\s*=\s*["']?([\w.:-]+)/i.exec(type) ?? []
  const head = new TextDecoder('latin1').decode(body.subarray(0, 1_024))
  const [, own] = /<meta[^>]+charset\s*=\s*["']?([\w.:-]+)/i.exec(head) ?? []
  const encoding = [stated, own].find(each => each !== undefined && isEncoding(each)) ?? 'utf-8'
  return new TextDecoder(encoding).decode(body)
}

/** Returns the end of an HTTP header. */
const bodyStart = (response: Uint8Array): number => {
  for (let at = 0; at < Math.min(response.length, HEADER_MAX); at += 1) {
    if (response[at] !== 10) continue
    if (response[at + 1] === 10) return at + 2
    if (response[at + 1] === 13 && response[at + 2] === 10) return at + 3
  }
  return response.length
}

const pageRecord = (
  response: Uint8Array,
  target: string,
  at: number,
  fetched: string,
): WarcItem | undefined => {
  const start = bodyStart(response)
  const header = new TextDecoder('latin1').decode(response.subarray(0, start))
  const fields = fieldsOf(header)
  const type = fields.get('content-type') ?? ''
  if (!/^HTTP\/\d(?:\.\d)? 200\b/.test(header) || !/^(?:text\/html|application\/xhtml\+xml)\b/i.test(type))
    return undefined
  const raw = response.subarray(start)
  const whole = /\bchunked\b/i.test(fields.get('transfer-encoding') ?? '') ? unchunked(raw) : raw
  const body = unpacked(whole, (fields.get('content-encoding') ?? '').toLowerCase())
  if (!body) return { skipped: 'broken-line', line: at }
  const { title, text, canonical } = htmlContent(pageText(body, type), target)
  const address = addressOf(target)
  if (!isAddressSource(address)) return { skipped: address.skipped, line: at }
  // A platform's page has its title and text, not the post's.
  if (address.source !== 'blog') return { ...recordOfAddress(address, {}, { fetched, by: 'warc' }), at }
  const named = canonical === undefined ? address : addressOf(canonical)
  const own =
    isAddressSource(named) && named.source === 'blog' && isSameHost(named.url, address.url) ? named : address
  return { ...recordOfAddress(own, { title, text }, { fetched, by: 'warc' }), at }
}

const isSameHost = (a: string, b: string) => new URL(a).host === new URL(b).host

/**
 * Reads the HTML pages of a web archive (WARC 1.1): responses with status 200. Records are counted from 1.
 * @throws RefusedError for another file
 */
export async function* readWarc(
  chunks: AsyncIterable<Uint8Array>,
  answers: { file_time: string },
): AsyncGenerator<WarcItem, void, undefined> {
  const reader = new ByteReader(chunks)
  for (let at = 1; ; at += 1) {
    const header = await reader.header()
    if (header === undefined) return
    if (!/^WARC\/1\.\d/.test(header)) throw new RefusedError(`Record ${at} of the web archive is damaged`)
    const fields = fieldsOf(header)
    const length = Number(fields.get('content-length'))
    if (!Number.isSafeInteger(length) || length < 0)
      throw new RefusedError(`Record ${at} of the web archive states no length`)
    const target = fields.get('warc-target-uri')?.replace(/^<|>$/g, '')
    const isResponse = fields.get('warc-type')?.toLowerCase() === 'response' && /^https?:/i.test(target ?? '')
    const isRead = isResponse && length <= PAGE_MAX
    const body = await reader.body(length, isRead)
    if (!body) {
      yield { skipped: 'cut-record', line: at }
      return
    }
    const time = timeOf(fields.get('warc-date'), { zone: 'UTC' }) ?? answers.file_time
    const item = isRead && target ? pageRecord(body, target, at, time) : undefined
    if (item) yield item
  }
}
