import { addDays, type NarrativeAnalysis, paths, periodBefore } from '@iodine/contracts'
import { formatAmount } from '@iodine/ui'
import type { RangeMark } from '../charts/draw'
import { type Mark, uniqueNames } from './chart'
import type { Controls } from './controls'

type Narrative = NarrativeAnalysis['narratives'][number]

/** Returns a unique name per narrative: narratives of other variants may have the same. */
export const namesOf = (narratives: readonly Narrative[]): string[] =>
  uniqueNames(narratives.map(({ subject, verb, object }) => `${subject} ${verb} ${object}`))

/** Returns the narrative's page with the sentences analyzed in the period, or in a part of it. */
const narrativePath = (id: string, { from, to, zone }: Controls, part = { from, to }) =>
  paths.canonicalNarrative(id, { ...part, ...(zone !== 'UTC' && { zone }) })

const DAYS_OF_WEEK = 7
const earlier = (a: string, b: string) => (a < b ? a : b)
const later = (a: string, b: string) => (a > b ? a : b)

/** Returns the marks of the weeks with sentences: a row per narrative, a column per week. */
export const weekMarks = ({ narratives, weeks }: NarrativeAnalysis, controls: Controls): Mark[] => {
  const names = namesOf(narratives)
  return narratives.flatMap(({ id, by_week }, at) =>
    by_week.flatMap((n, week): Mark[] => {
      const [series = '', key = ''] = [names[at], weeks[week]]
      if (n === 0) return []
      const part = {
        from: later(key, controls.from),
        to: earlier(addDays(key, DAYS_OF_WEEK - 1), controls.to),
      }
      const text = `${series}, week of ${key}: ${formatAmount(n, 'sentence')}`
      return [{ key, series, n, text, to: narrativePath(id, controls, part) }]
    }),
  )
}

const rounded = (ratio: number) => Number(ratio.toPrecision(2))

/** Returns the marks of the change against the period before. Each opens the sentences of both periods. */
export const changeMarks = ({ narratives }: NarrativeAnalysis, controls: Controls): RangeMark[] => {
  const names = namesOf(narratives)
  return narratives.map(({ id, sentences, before, change: { ratio, low, high } }, at) => {
    const key = names[at] ?? ''
    return {
      key,
      series: 'Change',
      n: sentences + before,
      low,
      high,
      at: ratio,
      text: `${key}: ${formatAmount(sentences, 'sentence')}, ${before} before; ×${rounded(ratio)}, 95 % interval ${rounded(low)} to ${rounded(high)}${low > 1 ? ', a significant rise' : ''}`,
      to: narrativePath(id, controls, { from: periodBefore(controls).from, to: controls.to }),
    }
  })
}
