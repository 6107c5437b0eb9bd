import { Tokenizer, TokenParser, TokenType } from '@streamparser/json'

/*
 * Integers stay exact. Rejected libraries:
 * - JSON.parse rounds integers above 2^53; `context.source` of its reviver is missing in Node 20 and older browsers.
 * - lossless-json parses whole texts only, refuses repeated keys, and makes an object of every number.
 * - json-bigint parses whole texts only, and has had no release since 2020.
 * - stream-json needs streams of Node.
 * @streamparser/json streams, runs everywhere, has a hook for numbers, and stores `__proto__` as a plain property.
 */

/** Integers of more digits than a double holds. */
const LONG_INTEGER = /^-?\d{16,}$/
/** A text without a match has no long integer outside of strings. */
const MAY_HAVE_LONG = /(?:^|[:[,\s])-?\d{16}/

const DEPTH_MAX = 128

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
      if (depth > DEPTH_MAX) throw new Error(`JSON is nested deeper than ${DEPTH_MAX} levels`)
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

/**
 * Parses a JSON text. Integers of more than 15 digits become `bigint`.
 * @throws Error for a text that is not JSON
 */
export const parseExact = (text: string): unknown => {
  if (!MAY_HAVE_LONG.test(text)) return JSON.parse(text)
  let root: unknown
  const parser = new ExactParser(['$'], value => {
    root = value
  })
  parser.write(text)
  if (!parser.isEnded) throw new Error('The JSON text is cut')
  return root
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
