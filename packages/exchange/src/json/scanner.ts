import { UnreadableFile } from '../read.js'

/** Position of a value: its first byte, and the byte after its last. */
export type Span = readonly [start: number, end: number]

export interface SliceLimits {
  /** Maximum objects of a file; maximum bytes and levels of an object. */
  objects: number
  objectBytes: number
  depth: number
}

const code = (character: string) => character.charCodeAt(0)
export const QUOTE = code('"')
const BACKSLASH = code('\\')
export const OPEN = code('{')
export const CLOSE = code('}')
export const OPEN_LIST = code('[')
export const CLOSE_LIST = code(']')
export const COMMA = code(',')
export const COLON = code(':')

/** An unreadable piece of a file, which is left out, and the reason. */
export interface Skipped {
  place: string
  value: string
  reason: string
}

/** Bytes after which a scan yields, so that other work can run. */
const YIELD_BYTES = 1_048_576
/** Skipped values after which a scan yields: each costs an exception. */
const YIELD_FAILURES = 200

/**
 * Scans a JSON text in UTF-8 from one value to the next. Reads only the structure: a JSON parser checks the content of
 * skipped values.
 */
export class JsonScanner {
  at: number
  private nextYield: number
  private failures = 0
  private readonly bytes: Uint8Array
  private readonly limits: SliceLimits
  private readonly place: () => string

  /** @param place returns the name of the current value, for errors */
  constructor(bytes: Uint8Array, limits: SliceLimits, place: () => string) {
    this.bytes = bytes
    this.limits = limits
    this.place = place
    // Byte order marks of UTF-16.
    const [first, second] = bytes
    if ((first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff))
      this.refuse('The file is not UTF-8.')
    this.at = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0
    this.nextYield = this.at + YIELD_BYTES
  }

  refuse(reason: string): never {
    throw new UnreadableFile(reason)
  }

  broken(): never {
    return this.refuse(`The file is not valid JSON, near byte ${this.at + 1}.`)
  }

  /** Returns whether the scan should yield. */
  isLong(): boolean {
    if (this.at <= this.nextYield) return false
    this.nextYield = this.at + YIELD_BYTES
    return true
  }

  /** Returns the text of some bytes. */
  text(start: number, end: number): string {
    try {
      return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(
        this.bytes.subarray(start, end),
      )
    } catch {
      return this.refuse('The file is not UTF-8.')
    }
  }

  /**
   * Parses the value in some bytes.
   * @throws UnreadableFile unless it is JSON in UTF-8
   */
  json(start: number, end: number): unknown {
    let text: string
    try {
      text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(
        this.bytes.subarray(start, end),
      )
    } catch {
      return this.refuse(`${this.place()} of the file is not UTF-8.`)
    }
    try {
      return JSON.parse(text)
    } catch {
      return this.refuse(`${this.place()} of the file is not valid JSON.`)
    }
  }

  /** Skips white space; returns the next byte. */
  peek(): number | undefined {
    for (; this.at < this.bytes.length; this.at++) {
      const byte = this.bytes[this.at]
      if (byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09) return byte
    }
    return undefined
  }

  expect(byte: number): void {
    if (this.peek() !== byte) this.broken()
    this.at++
  }

  /** Skips a string whose first quotation mark is at `at`. */
  private string(): void {
    const { bytes } = this
    for (this.at++; this.at < bytes.length; this.at++) {
      if (bytes[this.at] === BACKSLASH) this.at++
      else if (bytes[this.at] === QUOTE) {
        this.at++
        return
      }
    }
    this.broken()
  }

  /** Skips a value of at most `most` bytes and `deepest` levels. */
  value(most = this.limits.objectBytes, deepest = this.limits.depth): void {
    const { bytes, limits } = this
    const start = this.at
    let depth = 0
    while (this.at < bytes.length) {
      const byte = bytes[this.at]
      if (byte === QUOTE) this.string()
      else if (byte === OPEN || byte === OPEN_LIST) {
        if (++depth > deepest) this.refuse(`The file is nested deeper than ${limits.depth} levels.`)
        this.at++
      } else if (byte === CLOSE || byte === CLOSE_LIST) {
        // The end of the list or object that contains a value without brackets.
        if (depth === 0) break
        this.at++
        depth--
      } else if (depth === 0 && byte === COMMA) break
      else this.at++
      if (this.at - start > most)
        this.refuse(`${this.place()} of the file is larger than ${limits.objectBytes} bytes.`)
      if (depth === 0 && (byte === CLOSE || byte === CLOSE_LIST || byte === QUOTE)) break
    }
    if (depth > 0 || this.at === start) this.broken()
  }

  /**
   * Reads the value at `at`; skips it if it is unreadable.
   * @returns the reason for skipping; undefined if it was read
   * @throws UnreadableFile if it has no end
   */
  *attempt(read: () => Iterable<void>): Generator<void, string | undefined> {
    const start = this.at
    try {
      yield* read()
      return undefined
    } catch (error) {
      if (!(error instanceof UnreadableFile)) throw error
      this.at = start
      this.value(Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY)
      if (++this.failures % YIELD_FAILURES === 0) yield
      return error.message
    }
  }

  /**
   * Iterates over the object at `at`: yields each name before its value, which the caller must skip. Ends after the
   * closing bracket.
   */
  *members(): Generator<string> {
    this.expect(OPEN)
    if (this.peek() === CLOSE) {
      this.at++
      return
    }
    for (;;) {
      if (this.peek() !== QUOTE) this.broken()
      const from = this.at
      this.string()
      let name: unknown
      try {
        name = JSON.parse(this.text(from, this.at))
      } catch {
        this.broken()
      }
      this.expect(COLON)
      this.peek()
      yield name as string
      if (this.peek() === CLOSE) {
        this.at++
        return
      }
      this.expect(COMMA)
      if (this.peek() === CLOSE) this.broken()
    }
  }

  /** Iterates over the list at `at`: yields before each element, which the caller must skip. */
  *elements(): Generator<void> {
    this.expect(OPEN_LIST)
    if (this.peek() === CLOSE_LIST) {
      this.at++
      return
    }
    for (;;) {
      this.peek()
      yield
      if (this.peek() === CLOSE_LIST) {
        this.at++
        return
      }
      this.expect(COMMA)
    }
  }
}
