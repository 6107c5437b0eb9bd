export type Cell = string | number | boolean | null | undefined

/** Characters that begin a formula, including full-width and small forms of East Asian text. */
const SIGNS = '=+\\-@＝＋－＠﹦﹢﹣﹫−'
const SIGN = new RegExp(`[${SIGNS}]`, 'u')
/** Characters that separate cells or rows in some spreadsheet, even inside quotes. */
const SEPARATOR = /[,;|\t\r\n\v\f\u0085\u2028\u2029]/
/** Characters that spreadsheets drop or ignore before a cell's text. */
const IGNORED = /['"\s\p{Cc}\p{Cf}]/u
/** Leading white space that some spreadsheets drop, after apostrophes. */
const BLANK_START = /^'*[\t\r\n]/

/**
 * Yields the offsets of formula characters that begin a cell, if any separator splits the text. In French locales,
 * Excel splits at semicolons and ignores quotes after a comma.
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

/** Returns a cell's text with an apostrophe before each formula that a spreadsheet could execute. */
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

/** Start of a CSV file: Excel reads it as UTF-8 only with a byte order mark. */
export const CSV_START = '\uFEFF'

/** Writes a CSV row (RFC 4180) with its line end, with formulas escaped. Numbers and booleans stay unchanged. */
export const csvRow = (cells: readonly Cell[]): string => {
  const written = cells.map(cell => {
    const text = typeof cell === 'string' ? escapeFormula(cell) : String(cell ?? '')
    return /^\s|\s$|[",;|\t\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
  })
  return `${written.join(',')}\r\n`
}

/** Writes a CSV file of rows under a header row. */
export const writeCsv = (header: readonly string[], rows: Iterable<readonly Cell[]>): string =>
  CSV_START + [header, ...rows].map(csvRow).join('')
