import type { TextPlace } from '@iodine/contracts'

/** Reads a range of a text from `start` and `end` of a URL's query; null if there is none or it is outside the text. */
export function rangeFromUrl(search: URLSearchParams, text: string): TextPlace | null {
  const [start, end] = ['start', 'end'].map(name => Number(search.get(name) ?? Number.NaN)) as [
    number,
    number,
  ]
  const isRange = Number.isInteger(start) && Number.isInteger(end) && start >= 0 && end > start
  return isRange && end <= text.length ? { start, end } : null
}
