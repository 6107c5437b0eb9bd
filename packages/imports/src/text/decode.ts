/** Encodings that are proposed, most frequent first, for a file that is not UTF-8 and states no encoding. */
export const PROPOSED_ENCODINGS = [
  'windows-1252',
  'windows-1251',
  'windows-1256',
  'windows-1250',
  'gb18030',
  'shift_jis',
] as const

const startsWith = (bytes: Uint8Array, ...mark: number[]): boolean =>
  mark.every((byte, at) => bytes[at] === byte)

/** Returns the number of bytes at the end that may begin a character of UTF-8. */
const openBytes = (bytes: Uint8Array): number => {
  for (let back = 1; back <= 3 && back <= bytes.length; back += 1) {
    const byte = bytes[bytes.length - back] ?? 0
    if (byte >= 0xc0) return back
    if (byte < 0x80) return 0
  }
  return 0
}

const decodes = (bytes: Uint8Array, encoding: string): boolean => {
  try {
    new TextDecoder(encoding, { fatal: true }).decode(bytes)
    return true
  } catch {
    return false
  }
}

/** Returns whether the bytes at even (0) or odd (1) offsets are mostly NUL, and no others: UTF-16 without a mark. */
const isWide = (bytes: Uint8Array, parity: 0 | 1): boolean => {
  const sample = bytes.subarray(0, bytes.length < 512 ? bytes.length & ~1 : 512)
  const zeros = sample.reduce((sum, byte, at) => sum + (byte === 0 && at % 2 === parity ? 1 : 0), 0)
  const others = sample.reduce((sum, byte, at) => sum + (byte === 0 && at % 2 !== parity ? 1 : 0), 0)
  return sample.length >= 4 && others === 0 && zeros > sample.length * 0.35
}

/**
 * Returns the encoding of a text by its first bytes: a byte order mark, UTF-16 by its NULs, else UTF-8 if they are
 * valid UTF-8. Undefined if the user must choose; a file may turn out not to be UTF-8 later.
 * @param isWhole whether the bytes are the whole file, so that no character is cut
 */
export const encodingOf = (head: Uint8Array, isWhole = false): string | undefined => {
  if (startsWith(head, 0xef, 0xbb, 0xbf)) return 'utf-8'
  if (startsWith(head, 0xff, 0xfe)) return 'utf-16le'
  if (startsWith(head, 0xfe, 0xff)) return 'utf-16be'
  if (isWide(head, 1)) return 'utf-16le'
  if (isWide(head, 0)) return 'utf-16be'
  const whole = isWhole ? head : head.subarray(0, head.length - openBytes(head))
  return decodes(whole, 'utf-8') ? 'utf-8' : undefined
}

/** Returns the proposed encodings in which bytes are valid, the first ones first. */
export const proposedEncodings = (head: Uint8Array): string[] =>
  PROPOSED_ENCODINGS.filter(encoding => {
    try {
      // A character may be cut at the end.
      new TextDecoder(encoding, { fatal: true }).decode(head, { stream: true })
      return true
    } catch {
      return false
    }
  })

/** Returns whether the platform has a decoder of an encoding. */
export const isEncoding = (label: string): boolean => {
  try {
    return Boolean(new TextDecoder(label))
  } catch {
    return false
  }
}

/** The bytes of a file do not match its encoding: the user must choose another. */
export class EncodingError extends Error {
  override name = 'EncodingError'
}

/**
 * Decodes bytes as text, without a byte order mark and NULs. Other characters are unchanged; a last one that is cut
 * becomes U+FFFD.
 * @param encoding a label of the WHATWG Encoding Standard; by default that of the first bytes
 * @throws EncodingError for bytes that the encoding does not have
 */
export async function* decodeText(
  chunks: AsyncIterable<Uint8Array>,
  encoding?: string,
): AsyncGenerator<string, void, undefined> {
  let decoder: InstanceType<typeof TextDecoder> | undefined
  let label = encoding ?? ''
  const decode = (bytes: Uint8Array): string => {
    try {
      return decoder?.decode(bytes, { stream: true }).replaceAll('\0', '') ?? ''
    } catch {
      throw new EncodingError(`The file is not encoded as ${label}: choose another encoding`)
    }
  }
  const isCut = (): boolean => {
    try {
      decoder?.decode()
      return false
    } catch {
      return true
    }
  }
  for await (const chunk of withHead(chunks)) {
    if (!decoder) {
      label ||= encodingOf(chunk) ?? 'utf-8'
      if (!isEncoding(label)) throw new EncodingError(`Unknown encoding: ${label}`)
      decoder = new TextDecoder(label, { fatal: true })
    }
    const text = decode(chunk)
    if (text) yield text
  }
  // A file that was cut ends within a character.
  if (isCut()) yield '\ufffd'
}

/** Joins byte arrays. */
export const joinBytes = (parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> => {
  const joined = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const part of parts) {
    joined.set(part, at)
    at += part.length
  }
  return joined
}

/** Joins the first chunks to at least 512 bytes, as an encoding is found by the first ones. */
async function* withHead(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let head = new Uint8Array()
  let isHead = true
  for await (const chunk of chunks) {
    if (!isHead) {
      yield chunk
      continue
    }
    head = joinBytes([head, chunk])
    if (head.length < 512) continue
    isHead = false
    yield head
  }
  if (isHead && head.length > 0) yield head
}

/** Returns the chunks of a stream. Cancels it if the consumer stops, as `for await` does only in some browsers. */
export async function* chunksOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = stream.getReader()
  let isDone = false
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) {
        isDone = true
        return
      }
      yield value
    }
  } finally {
    if (!isDone) await reader.cancel()
    reader.releaseLock()
  }
}

/**
 * Replaces line ends `\r\n` and `\r` by `\n`, also within quotation marks, as records store them. U+2028 and U+2029 end
 * no line.
 */
export async function* unixLines(texts: AsyncIterable<string>): AsyncGenerator<string, void, undefined> {
  let isOpen = false
  for await (const text of texts) {
    const whole: string = isOpen ? `\r${text}` : text
    isOpen = whole.endsWith('\r')
    const part = isOpen ? whole.slice(0, -1) : whole
    const out = part.includes('\r') ? part.replace(/\r\n?/g, '\n') : part
    if (out) yield out
  }
  if (isOpen) yield '\n'
}
