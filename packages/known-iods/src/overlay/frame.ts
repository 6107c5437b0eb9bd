/** Bytes of the SHA-256 at a file's end. */
const DIGEST_BYTES = 32

const digestOf = async (bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array> =>
  new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))

/** Concatenates the parts and appends their SHA-256. */
export const framed = async (parts: readonly Uint8Array[]): Promise<Uint8Array<ArrayBuffer>> => {
  const length = parts.reduce((sum, part) => sum + part.length, 0)
  const bytes = new Uint8Array(length + DIGEST_BYTES)
  let at = 0
  for (const part of parts) {
    bytes.set(part, at)
    at += part.length
  }
  bytes.set(await digestOf(bytes.subarray(0, length)), length)
  return bytes
}

/**
 * Verifies the digest and returns the bytes before it.
 * @throws RangeError if the digest does not match
 */
export const unframed = async (bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> => {
  const length = bytes.length - DIGEST_BYTES
  if (length < 0) throw new RangeError('cut off')
  const content = bytes.subarray(0, length)
  const digest = await digestOf(content)
  if (!digest.every((byte, n) => byte === bytes[length + n])) throw new RangeError('damaged')
  return content
}

/** Writes an id as 12 bytes. */
export const writeId = (bytes: Uint8Array, at: number, id: string): void => {
  for (let n = 0; n < 12; n++) bytes[at + n] = Number.parseInt(id.slice(2 * n, 2 * n + 2), 16)
}

/** Reads an id of 12 bytes; returns 24 hexadecimal digits. */
export const readId = (bytes: Uint8Array, at: number): string => {
  let id = ''
  for (let n = 0; n < 12; n++) id += (bytes[at + n] as number).toString(16).padStart(2, '0')
  return id
}
