export interface Bar {
  /** The displayed label: the bar's first day. */
  day: string
  values: [sentences: number]
}

const DAY_MS = 86_400_000
const BARS_MAX = 60

/**
 * Returns the number of sentences over time, without gaps. A bar covers one day, or several equal spans of days so that
 * there are at most sixty bars.
 * @param days days with sentences, oldest first, as ISO dates
 */
export function timeline(days: readonly { day: string; sentences: number }[]): Bar[] {
  const [first, last] = [days[0], days.at(-1)]
  if (!first || !last) return []
  const start = Date.parse(first.day)
  const count = Math.round((Date.parse(last.day) - start) / DAY_MS) + 1
  const each = Math.ceil(count / BARS_MAX)
  const bars = Array.from(
    { length: Math.ceil(count / each) },
    (_, n): Bar => ({
      day: new Date(start + n * each * DAY_MS).toISOString().slice(0, 10),
      values: [0],
    }),
  )
  for (const { day, sentences } of days) {
    const bar = bars[Math.floor((Date.parse(day) - start) / DAY_MS / each)]
    if (bar) bar.values[0] += sentences
  }
  return bars
}
