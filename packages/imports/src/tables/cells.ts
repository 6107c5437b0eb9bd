import type { Row } from './rows.js'

/** Words that tools write for a missing value. */
const NULL_WORDS = new Set(['none', 'nan', 'null', 'undefined', 'n/a', '<na>', 'nat', 'unknown', 'redacted'])
/** Those among them that only a program writes: a post may consist of another. */
const NULL_TEXTS = new Set(['None', 'nan', 'NaN', 'null', 'undefined', '<NA>', 'NaT', 'REDACTED'])

/** Returns whether a cell states that a value is missing. */
export const isMissing = (cell: string): boolean =>
  NULL_WORDS.has(cell.trim().toLowerCase()) || cell.trim() === ''

/** Reads a list as Python and JSON write it; undefined if it is another text. */
const quotedList = (cell: string): string[] | undefined => {
  const [, inner] = /^\s*[[({](.*)[\])}]\s*$/s.exec(cell) ?? []
  if (inner === undefined) return undefined
  const items = [
    ...inner.matchAll(/\s*(?:u?'((?:[^'\\]|\\.)*)'|u?"((?:[^"\\]|\\.)*)"|([^,'"[\]{}]+))\s*(?:,|$)|(.)/gsu),
  ]
  if (items.some(([, , , , unread]) => unread !== undefined)) return undefined
  return items.map(([, single, double, bare]) =>
    single === undefined && double === undefined
      ? (bare ?? '').trim()
      : (single ?? double ?? '').replace(/\\(['"\\/])/g, '$1').replace(/\\n/g, '\n'),
  )
}

/** Returns the values of a list: as JSON, as Python, or separated by commas. */
export const listOf = (cell: string): string[] => {
  if (isMissing(cell)) return []
  // URLs may contain commas.
  const values = quotedList(cell) ?? cell.split(/^\s*https?:/i.test(cell) ? /,(?=\s*https?:)/i : ',')
  return values.map(value => value.trim()).filter(value => !isMissing(value))
}

/** The columns of a table by name, and a row's cells by them. */
export class Header {
  readonly #at = new Map<string, number>()
  readonly names: readonly string[]

  constructor(cells: readonly string[]) {
    this.names = cells.map(cell => cell.trim())
    // Of two columns with one name, the first.
    for (const [at, name] of this.names.entries())
      if (name !== '' && !this.#at.has(name)) this.#at.set(name, at)
  }

  has(name: string): boolean {
    return this.#at.has(name)
  }

  positionOf(name: string): number | undefined {
    return this.#at.get(name)
  }

  /** Returns whether a row repeats the header, as in files that were joined. */
  isRepeatedBy(cells: readonly string[]): boolean {
    return cells.length === this.names.length && cells.every((cell, at) => cell.trim() === this.names[at])
  }
}

/** A row of a table by the names of its columns. */
export class Cells {
  readonly line: number
  readonly header: Header
  readonly #row: Row
  /** Columns whose value is a default of the tool. */
  readonly #defaults: ReadonlySet<string>

  constructor(header: Header, row: Row, defaultsIn?: string) {
    this.line = row.line
    this.header = header
    this.#row = row
    this.#defaults = new Set(defaultsIn ? listOf(this.#raw(defaultsIn)) : [])
  }

  #raw(name: string): string {
    const at = this.header.positionOf(name)
    return at === undefined ? '' : (this.#row.cells[at] ?? '')
  }

  /** Returns the trimmed cell of the first of the columns that has a value; undefined without one. */
  get(...names: readonly string[]): string | undefined {
    for (const name of names) {
      const cell = this.#defaults.has(name) ? '' : this.#raw(name).trim()
      if (!isMissing(cell)) return cell
    }
    return undefined
  }

  /** Returns a text as it stands; undefined if it is blank or a missing value as programs write it. */
  text(...names: readonly string[]): string | undefined {
    for (const name of names) {
      const cell = this.#defaults.has(name) ? '' : this.#raw(name)
      const trimmed = cell.trim()
      if (trimmed !== '' && !NULL_TEXTS.has(trimmed)) return trimmed
    }
    return undefined
  }

  /** Returns whether the table has a column. */
  has(name: string): boolean {
    return this.header.has(name)
  }

  /** Returns the values of a list: as JSON, as Python, or separated by commas. */
  list(name: string): string[] {
    return this.#defaults.has(name) ? [] : listOf(this.#raw(name))
  }

  /** Number of cells that no column has. Empty ones at the end do not count. */
  get surplus(): number {
    return this.#row.cells.slice(this.header.names.length).filter(cell => cell.trim() !== '').length
  }

  get isFull(): boolean {
    return this.#row.cells.length === this.header.names.length
  }
}
