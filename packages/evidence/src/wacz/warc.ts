import { Gunzip, gzipSync, strFromU8, strToU8 } from 'fflate'
import { concat } from '../hash.js'

/** A `resource` record (ISO 28500:2017, 6.5): bytes without an HTTP response. */
export interface Resource {
  /** SHA-256 of the bytes, hexadecimal. */
  sha256: string
  targetUri: string
  /** ISO 8601, UTC. */
  date: string
  type: string
  bytes: Uint8Array
}

const END = '\r\n\r\n'

const uuidOf = (sha256: string): string =>
  [
    sha256.slice(0, 8),
    sha256.slice(8, 12),
    // Version 8 (RFC 9562, 5.8), derived from the content: equal input yields equal files.
    `8${sha256.slice(13, 16)}`,
    `8${sha256.slice(17, 20)}`,
    sha256.slice(20, 32),
  ].join('-')

/** Returns a record as a separate gzip member. Equal input yields equal bytes. */
export const warcRecord = ({ sha256, targetUri, date, type, bytes }: Resource): Uint8Array => {
  const head = [
    'WARC/1.1',
    'WARC-Type: resource',
    `WARC-Record-ID: <urn:uuid:${uuidOf(sha256)}>`,
    `WARC-Target-URI: ${targetUri}`,
    `WARC-Date: ${date}`,
    `WARC-Payload-Digest: sha256:${sha256}`,
    `WARC-Block-Digest: sha256:${sha256}`,
    `Content-Type: ${type}`,
    `Content-Length: ${bytes.length}`,
  ].join('\r\n')
  return gzipSync(concat(strToU8(head + END), bytes, strToU8(END)), { level: 9, mtime: 0 })
}

const CHUNK = 65_536

/**
 * Decompresses all members of a gzip file (RFC 1952, 2.2).
 * @throws RangeError for more than `max` bytes
 */
const gunzip = (data: Uint8Array, max: number): Uint8Array => {
  const parts: Uint8Array[] = []
  let length = 0
  const stream = new Gunzip(part => {
    length += part.length
    if (length > max) throw new RangeError('the archive is too large')
    parts.push(part)
  })
  for (let at = 0; at < data.length; at += CHUNK)
    stream.push(data.subarray(at, at + CHUNK), at + CHUNK >= data.length)
  return concat(...parts)
}

/**
 * Returns the bytes of a WARC file's records, by the SHA-256 that they state.
 * @throws TypeError for another format
 * @throws RangeError for more than `max` bytes
 */
export const readWarc = (data: Uint8Array, max: number): Map<string, Uint8Array> => {
  const whole = gunzip(data, max)
  const records = new Map<string, Uint8Array>()
  for (let at = 0; at < whole.length; ) {
    const headEnd = indexOfEnd(whole, at)
    const head = strFromU8(whole.subarray(at, headEnd))
    const field = (name: string) =>
      new RegExp(`^${name}: (.*)$`, 'm').exec(head.replaceAll('\r', ''))?.[1] ?? ''
    const start = headEnd + END.length
    const end = start + Number(field('Content-Length'))
    if (!head.startsWith('WARC/1.1') || !(end + END.length <= whole.length))
      throw new TypeError('not a WARC file')
    records.set(field('WARC-Payload-Digest').replace('sha256:', ''), whole.subarray(start, end))
    at = end + END.length
  }
  return records
}

const indexOfEnd = (bytes: Uint8Array, from: number): number => {
  for (let at = from; at + 3 < bytes.length; at += 1)
    if (bytes[at] === 13 && bytes[at + 1] === 10 && bytes[at + 2] === 13 && bytes[at + 3] === 10) return at
  throw new TypeError('not a WARC file')
}
