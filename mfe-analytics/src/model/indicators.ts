import {
  type Agreement,
  type IodAnalysis,
  paths,
  type ThirdVote,
  type ValueAnalysis,
  type VoteAnalysis,
} from '@iodine/contracts'
import { formatAmount } from '@iodine/ui'
import { changeText, largestSeries, type Mark, OTHERS, uniqueNames } from './chart'
import type { Controls } from './controls'

/** Filters of the list of IODs, by their names in the URL. */
type IodFilters = NonNullable<Parameters<typeof paths.iods>[0]>

/** Returns the list of the IODs that an analysis with these controls counts, restricted further by `change`. */
export const iodsPath = (controls: Controls, userId: string, change: IodFilters = {}) =>
  paths.iods({
    category: controls.categories,
    source_type: controls.sourceTypes,
    ...(controls.mine && { created_by: [userId] }),
    ...(controls.campaign && { campaign: [controls.campaign] }),
    from: controls.from,
    to: controls.to,
    ...(controls.zone !== 'UTC' && { zone: controls.zone }),
    ...change,
  })

export type StackedBy = 'categories' | 'sources'

/** Returns the marks of the IODs a day, and the names of their series, largest first. */
export function dayMarks({ days }: IodAnalysis, by: StackedBy, controls: Controls, userId: string) {
  const { shown, rest } = largestSeries(days.map(day => day[by]))
  const filter = by === 'categories' ? 'category' : 'source_type'
  const marks = days.flatMap((day): Mark[] =>
    [...shown.map(name => [name]), rest].flatMap((names): Mark[] => {
      const n = names.reduce((sum, name) => sum + (day[by][name as keyof (typeof day)[typeof by]] ?? 0), 0)
      if (n === 0) return []
      const series = names === rest ? OTHERS : (names[0] ?? OTHERS)
      return [
        {
          key: day.day,
          series,
          n,
          text: `${day.day}, ${series}: ${formatAmount(n, 'IOD')}`,
          to: iodsPath(controls, userId, { from: day.day, to: day.day, [filter]: names }),
        },
      ]
    }),
  )
  return { marks, series: rest.length > 0 ? [...shown, OTHERS] : shown }
}

/** A mark of a ranking: `change` compares with the period before. */
export interface RankedMark extends Mark {
  change: string
}

type Value = ValueAnalysis[number]['values'][number]
const ranked = (key: string, { n, previous }: Pick<Value, 'n' | 'previous'>, to: Mark['to']): RankedMark => {
  const change = changeText(n, previous)
  const compared = change && `, ${change} against the period before`
  return { key, series: 'IODs', n, change, text: `${key}: ${formatAmount(n, 'IOD')}${compared}`, to }
}

/** Returns the marks of the most frequent values of a kind. */
export const valueMarks = (
  { kind, values }: ValueAnalysis[number],
  controls: Controls,
  userId: string,
): RankedMark[] =>
  values.map(each => ranked(each.value, each, iodsPath(controls, userId, { [kind]: each.value })))

export const AGREEMENT_TEXTS: Record<Agreement, string> = {
  none: 'No votes',
  few: '1 or 2 votes',
  agreed: 'Agreed (≥ 80 %)',
  mixed: 'Mixed (≥ 60 %)',
  disputed: 'Disputed (< 60 %)',
}
export const THIRD_VOTE_TEXTS: Record<ThirdVote, string> = {
  hour: 'Within an hour',
  day: 'Within a day',
  week: 'Within a week',
  month: 'Within 30 days',
  later: 'Later',
  never: 'Not yet',
}

/** Returns the marks of the agreement of votes. */
export const agreementMarks = ({ agreements }: VoteAnalysis, controls: Controls, userId: string) =>
  agreements.map(each =>
    ranked(AGREEMENT_TEXTS[each.agreement], each, iodsPath(controls, userId, { agreement: each.agreement })),
  )

/** Describes the share of votes that are of their IOD's majority; an IOD weighs by its votes. */
export const majorityText = ({ majority, majority_before }: VoteAnalysis): string => {
  const percent = (share: number) => `${Math.round(100 * share)} %`
  if (majority === null) return ''
  return `${percent(majority)} of votes are of the majority${majority_before === null ? '' : ` (before: ${percent(majority_before)})`}`
}

/** Returns the marks of the time to the third vote. */
export const thirdVoteMarks = ({ third_votes }: VoteAnalysis, controls: Controls, userId: string) =>
  third_votes.map(each =>
    ranked(
      THIRD_VOTE_TEXTS[each.third_vote],
      each,
      iodsPath(controls, userId, { third_vote: each.third_vote }),
    ),
  )

const DISPUTED_MAX = 10

/** Returns two marks per disputed IOD: votes for and against. Each opens these votes. */
export const disputedMarks = ({ disputed }: VoteAnalysis): Mark[] => {
  const keys = uniqueNames(disputed.map(({ value }) => value))
  return disputed.slice(0, DISPUTED_MAX).flatMap(({ id, value, positive, negative }, at) =>
    (
      [
        ['For', positive, 'POSITIVE'],
        ['Against', negative, 'NEGATIVE'],
      ] as const
    ).map(([series, n, votes]) => ({
      key: keys[at] ?? value,
      series,
      n,
      text: `${value}: ${formatAmount(n, 'vote')} ${series.toLowerCase()}`,
      to: paths.iod(id, { votes }),
    })),
  )
}
