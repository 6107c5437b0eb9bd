import { findFolded, foldValue, LIMITS, type QuoteRelation, type TextRange } from '@iodine/contracts'

/** Returns whether an offset in UTF-16 units splits a surrogate pair. */
export const splitsCharacter = (text: string, offset: number): boolean =>
  /[\ud800-\udbff]/.test(text.charAt(offset - 1)) && /[\udc00-\udfff]/.test(text.charAt(offset))

/** Returns up to `LIMITS.quoteContextMax` units of whole characters before and after a range of a text. */
export const contextOf = (text: string, start: number, end: number): { prefix: string; suffix: string } => {
  let from = Math.max(0, start - LIMITS.quoteContextMax)
  let to = Math.min(text.length, end + LIMITS.quoteContextMax)
  if (splitsCharacter(text, from)) from += 1
  if (splitsCharacter(text, to)) to -= 1
  return { prefix: text.slice(from, start), suffix: text.slice(end, to) }
}

/**
 * Returns a record's field by its JSON pointer (RFC 6901): strings unchanged, numbers as JSON. Undefined for a missing
 * field and for other types.
 */
export const pointerValue = (record: unknown, pointer: string): string | undefined => {
  if (pointer !== '' && !pointer.startsWith('/')) return undefined
  let value = record
  for (const part of pointer.split('/').slice(1)) {
    const name = part.replaceAll('~1', '/').replaceAll('~0', '~')
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined
    if (Array.isArray(value) && !/^(0|[1-9]\d*)$/.test(name)) return undefined
    value = (value as Record<string, unknown>)[name]
  }
  if (typeof value === 'number') return JSON.stringify(value)
  return typeof value === 'string' ? value : undefined
}

/** Returns the reference token of a JSON pointer (RFC 6901, 3) for a name. */
export const pointerToken = (name: string | number): string =>
  String(name).replaceAll('~', '~0').replaceAll('/', '~1')

export interface Quote {
  exact: string
  prefix?: string | undefined
  suffix?: string | undefined
  /** Last known offset, in UTF-16 units. */
  start?: number | undefined
}

const commonSuffix = (a: string, b: string): number => {
  let n = 0
  while (n < a.length && n < b.length && a.at(-1 - n) === b.at(-1 - n)) n += 1
  return n
}
const commonPrefix = (a: string, b: string): number => {
  let n = 0
  while (n < a.length && n < b.length && a[n] === b[n]) n += 1
  return n
}

/**
 * Finds a quote in a text. Of all exact occurrences, returns the one with the most matching context, then the one
 * nearest to `start`. Without an exact occurrence, searches the folded text (case, Unicode form). Offsets in UTF-16
 * units; null without any occurrence.
 */
export const anchorQuote = (
  text: string,
  { exact, prefix = '', suffix = '', start: near = 0 }: Quote,
): { start: number; end: number } | null => {
  if (exact === '' || !exact.isWellFormed()) return null
  const ranges: TextRange[] = []
  for (let at = text.indexOf(exact); at !== -1; at = text.indexOf(exact, at + 1))
    if (!splitsCharacter(text, at) && !splitsCharacter(text, at + exact.length))
      ranges.push([at, at + exact.length])
  if (ranges.length === 0) ranges.push(...findFolded(text, exact))
  let best: { start: number; end: number; agreed: number; away: number } | null = null
  for (const [start, end] of ranges) {
    const before = text.slice(Math.max(0, start - prefix.length), start)
    const after = text.slice(end, end + suffix.length)
    const agreed = commonSuffix(before, prefix) + commonPrefix(after, suffix)
    const away = Math.abs(start - near)
    if (!best || agreed > best.agreed || (agreed === best.agreed && away < best.away))
      best = { start, end, agreed, away }
  }
  return best && { start: best.start, end: best.end }
}

/**
 * Compares quoted words with an IOD's value: `same`, `folded` (equal apart from case, Unicode form and surrounding
 * white space), or `part` (one contains the other, folded). Null if they are unrelated.
 */
export const relationOf = (exact: string, value: string): QuoteRelation | null => {
  if (exact === value) return 'same'
  const [words, wanted] = [foldValue(exact), foldValue(value)]
  if (words === '' || wanted === '') return null
  if (words === wanted) return 'folded'
  return words.includes(wanted) || wanted.includes(words) ? 'part' : null
}

/** Returns the number of code points, the unit of the Web Annotation Data Model. */
const codePoints = (text: string): number => {
  let n = 0
  for (const _ of text) n += 1
  return n
}

/**
 * Returns a quote as selectors of the W3C Web Annotation Data Model (4.2.4, 4.2.5), whose offsets are code points. For
 * a field of a record, they refine a FragmentSelector with its JSON pointer.
 */
export const selectorsOf = (text: string, start: number, end: number, pointer = '') => {
  const first = codePoints(text.slice(0, start))
  const exact = text.slice(start, end)
  const selectors = [
    { type: 'TextQuoteSelector', exact, ...contextOf(text, start, end) },
    { type: 'TextPositionSelector', start: first, end: first + codePoints(exact) },
  ] as const
  if (pointer === '') return selectors
  return [
    {
      type: 'FragmentSelector',
      value: pointer,
      conformsTo: 'http://tools.ietf.org/rfc/rfc6901',
      refinedBy: selectors,
    },
  ] as const
}
