import {
  addDays,
  compareText,
  countDaysBetween,
  LIMITS,
  type NarrativeAnalysis,
  type narrativeAnalyticsApi,
  periodBefore,
  type QueryOf,
  startOfDay,
} from '@iodine/contracts'
import { sentencesOf } from '../../canon/queries/canon-sentences.js'
import type { NarrativeView } from '../../canon/queries/narrative-view.js'

type Query = QueryOf<typeof narrativeAnalyticsApi.analyzeNarratives>

/** Added to both counts, so that a ratio of zeros is finite. */
const ADDED = 0.5
/** Quantile of the normal distribution for a two-sided interval of 95 %. */
const Z = 1.96

/**
 * Returns the ratio of two counts with its confidence interval: Wald's on the logarithm, with one half added to each
 * (Haldane, Anscombe). Few sentences have a wide interval: 1 → 3 is no significant rise.
 */
export const changeOf = (now: number, before: number) => {
  const [a, b] = [now + ADDED, before + ADDED]
  const error = Z * Math.sqrt(1 / a + 1 / b)
  const [ratio, factor] = [a / b, Math.exp(error)]
  return { ratio, low: ratio / factor, high: ratio * factor }
}

/** Returns the first days of the weeks of a period, which begins the first one. */
const weeksOf = ({ from, to }: Query): string[] =>
  Array.from({ length: Math.ceil(countDaysBetween(from, to) / 7) }, (_, n) => addDays(from, 7 * n))

/** Returns the narratives of a period with the number of their sentences by week, the most significant rise first. */
export const analyzeNarratives = (query: Query, views: readonly NarrativeView[]): NarrativeAnalysis => {
  const { zone, to } = query
  const weeks = weeksOf(query)
  const starts = weeks.map(day => startOfDay(day, zone))
  const end = startOfDay(addDays(to, 1), zone)
  const start = starts[0] as number
  const startBefore = startOfDay(periodBefore(query).from, zone)
  const found: NarrativeAnalysis['narratives'] = []
  for (const view of views) {
    // Few views have a text in the period; their times bound those of their mentions.
    if (view.last.getTime() < start || view.since.getTime() >= end) continue
    const by_week = weeks.map(() => 0)
    let before = 0
    for (const { text } of sentencesOf(view, undefined)) {
      const time = text.created_at.getTime()
      if (time >= end || time < startBefore) continue
      const week = starts.findLastIndex(each => each <= time)
      if (week < 0) before++
      else by_week[week] = (by_week[week] as number) + 1
    }
    const sentences = by_week.reduce((sum, n) => sum + n, 0)
    if (sentences === 0) continue
    const { id, subject, verb, object } = view
    const labels = { subject: subject.label, verb: verb.label, object: object.label }
    found.push({ id, ...labels, sentences, before, by_week, change: changeOf(sentences, before) })
  }
  found.sort((a, b) => b.change.low - a.change.low || b.sentences - a.sentences || compareText(a.id, b.id))
  return { total: found.length, weeks, narratives: found.slice(0, LIMITS.analyzedValuesMax) }
}
