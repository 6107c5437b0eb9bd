export interface Bar {
  /** As it is shown: the day, or the first of several. */
  day: string
  values: [sentences: number]
}

const DAY_MS = 86_400_000
const BARS_MAX = 60

/**
 * Sentences over time without gaps: one bar a day, or for as many days each as make at most sixty bars.
 * @param days those with sentences, oldest first, as ISO dates
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
