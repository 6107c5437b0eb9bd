/**
 * Cells that a spreadsheet would run as a formula, after any number of apostrophes: escaping adds one
 * apostrophe, so that removing one restores the value.
 */
export const FORMULA = /^'*[=+\-@\t\r\n＝＋－＠]/
const ESCAPED = /^'+[=+\-@\t\r\n＝＋－＠]/

/** The text of a cell, so that a spreadsheet runs no formula. */
export const escapeFormula = (text: string): string => (FORMULA.test(text) ? `'${text}` : text)

/** Reverses `escapeFormula`. */
export const unescapeFormula = (cell: string): string => (ESCAPED.test(cell) ? cell.slice(1) : cell)
