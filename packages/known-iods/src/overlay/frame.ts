/** Number of bytes of SHA-256 at a file's end. */
const DIGEST = 32

const digestOf = async (bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array> =>
  new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))

/** The bytes with their SHA-256 behind them. */
export const framed = async (parts: readonly Uint8Array[]): Promise<Uint8Array<ArrayBuffer>> => {
  const length = parts.reduce((sum, part) => sum + part.length, 0)
  const bytes = new Uint8Array(length + DIGEST)
  let at = 0
  for (const part of parts) {
    bytes.set(part, at)
    at += part.length
  }
  bytes.set(await digestOf(bytes.subarray(0, length)), length)
  return bytes
}

/** The bytes before the digest. Throws a RangeError if they are not what it was made of. */
export const unframed = async (bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> => {
  const length = bytes.length - DIGEST
  if (length < 0) throw new RangeError('cut off')
  const content = bytes.subarray(0, length)
  const digest = await digestOf(content)
  if (!digest.every((byte, n) => byte === bytes[length + n])) throw new RangeError('damaged')
  return content
}

/** Writes the 12 bytes of an id. */
export const writeId = (bytes: Uint8Array, at: number, id: string): void => {
  for (let n = 0; n < 12; n++) bytes[at + n] = Number.parseInt(id.slice(2 * n, 2 * n + 2), 16)
}

/** Reads the 12 bytes of an id, as 24 hexadecimal digits. */
export const readId = (bytes: Uint8Array, at: number): string => {
  let id = ''
  for (let n = 0; n < 12; n++) id += (bytes[at + n] as number).toString(16).padStart(2, '0')
  return id
}
