import {
  type Novelty,
  type PostAge,
  paths,
  type Reach,
  type RecordAnalysis,
  SOURCES,
  type Source,
} from '@iodine/contracts'
import { SOURCE_LABELS } from '@iodine/mfe-kit'
import { formatAmount } from '@iodine/ui'
import { changeText, type Mark } from './chart'
import type { Controls } from './controls'
import type { RankedMark } from './indicators'

/** Filters of My data, by their names in the URL. */
type RecordFilters = NonNullable<Parameters<typeof paths.data>[0]>
type Counts = Partial<Record<string, number>>

/** Returns the tab of My data with most of the counted records; the others have the rest. */
const largestSource = (sources: Counts): Source | undefined =>
  SOURCES.toSorted((a, b) => (sources[b] ?? 0) - (sources[a] ?? 0))[0]

/** Returns My data, restricted to the period and further by `change`. */
export const recordsPath = ({ from, to, zone }: Controls, change: RecordFilters) =>
  paths.data({ from, to, ...(zone !== 'UTC' && { zone }), ...change })

/** Returns the marks of the records a day, one series per source. */
export const recordDayMarks = ({ days }: RecordAnalysis, controls: Controls): Mark[] =>
  days.flatMap(({ day, sources }) =>
    SOURCES.flatMap((source): Mark[] => {
      const n = sources[source] ?? 0
      const series = SOURCE_LABELS[source]
      if (n === 0) return []
      const to = recordsPath(controls, { source, from: day, to: day })
      return [{ key: day, series, n, text: `${day}, ${series}: ${formatAmount(n, 'record')}`, to }]
    }),
  )

export const WEEKDAYS = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'] as const
export const HOURS = Array.from({ length: 24 }, (_, hour) => String(hour).padStart(2, '0'))

/** Returns the marks of the hours of the week in which the records were posted. */
export const hourMarks = ({ hours }: RecordAnalysis, controls: Controls): Mark[] =>
  hours.map(({ weekday, hour, n, sources }) => {
    const [series = '', key = ''] = [WEEKDAYS[weekday], HOURS[hour]]
    const to = recordsPath(controls, { source: largestSource(sources), weekday, hour })
    return { key, series, n, text: `${series} ${key}:00: ${formatAmount(n, 'record')}`, to }
  })

export const RANKINGS = ['accounts', 'hashtags', 'domains', 'languages'] as const
export type Ranking = (typeof RANKINGS)[number]
const FILTERS = {
  accounts: 'account',
  hashtags: 'hashtag',
  domains: 'domain',
  languages: 'language',
} as const

const ranked = (key: string, n: number, previous: number | null, to: Mark['to']): RankedMark => {
  const change = changeText(n, previous)
  const compared = change && `, ${change} against the period before`
  return { key, series: 'Records', n, change, text: `${key}: ${formatAmount(n, 'record')}${compared}`, to }
}

/** Returns the marks of the most frequent values of a kind. */
export const rankingMarks = (data: RecordAnalysis, ranking: Ranking, controls: Controls): RankedMark[] =>
  data[ranking].map(({ value, n, previous, sources }) =>
    ranked(
      value,
      n,
      previous,
      recordsPath(controls, { source: largestSource(sources), [FILTERS[ranking]]: value }),
    ),
  )

export const AGE_TEXTS: Record<PostAge, string> = {
  hour: 'Up to an hour',
  day: 'Up to a day',
  week: 'Up to a week',
  month: 'Up to 30 days',
  year: 'Up to a year',
  older: 'Older',
  unknown: 'Unknown',
}

/** Returns the marks of the posts' age when they were collected. */
export const ageMarks = ({ ages }: RecordAnalysis, controls: Controls): RankedMark[] =>
  ages.map(({ age, n, sources }) =>
    ranked(AGE_TEXTS[age], n, null, recordsPath(controls, { source: largestSource(sources), age })),
  )

export const NOVELTY_TEXTS: Record<Novelty, string> = {
  known: 'A known IOD',
  new: 'No known IOD',
  pending: 'Not compared yet',
}

/** Returns the marks of the records with and without a known IOD, one series per source. */
export const noveltyMarks = ({ novelties }: RecordAnalysis, controls: Controls): Mark[] =>
  novelties
    .filter(({ novelty, n }) => n > 0 || novelty !== 'pending')
    .flatMap(({ novelty, sources }) =>
      SOURCES.flatMap((source): Mark[] => {
        const [key, series, n] = [NOVELTY_TEXTS[novelty], SOURCE_LABELS[source], sources[source] ?? 0]
        const to = recordsPath(controls, { source, novelty })
        return n === 0
          ? []
          : [{ key, series, n, text: `${key}, ${series}: ${formatAmount(n, 'record')}`, to }]
      }),
    )

const UNITS = ['', 'k', 'M', 'B']
/** Returns the least number of a class of plays or views: '0', '1', '100', '10k'. */
export const reachText = (reach: Reach): string => {
  const zeros = Number(reach) - 1
  return zeros < 0 ? '0' : `${10 ** (zeros % 3)}${UNITS[Math.floor(zeros / 3)]}`
}

/** Returns the marks of plays or views: a row per platform, a column per class. */
export const reachMarks = ({ reach }: RecordAnalysis, controls: Controls): Mark[] =>
  reach.flatMap(({ platform, source, classes }) =>
    classes
      .filter(({ n }) => n > 0)
      .map(({ reach: each, n }) => ({
        key: reachText(each),
        series: platform,
        n,
        text: `${platform}, from ${reachText(each)}: ${formatAmount(n, 'record')}`,
        to: recordsPath(controls, { source, platform, reach: each }),
      })),
  )
