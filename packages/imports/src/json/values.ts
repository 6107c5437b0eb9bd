import { RefusedError } from '../refused.js'
import { ExactParser, type Keys, parseExact } from './parse.js'

/** Characters of a line, of an item, and of a document that is read as a whole. */
export const ITEM_MAX = 16 * 2 ** 20

/** A value of a file and its position; or why there is none. */
export type JsonValue = { at: number; value: unknown } | { at: number; fault: 'broken-line' | 'cut-file' }

/**
 * Returns whether a text has a JSON value in each line: its first line is complete and more follow. A file whose first
 * line is a broken object has lines, too, if the second one begins in its first column.
 */
export const hasLines = (head: string): boolean => {
  const [first = '', second = ''] = head.split(/\n+/, 3).filter(line => line.trim() !== '')
  if (second.trim() === '') return false
  try {
    parseExact(first)
    return true
  } catch {
    return /^\s*\{\s*\S/.test(first) && second.startsWith('{')
  }
}

/**
 * Parses the values of a text with one in each line. Blank lines are left out.
 * @param lines lines in order
 */
export async function* lineValues(lines: AsyncIterable<string>): AsyncGenerator<JsonValue, void, undefined> {
  let at = 0
  for await (const line of lines) {
    at += 1
    if (line.trim() === '') continue
    let value: unknown
    try {
      value = parseExact(line)
    } catch {
      yield { at, fault: 'broken-line' }
      continue
    }
    yield { at, value }
  }
}

/** Characters that are parsed at once. */
const AT_ONCE = 65_536

/**
 * Parses the values at some paths of a document as it arrives, in the order in which they end.
 * @returns whether the document is `whole`, `cut`, or `broken` by an error of syntax
 * @throws RefusedError for a value above 16,777,216 characters
 */
export async function* pathValues(
  texts: AsyncIterable<string>,
  paths: string[],
): AsyncGenerator<{ keys: Keys; value: unknown }, 'whole' | 'cut' | 'broken', undefined> {
  let found: { keys: Keys; value: unknown }[] = []
  const parser = new ExactParser(paths, (value, keys) => {
    found.push({ keys, value })
  })
  let since = 0
  for await (const text of texts)
    for (let at = 0; at < text.length; at += AT_ONCE) {
      const part = text.slice(at, at + AT_ONCE)
      let isBroken = false
      try {
        parser.write(part)
      } catch {
        isBroken = true
      }
      since = found.length > 0 ? 0 : since + part.length
      yield* found
      found = []
      if (isBroken) return parser.isEnded ? 'whole' : 'broken'
      if (since > ITEM_MAX) throw new RefusedError('The file has an item of more than 16,777,216 characters')
    }
  return parser.isEnded ? 'whole' : 'cut'
}
