export type Cell = string | number | boolean | null | undefined

/** Signs that begin a formula, also in full width and in the small forms of East Asian text. */
const SIGNS = '=+\\-@＝＋－＠﹦﹢﹣﹫−'
const SIGN = new RegExp(`[${SIGNS}]`, 'u')
/** What separates cells or rows in one spreadsheet or another, whatever the quotes around it. */
const SEPARATOR = /[,;|\t\r\n\v\f\u0085\u2028\u2029]/
/** What spreadsheets drop or ignore before a cell's text. */
const IGNORED = /['"\s\p{Cc}\p{Cf}]/u
/** Beginnings that some spreadsheets drop. */
const BLANK_START = /^'*[\t\r\n]/

/**
 * Positions of signs that begin a cell where any of the separators splits the text. In French, Excel splits by semicolons, and
 * takes no notice of quotes that stand after a comma.
 */
function* formulaStarts(text: string): Generator<number> {
  if (!SIGN.test(text)) return
  let begins = true
  for (let at = 0; at < text.length; at++) {
    const character = text[at] as string
    if (SIGN.test(character)) {
      if (begins) yield at
      begins = false
    } else if (SEPARATOR.test(character)) begins = true
    else begins &&= IGNORED.test(character)
  }
}

/** The text of a cell with an apostrophe before each formula that a spreadsheet could run. */
export const escapeFormula = (text: string): string => {
  let escaped = ''
  let from = 0
  for (const at of formulaStarts(text)) {
    escaped += `${text.slice(from, at)}'`
    from = at
  }
  escaped += text.slice(from)
  return BLANK_START.test(text) ? `'${escaped}` : escaped
}

/** Reverses `escapeFormula`. */
export const unescapeFormula = (cell: string): string => {
  const text = cell.startsWith("'") && BLANK_START.test(cell) ? cell.slice(1) : cell
  let plain = ''
  let from = 0
  for (const at of formulaStarts(text)) {
    if (text[at - 1] !== "'") continue
    plain += text.slice(from, at - 1)
    from = at
  }
  return plain + text.slice(from)
}

/** Begins a CSV file: without the mark, Excel does not read it as UTF-8. */
export const CSV_START = '\uFEFF'

/** A row of CSV (RFC 4180) with its line end, safe in spreadsheets. Numbers and booleans stay as they are. */
export const csvRow = (cells: readonly Cell[]): string => {
  const written = cells.map(cell => {
    const text = typeof cell === 'string' ? escapeFormula(cell) : String(cell ?? '')
    return /^\s|\s$|[",;|\t\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
  })
  return `${written.join(',')}\r\n`
}

/** A CSV file of rows under a header row. */
export const writeCsv = (header: readonly string[], rows: Iterable<readonly Cell[]>): string =>
  CSV_START + [header, ...rows].map(csvRow).join('')
