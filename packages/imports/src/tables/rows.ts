import Papa from 'papaparse'
import { RefusedError } from '../refused.js'

/** Characters of a row. Above, a quotation mark is probably not closed. */
const ROW_MAX = 4_194_304
/** Cells of a row. */
export const COLUMNS_MAX = 10_000
/** Characters that are parsed at once, unless a row is longer. */
const AT_ONCE = 262_144

export type Separator = ',' | ';' | '\t' | '|'
const SEPARATORS: readonly Separator[] = [',', ';', '\t', '|']

export interface Row {
  /** Line of the row's start, from 1. */
  line: number
  cells: string[]
  /** The file ends within the row: in a quoted cell. */
  isCut: boolean
  /** A line end follows the row. */
  isEnded: boolean
}

/** Returns the first line of a text with line ends `\n`: line ends within quotation marks belong to it. */
const firstLine = (text: string): string => {
  let isQuoted = false
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charAt(at)
    if (unit === '"') isQuoted = !isQuoted
    else if (unit === '\n' && !isQuoted) return text.slice(0, at)
  }
  return text
}

/** Returns the separator that a first line `sep=;` states. */
const statedSeparator = (line: string): Separator | undefined => {
  const [, stated] = /^"?sep=([,;\t|])"?,*$/i.exec(line) ?? []
  return SEPARATORS.find(each => each === stated)
}

/** Returns the separator that is most frequent in the first line, outside quotation marks; a comma without any. */
export const separatorOf = (head: string): Separator => {
  const line = firstLine(head.replace(/^\n+/, ''))
  const bare = line.replace(/"(?:[^"]|"")*"?/g, '')
  const count = (separator: string) => bare.split(separator).length
  return statedSeparator(line) ?? SEPARATORS.reduce((best, each) => (count(each) > count(best) ? each : best))
}

/**
 * Parses the rows of a CSV text with line ends `\n`, as it arrives. A first line `sep=;` is no row. Blank rows are left
 * out.
 * @param separator by default that of the first line
 * @throws RefusedError for a row above 4,194,304 characters or 10,000 cells
 */
export async function* csvRows(
  texts: AsyncIterable<string>,
  separator?: Separator,
): AsyncGenerator<Row, void, undefined> {
  let buffer = ''
  let line = 1
  let parser: Papa.Parser | undefined
  let parseAt = AT_ONCE

  const rowsOf = function* (isLast: boolean): Generator<Row> {
    if (!parser) {
      const stated = statedSeparator(firstLine(buffer))
      parser = new Papa.Parser({ delimiter: separator ?? separatorOf(buffer), newline: '\n' })
      if (stated) {
        buffer = buffer.slice(firstLine(buffer).length + 1)
        line += 1
      }
    }
    const { data, errors, meta } = parser.parse(buffer, 0, !isLast) as Papa.ParseResult<string[]>
    const isEnded = buffer.endsWith('\n')
    const isOpen = errors.some(({ code }) => code === 'MissingQuotes')
    buffer = isLast ? '' : buffer.slice(meta.cursor)
    for (const [at, cells] of data.entries()) {
      if (cells.length > COLUMNS_MAX)
        throw new RefusedError(`Line ${line} has more than ${COLUMNS_MAX.toLocaleString('en')} cells`)
      const isFinal = isLast && at === data.length - 1
      if (cells.some(cell => cell.trim() !== ''))
        yield { line, cells, isCut: isFinal && isOpen, isEnded: !isFinal || isEnded }
      line += cells.reduce((lines, cell) => lines + cell.split('\n').length - 1, 1)
    }
  }

  for await (const text of texts) {
    buffer += text
    if (buffer.length < parseAt) continue
    yield* rowsOf(false)
    if (buffer.length > ROW_MAX)
      throw new RefusedError(
        `The row at line ${line} has more than ${ROW_MAX.toLocaleString('en')} characters: perhaps a quotation mark is not closed`,
      )
    // A long row is not parsed again for each chunk.
    parseAt = Math.max(AT_ONCE, buffer.length * 2)
  }
  yield* rowsOf(true)
}
