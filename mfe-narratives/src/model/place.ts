import type { TextPlace } from '@iodine/contracts'

/** The part of a text that a URL's query names by `start` and `end`; null for none, or one outside the text. */
export function placeOf(search: URLSearchParams, text: string): TextPlace | null {
  const [start, end] = ['start', 'end'].map(name => Number(search.get(name) ?? Number.NaN)) as [
    number,
    number,
  ]
  const isPlace = Number.isInteger(start) && Number.isInteger(end) && start >= 0 && end > start
  return isPlace && end <= text.length ? { start, end } : null
}
