import type { KnownIod, Scanned } from '../../shared/messages'
import type { PageText } from './page-texts'

/** A range [start, end) of a text that is the value of IODs. */
export interface FoundValue {
  start: number
  end: number
  iods: readonly KnownIod[]
}

export interface KnownText extends PageText {
  found: readonly FoundValue[]
}

/** Groups the hits of a response into values, by text. */
export const foundValues = ({ iods, hits }: Scanned): FoundValue[][] =>
  hits.map(numbers => {
    const found: { start: number; end: number; iods: KnownIod[] }[] = []
    for (let n = 0; n < numbers.length; n += 3) {
      const [start = 0, end = 0, position = 0] = numbers.slice(n, n + 3)
      const iod = iods[position]
      if (!iod) continue
      const same = found.find(other => other.start === start && other.end === end)
      if (same) same.iods.push(iod)
      else found.push({ start, end, iods: [iod] })
    }
    return found
  })

/** Returns the words of a found value on one line. */
export const wordsOf = ({ text }: PageText, { start, end }: FoundValue): string =>
  text.slice(start, end).replace(/\s+/g, ' ')
