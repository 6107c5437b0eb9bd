import { LIMITS, parseUrl } from '@iodine/contracts'

/** Returns the value at a path of keys; undefined if a key is missing. */
export const at = (value: unknown, ...path: (string | number)[]): unknown => {
  let found = value
  for (const key of path) {
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, key)) return undefined
    found = (found as Record<string | number, unknown>)[key]
  }
  return found
}

export const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])

/** Returns a non-blank text that the contract accepts. An integer is read as its digits, because ids may be numbers. */
export const textOf = (value: unknown): string | undefined => {
  const text = Number.isSafeInteger(value) ? String(value) : value
  if (typeof text !== 'string' || text.trim() === '') return undefined
  // The server rejects such texts, and a truncated or repaired one would not be the author's.
  if (text.length > LIMITS.fieldMax || text.includes('\0') || !text.isWellFormed()) return undefined
  return text
}

/** Returns an exact count: an integer, or its digits. A rounded one ('1.2M') is not accepted. */
export const countOf = (value: unknown): number | undefined => {
  const count = typeof value === 'string' && /^\s*\d{1,16}\s*$/.test(value) ? Number(value) : value
  return typeof count === 'number' && Number.isSafeInteger(count) && count >= 0 ? count : undefined
}

const TEXTS_MAX = 1_000

/** Returns the distinct texts of the first list that has a non-blank one, in order. */
export const firstTexts = (...lists: unknown[][]): string[] | undefined =>
  lists
    .map(list => [...new Set(list.map(textOf).filter(text => text !== undefined))].slice(0, TEXTS_MAX))
    .find(texts => texts.length > 0)

type Filled<T> = { [K in keyof T]: Exclude<T[K], undefined> }

/** Returns the object without undefined fields; undefined if none is left. */
export const filled = <T extends object>(fields: T): Partial<Filled<T>> | undefined => {
  const entries = Object.entries(fields).filter(([, value]) => value !== undefined)
  return entries.length > 0 ? (Object.fromEntries(entries) as Partial<Filled<T>>) : undefined
}

/**
 * Returns a pattern for JSON strings and for invalid parts: CDATA marks, comments, semicolons, trailing commas. An
 * unterminated part extends to the end, so that matching takes linear time.
 */
const partsWith = (comment: string): RegExp =>
  new RegExp(
    [
      String.raw`"[^"\\]*(?:\\[\s\S][^"\\]*)*(?:"|$)`,
      String.raw`(?:(?:\/\/|\/\*)\s{0,9})?(?:<!\[CDATA\[|\]\]>)(?:\s{0,9}\*\/)?`,
      comment,
      String.raw`\/\*[\s\S]*?(?:\*\/|$)|\/\/[^\n]*|;|,(?=\s*[\]}])`,
    ].join('|'),
    'g',
  )
/** An HTML comment is removed with its content; if that fails, only its marks, since it may enclose the JSON. */
const REPAIRS = [partsWith(String.raw`<!--[\s\S]*?(?:-->|$)`), partsWith('<!--|-->')]
const unicodeEscape = (character: string): string =>
  `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`

/** Repairs a JSON string: escapes raw control characters and removes invalid escapes. */
const repairedText = (text: string): string =>
  text
    .replace(/\p{Cc}/gu, unicodeEscape)
    .replace(/\\(["\\/bfnrt]|u[\da-fA-F]{4})?/g, (all, known?: string) => (known === undefined ? '' : all))

/**
 * Parses the JSON in a script of the page, after repairs if necessary; undefined if it is missing or can't be parsed.
 */
export const jsonOf = (script: Element | null): unknown => {
  const text = script?.textContent ?? ''
  const repairs = REPAIRS.map(
    parts => () => text.replace(parts, part => (part.startsWith('"') ? repairedText(part) : '')),
  )
  for (const read of [() => text, ...repairs]) {
    try {
      return JSON.parse(read())
    } catch {}
  }
  return undefined
}

/** Returns the absolute http(s) URL of a possibly relative one; undefined for any other scheme. */
export const addressOf = (value: unknown, base: string): string | undefined => {
  const url = parseUrl(textOf(value) ?? 'about:blank', base)
  return url?.protocol === 'http:' || url?.protocol === 'https:' ? textOf(url.href) : undefined
}

/** The result of reading a page: the post that the page is about, and all posts in it, including that one. */
export interface Found<R> {
  own: R | undefined
  all: R[]
}

/**
 * A page to read. `time` (ISO 8601) is that of the capture. If known, `loadedUrl` is the URL with which the browser
 * loaded the document, and `status` the HTTP status of that response. Scripts may have changed the URL since.
 */
export interface PageState {
  document: Document
  url: string
  time: string
  loadedUrl?: string
  status?: number
}
