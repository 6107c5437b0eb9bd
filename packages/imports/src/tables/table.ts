import type { DraftRecord, Origin } from '../records/of-draft.js'
import { RefusedError } from '../refused.js'
import type { Answers, Reason, Warning } from '../types.js'
import { Cells, Header } from './cells.js'
import { doublePhpQuotes } from './php-quotes.js'
import { csvRows, type Separator } from './rows.js'

/** Why a row, an entry or a line yields no record. */
export interface Skip {
  skipped: Reason
}
export type RowResult = DraftRecord | Skip
/** Context of a row. */
export interface RowContext {
  answers: Answers
  origin: Origin
  warnings: Set<Warning>
}

/** A format of tables whose columns are known. */
export interface TableFormat {
  /** Name in `collector_metadata.source`, without `import:`. */
  by: string
  /** Returns whether the header is one of this format. Tools add columns: a subset decides. */
  hasHeader: (header: Header) => boolean
  read: (cells: Cells, context: RowContext) => RowResult
  /** Column that lists the columns whose value is a default. */
  defaultsIn?: string
  /** A row with another number of cells than the header is skipped: its values may be in other columns. */
  isStrict?: boolean
  /** PHP wrote the file. */
  isPhp?: boolean
}

export type TableItem = (DraftRecord & { at: number }) | { skipped: Reason; line: number }

/**
 * Reads a table as it arrives.
 * @param texts with line ends `\n`
 */
export async function* readTable(
  texts: AsyncIterable<string>,
  format: TableFormat,
  answers: Answers,
  separator?: Separator,
): AsyncGenerator<TableItem, void, undefined> {
  let header: Header | undefined
  for await (const row of csvRows(format.isPhp ? doublePhpQuotes(texts) : texts, separator)) {
    if (!header) {
      header = new Header(row.cells)
      if (!format.hasHeader(header))
        throw new RefusedError('The columns of this table are not those of the format')
      continue
    }
    const { line } = row
    if (header.isRepeatedBy(row.cells)) continue
    const cells = new Cells(header, row, format.defaultsIn)
    if (row.isCut || (!row.isEnded && row.cells.length < header.names.length)) {
      yield { skipped: 'broken-line', line }
      continue
    }
    if (format.isStrict && !cells.isFull) {
      yield { skipped: 'wrong-columns', line }
      continue
    }
    const warnings = new Set<Warning>()
    if (cells.surplus > 0) warnings.add('extra-cells')
    const origin = { fetched: answers.file_time, by: format.by }
    const result = format.read(cells, { answers, origin, warnings })
    if ('skipped' in result) yield { skipped: result.skipped, line }
    else yield { ...result, at: line, ...(warnings.size > 0 && { warnings: [...warnings] }) }
  }
}
