import { highestTlp, type Iod } from '@iodine/contracts'
import Papa from 'papaparse'
import { type ExportContext, levelOf, voteColumns } from './campaign-file.js'
import { FIELD_NAMES } from './fields.js'
import { unescapeFormula, writeCsv } from './spreadsheet.js'

const PLAIN = ['id', ...FIELD_NAMES, 'created_by_id', 'created_by_username', 'created_at'] as const

/**
 * Writes one row per IOD under a header row. If the context has a level or an IOD is marked, a last column `tlp`
 * contains the level of each row.
 */
export function toCsv(iods: readonly Iod[], context: ExportContext): string {
  const levels = iods.map(iod => highestTlp([context.tlp ?? null, levelOf(iod, context)]))
  const isMarked = levels.some(level => level !== null)
  const fields = [...PLAIN, 'positive_votes', 'negative_votes', 'comments', ...(isMarked ? ['tlp'] : [])]
  const data = iods.map((iod, n) => {
    const { positive_votes, negative_votes } = voteColumns(iod)
    const row = [...PLAIN.map(name => iod[name] ?? ''), positive_votes, negative_votes, iod.comments.length]
    return isMarked ? [...row, levels[n] ?? ''] : row
  })
  return writeCsv(fields, data)
}

export interface CsvRow {
  /** Line number of the row's start, from 1. */
  line: number
  /** Cells by lower-cased header name, with the formula escape removed. */
  cells: Record<string, string>
}

/** Parses the rows of a CSV file under its header row. */
export function readCsv(text: string): CsvRow[] {
  const rows: CsvRow[] = []
  let header: string[] | undefined
  eachRow(text, (data, line) => {
    if (!header) {
      header = data.map(name => name.trim().toLowerCase())
      return
    }
    const cells = Object.fromEntries(header.map((name, index) => [name, unescapeFormula(data[index] ?? '')]))
    rows.push({ line, cells })
  })
  return rows
}

/** Parses all rows of a CSV file, with the formula escape removed. */
export function readRows(text: string): string[][] {
  const rows: string[][] = []
  eachRow(text, cells => rows.push(cells.map(unescapeFormula)))
  return rows
}

/** Calls back with each row that is not blank, and its line; the delimiter is comma, semicolon or tab. */
function eachRow(text: string, take: (cells: string[], line: number) => void): void {
  let line = 1
  let at = 0
  const source = text.replace(/^\uFEFF+/, '')
  Papa.parse<string[]>(source, {
    delimiter: delimiterOf(source),
    skipEmptyLines: false,
    step: ({ data, meta }) => {
      const begins = line
      line += source.slice(at, meta.cursor).split(/\r\n|\r|\n/).length - 1
      at = meta.cursor
      if (data.some(cell => cell.trim() !== '')) take(data, begins)
    },
  })
}

/** Returns the most frequent delimiter in the first line. */
function delimiterOf(text: string): string {
  const first = text.split(/\r|\n/, 1)[0] ?? ''
  const count = (delimiter: string) => first.split(delimiter).length
  return [',', ';', '\t'].reduce((best, each) => (count(each) > count(best) ? each : best))
}
