import type { CampaignDetail } from '@iodine/contracts'
import Papa from 'papaparse'
import { voteColumns } from './campaign-file.js'
import { FIELD_NAMES } from './fields.js'

/**
 * Cells that a spreadsheet would run as a formula, behind any number of apostrophes: one more is put before them, so
 * that taking one away gives back what there was.
 */
const FORMULA = /^'*[=+\-@\t\r\n＝＋－＠]/
const ESCAPED = /^'+[=+\-@\t\r\n＝＋－＠]/

const PLAIN = ['id', ...FIELD_NAMES, 'created_by_id', 'created_by_username', 'created_at'] as const

/** One line an IOD, RFC 4180, with a header row; cells that look like formulas are escaped. */
export function toCsv({ iods }: CampaignDetail): string {
  const fields = [...PLAIN, 'positive_votes', 'negative_votes', 'comments']
  const data = iods.map(iod => {
    const { positive_votes, negative_votes } = voteColumns(iod)
    return [...PLAIN.map(name => iod[name] ?? ''), positive_votes, negative_votes, iod.comments.length]
  })
  return `${Papa.unparse({ fields, data }, { newline: '\r\n', escapeFormulae: FORMULA })}\r\n`
}

export interface CsvRow {
  /** Line of the file that the row begins on, from 1. */
  line: number
  /** Cells by the header's names, lower-cased; without the escape of formulas. */
  cells: Record<string, string>
}

/** The rows of a CSV file, comma, semicolon or tab between its cells. */
export function readCsv(text: string): CsvRow[] {
  const rows: CsvRow[] = []
  let header: string[] | undefined
  let line = 1
  let at = 0
  const source = text.replace(/^\uFEFF/, '')
  Papa.parse<string[]>(source, {
    delimiter: delimiterOf(source),
    skipEmptyLines: false,
    step: ({ data, meta }) => {
      const begins = line
      line += source.slice(at, meta.cursor).split(/\r\n|\r|\n/).length - 1
      at = meta.cursor
      if (data.every(cell => cell.trim() === '')) return
      if (!header) {
        header = data.map(name => name.trim().toLowerCase())
        return
      }
      const cells = Object.fromEntries(header.map((name, index) => [name, withoutEscape(data[index] ?? '')]))
      rows.push({ line: begins, cells })
    },
  })
  return rows
}

const withoutEscape = (cell: string): string => (ESCAPED.test(cell) ? cell.slice(1) : cell)

/** The one that its first line holds most of. */
function delimiterOf(text: string): string {
  const first = text.split(/\r|\n/, 1)[0] ?? ''
  const count = (delimiter: string) => first.split(delimiter).length
  return [',', ';', '\t'].reduce((best, each) => (count(each) > count(best) ? each : best))
}
