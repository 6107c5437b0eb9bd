import { Tokenizer, TokenParser, TokenType } from '@streamparser/json'

/*
 * Integers stay exact. Rejected libraries:
 * - JSON.parse rounds integers above 2^53; `context.source` of its reviver is missing in Node 20 and older browsers.
 * - lossless-json parses whole texts only, refuses repeated keys, and makes an object of every number.
 * - json-bigint parses whole texts only, and has had no release since 2020.
 * - stream-json needs streams of Node.
 * @streamparser/json streams, runs everywhere, has a hook for numbers, and stores `__proto__` as a plain property. It
 * takes several times as long as JSON.parse, so that it reads only what is not parsed as a whole.
 */

/** Integers of more digits than a double holds. */
const LONG_INTEGER = /^-?\d{16,}$/
/** A text without a match has no long integer outside of strings. */
const MAY_HAVE_LONG = /(?:^|[:[,\s])-?\d{16}/
/** Long integers outside of strings, where JSON allows a value. */
const LONG_VALUES = /(?<![\d.eE+-])-?[1-9]\d{15,}(?=\s*(?:[,}\]]|$))/g
/** Begins the strings that stand for long integers while JSON.parse runs. No file can contain it, as it is random. */
const MARK = `${crypto.getRandomValues(new Uint32Array(4)).join('-')}:`

const DEPTH_MAX = 128
const TOO_DEEP = `JSON is nested deeper than ${DEPTH_MAX} levels`

/** Keys and indexes from the root of a document to a value. */
export type Keys = readonly (string | number)[]

/** Reads integers of more than 15 digits as `bigint`. */
class ExactTokenizer extends Tokenizer {
  // The library passes the value on, whatever its type.
  protected override parseNumber(text: string): number {
    return (LONG_INTEGER.test(text) ? BigInt(text) : Number(text)) as unknown as number
  }
}

/** Parses JSON as it arrives. Integers of more than 15 digits become `bigint`. */
export class ExactParser {
  readonly #tokenizer = new ExactTokenizer()
  /** Whether the root value is complete. */
  isEnded = false

  /** @param paths the values that are passed on, such as `$.messages.*`; the parser keeps no others */
  constructor(paths: string[], onValue: (value: unknown, keys: Keys) => void) {
    const parser = new TokenParser({ paths, keepStack: false })
    let depth = 0
    this.#tokenizer.onToken = token => {
      if (token.token === TokenType.LEFT_BRACE || token.token === TokenType.LEFT_BRACKET) depth += 1
      if (token.token === TokenType.RIGHT_BRACE || token.token === TokenType.RIGHT_BRACKET) depth -= 1
      if (depth > DEPTH_MAX) throw new Error(TOO_DEEP)
      parser.write(token)
    }
    parser.onValue = ({ value, key, stack }) => {
      const outer = stack.slice(1).map(each => each.key)
      onValue(value, stack.length > 0 ? ([...outer, key] as (string | number)[]) : [])
    }
    parser.onEnd = () => {
      this.isEnded = true
    }
  }

  /** @throws Error for a text that is not JSON, or nested deeper than 128 levels */
  write(text: string): void {
    this.#tokenizer.write(text)
  }
}

/** Returns the offset after a string of JSON that begins at `from`; -1 if it has no end. */
const stringEnd = (text: string, from: number): number => {
  for (let end = text.indexOf('"', from + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let escapes = 0
    while (text[end - 1 - escapes] === '\\') escapes += 1
    if (escapes % 2 === 0) return end + 1
  }
  return -1
}

/** Replaces long integers outside of strings by marked strings. */
const withMarks = (text: string): string => {
  let marked = ''
  let copied = 0
  /** End of the last string that begins before an integer. */
  let end = 0
  for (const { 0: digits, index } of text.matchAll(LONG_VALUES)) {
    for (let quote = text.indexOf('"', end); quote >= 0 && quote < index; quote = text.indexOf('"', end)) {
      end = stringEnd(text, quote)
      if (end < 0) return marked + text.slice(copied)
    }
    if (end > index) continue
    marked += `${text.slice(copied, index)}"${MARK}${digits}"`
    copied = end = index + digits.length
  }
  return marked + text.slice(copied)
}

/** Returns a value with the integers that marked strings stand for. Changes objects and lists in place. */
const withIntegers = (value: unknown, depth = 0): unknown => {
  if (typeof value === 'string') return value.startsWith(MARK) ? BigInt(value.slice(MARK.length)) : value
  if (typeof value !== 'object' || value === null) return value
  if (depth === DEPTH_MAX) throw new Error(TOO_DEEP)
  const group = value as Record<string, unknown>
  for (const key of Object.keys(group)) group[key] = withIntegers(group[key], depth + 1)
  return value
}

/**
 * Parses a JSON text. Integers of more than 15 digits become `bigint`.
 * @throws Error for a text that is not JSON, or has such integers and is nested deeper than 128 levels
 */
export const parseExact = (text: string): unknown => {
  if (!MAY_HAVE_LONG.test(text)) return JSON.parse(text)
  const marked = withMarks(text)
  return marked.length === text.length ? JSON.parse(text) : withIntegers(JSON.parse(marked))
}

/** Parses the first value of a text as far as it goes: objects and lists may be incomplete. */
export const parsedHead = (text: string): unknown => {
  const [tokenizer, parser] = [new ExactTokenizer(), new TokenParser()]
  let root: unknown
  tokenizer.onToken = token => parser.write(token)
  parser.onValue = ({ value, parent, stack }) => {
    root = stack.length === 0 ? value : stack.length === 1 ? parent : stack[1]?.value
  }
  try {
    tokenizer.write(text)
  } catch {
    // Its end, or an error of syntax.
  }
  return root
}
