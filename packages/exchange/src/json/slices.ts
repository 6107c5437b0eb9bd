import { UnreadableFile } from '../read.js'

/** Where a value stands: from its first byte up to the one after its last. */
export type Span = readonly [start: number, end: number]

export interface SliceLimits {
  /** Objects of a file, and bytes and levels of one. */
  objects: number
  objectBytes: number
  depth: number
}

const code = (character: string) => character.charCodeAt(0)
const QUOTE = code('"')
const BACKSLASH = code('\\')
const OPEN = code('{')
const CLOSE = code('}')
const OPEN_LIST = code('[')
const CLOSE_LIST = code(']')
const COMMA = code(',')
const COLON = code(':')

/** Bytes after which a scan lets other work come in between. */
const YIELD_BYTES = 1_048_576

const LIST = 'objects'

/**
 * Finds the objects of a STIX bundle, of a bare array of objects, or of a file that is one object with a `type`, as they stand in the
 * file's bytes, so that each can be kept byte for byte. Reads the structure alone: what stands in an object is for a JSON
 * parser to check. Yields now and then, for others to get a turn.
 * @param bytes UTF-8 of a JSON text, with or without a byte order mark
 * @returns the objects in the file's order, and the text around them: JSON with an empty list in their place
 * @throws UnreadableFile for another structure, and past a limit
 */
export function* sliceObjects(
  bytes: Uint8Array,
  limits: SliceLimits,
): Generator<void, { spans: Span[]; envelope: string }> {
  const { length } = bytes
  const spans: Span[] = []
  let at = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0
  let yieldAt = at + YIELD_BYTES
  const refuse = (reason: string): never => {
    throw new UnreadableFile(reason)
  }
  const broken = () => refuse(`The file is not valid JSON, near byte ${at + 1}.`)
  const text = (start: number, end: number) => {
    try {
      return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes.subarray(start, end))
    } catch {
      return refuse('The file is not UTF-8.')
    }
  }

  const space = () => {
    for (; at < length; at++) {
      const byte = bytes[at]
      if (byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09) return
    }
  }
  const expect = (byte: number) => {
    space()
    if (bytes[at] !== byte) broken()
    at++
  }
  /** Goes past a string whose first quotation mark is at `at`. */
  const string = () => {
    for (at++; at < length; at++) {
      if (bytes[at] === BACKSLASH) at++
      else if (bytes[at] === QUOTE) {
        at++
        return
      }
    }
    broken()
  }
  /** Goes past a value. */
  const value = (most: number) => {
    const start = at
    let depth = 0
    while (at < length) {
      const byte = bytes[at]
      if (byte === QUOTE) string()
      else if (byte === OPEN || byte === OPEN_LIST) {
        if (++depth > limits.depth) refuse(`The file is nested deeper than ${limits.depth} levels.`)
        at++
      } else if (byte === CLOSE || byte === CLOSE_LIST) {
        // The end of what holds a value without brackets.
        if (depth === 0) break
        at++
        depth--
      } else if (depth === 0 && byte === COMMA) break
      else at++
      if (at - start > most)
        refuse(`Object ${spans.length + 1} of the file is larger than ${limits.objectBytes} bytes.`)
      if (depth === 0 && (byte === CLOSE || byte === CLOSE_LIST || byte === QUOTE)) break
    }
    if (depth > 0 || at === start) broken()
  }
  /** Goes past a list of objects whose bracket is at `at`. */
  function* list(): Generator<void> {
    expect(OPEN_LIST)
    space()
    if (bytes[at] === CLOSE_LIST) {
      at++
      return
    }
    for (;;) {
      space()
      if (bytes[at] !== OPEN) refuse(`Entry ${spans.length + 1} of the file is no object.`)
      if (spans.length === limits.objects) refuse(`The file has more than ${limits.objects} objects.`)
      const start = at
      value(limits.objectBytes)
      spans.push([start, at])
      if (at > yieldAt) {
        yieldAt = at + YIELD_BYTES
        yield
      }
      space()
      if (bytes[at] === CLOSE_LIST) {
        at++
        return
      }
      expect(COMMA)
    }
  }

  space()
  const start = at
  let before = length
  let after = length
  if (bytes[at] === OPEN_LIST) {
    before = at
    yield* list()
    after = at
  } else if (bytes[at] === OPEN) {
    at++
    space()
    while (bytes[at] !== CLOSE) {
      space()
      if (bytes[at] !== QUOTE) broken()
      const from = at
      string()
      let name: unknown
      try {
        name = JSON.parse(text(from, at))
      } catch {
        broken()
      }
      expect(COLON)
      space()
      if (name === LIST && bytes[at] === OPEN_LIST) {
        if (before < length) refuse(`The file has “${LIST}” twice.`)
        before = at
        yield* list()
        after = at
      } else value(limits.objectBytes)
      space()
      if (bytes[at] === CLOSE) break
      expect(COMMA)
      space()
      if (bytes[at] === CLOSE) broken()
    }
    at++
    // No bundle: the object itself.
    if (before === length) {
      if (at - start > limits.objectBytes)
        refuse(`Object 1 of the file is larger than ${limits.objectBytes} bytes.`)
      spans.push([start, at])
      ;[before, after] = [start, at]
    }
  } else refuse('The file is not valid JSON.')
  space()
  if (at < length) broken()
  const envelope = `${text(start, before)}[]${text(after, length)}`.trimEnd()
  try {
    JSON.parse(envelope)
  } catch {
    refuse('The file is not valid JSON.')
  }
  return { spans, envelope }
}
