import { NOVELTIES, REACHES, type RecordAnalysis, SOURCES } from '@iodine/contracts'
import { SOURCE_LABELS } from '@iodine/mfe-kit'
import { useCallback } from 'react'
import { Chart, type ChartContent } from '../charts/Chart'
import { daysContent, rankingContent } from '../charts/content'
import { bars, cells } from '../charts/draw'
import { type Mark, pivot } from '../model/chart'
import {
  ageMarks,
  HOURS,
  hourMarks,
  NOVELTY_TEXTS,
  noveltyMarks,
  RANKINGS,
  type Ranking,
  rankingMarks,
  reachMarks,
  reachText,
  recordDayMarks,
  WEEKDAYS,
} from '../model/collection'
import { type ChartsProps, type Controls, periodText } from '../model/controls'
import { useRecordAnalysis } from '../queries/analyses'

const EMPTY = 'Collect posts with the browser extension or import them, or choose a longer period.'
const SHOWN = 15

const seriesOf = (marks: readonly Mark[]) =>
  SOURCES.map(source => SOURCE_LABELS[source]).filter(name => marks.some(mark => mark.series === name))

const recordDays = (
  data: RecordAnalysis,
  controls: Controls,
  onChange: ChartsProps['onChange'],
): ChartContent | null => {
  if (data.total === 0 && !data.previous) return null
  const marks = recordDayMarks(data, controls)
  const series = seriesOf(marks)
  return daysContent(
    marks,
    data.days.map(({ day }) => day),
    series,
    data.days_before,
    onChange,
  )
}

const hoursContent = (data: RecordAnalysis, controls: Controls): ChartContent | null => {
  const marks = hourMarks(data, controls)
  if (marks.length === 0) return null
  const { columns, rows } = pivot(
    marks.map(mark => ({ ...mark, key: mark.series, series: mark.key })),
    'Weekday',
    WEEKDAYS,
    HOURS,
  )
  return {
    drawing: cells(marks, {
      columns: HOURS,
      rows: WEEKDAYS,
      hasNumbers: false,
      columnText: hour => (Number(hour) % 3 === 0 ? hour : ''),
    }),
    numbers: { columns, rows },
  }
}

const reachContent = (data: RecordAnalysis, controls: Controls): ChartContent | null => {
  const marks = reachMarks(data, controls)
  if (marks.length === 0) return null
  const platforms = data.reach.map(({ platform }) => platform)
  const classes = REACHES.map(reachText)
  const turned = marks.map(mark => ({ ...mark, key: mark.series, series: mark.key }))
  return {
    drawing: cells(marks, {
      columns: classes,
      rows: platforms,
      hasNumbers: true,
      columnText: least => (/^[01]\D?$/.test(least) ? least : ''),
    }),
    numbers: pivot(turned, 'Platform', platforms, classes),
  }
}

const noveltyContent = (data: RecordAnalysis, controls: Controls): ChartContent | null => {
  const marks = noveltyMarks(data, controls)
  const series = seriesOf(marks)
  const keys = NOVELTIES.map(novelty => NOVELTY_TEXTS[novelty])
  return marks.length === 0
    ? null
    : { drawing: bars(marks, series), series, numbers: pivot(marks, 'Records with', keys, series) }
}

const RANKING_TEXTS: Record<Ranking, { title: string; definition: string }> = {
  accounts: {
    title: 'Top accounts',
    definition: 'Counts your records of the period by the account that posted.',
  },
  hashtags: {
    title: 'Top hashtags',
    definition: 'Counts your records of the period that contain a hashtag.',
  },
  domains: {
    title: 'Top domains',
    definition: 'Counts your records of the period that link to a registrable domain, or come from it.',
  },
  languages: {
    title: 'Languages',
    definition: 'Counts your records of the period by the language that the platform states.',
  },
}

/** The charts of the tab "My collection". */
export function CollectionCharts({ controls, onChange }: ChartsProps) {
  const query = useRecordAnalysis(controls)
  const shared = { query, period: periodText(controls), emptyText: EMPTY }
  const days = useCallback(
    (data: RecordAnalysis) => recordDays(data, controls, onChange),
    [controls, onChange],
  )
  const hours = useCallback((data: RecordAnalysis) => hoursContent(data, controls), [controls])
  const ages = useCallback(
    (data: RecordAnalysis) => rankingContent('Age', ageMarks(data, controls)),
    [controls],
  )
  const novelties = useCallback((data: RecordAnalysis) => noveltyContent(data, controls), [controls])
  const reach = useCallback((data: RecordAnalysis) => reachContent(data, controls), [controls])
  return (
    <>
      <Chart
        {...shared}
        wide
        title="Records per day"
        definition="Counts your records by the day on which they were first collected. Drag over days to select a period."
        content={days}
      />
      <Chart
        {...shared}
        wide
        title="Hours of posting"
        definition="Counts your records of the period by weekday and hour of posting, in the chosen time zone. Coordinated posting shows as a dark stripe."
        content={hours}
      />
      {RANKINGS.map(ranking => (
        <TopRecords key={ranking} ranking={ranking} controls={controls} query={query} />
      ))}
      <Chart
        {...shared}
        wide
        title="New against known"
        definition="Counts your records of the period by whether their text, links, hashtags or account, in 4,096 characters at most, contained the value of an IOD that existed when the record was first collected."
        content={novelties}
      />
      <Chart
        {...shared}
        title="Age of posts when collected"
        definition="Counts your records of the period by the time from the posting to the collection."
        content={ages}
      />
      <Chart
        {...shared}
        title="Reach"
        definition="Counts your records of the period by their plays or views, per platform: a column holds those from its number up to the next. Platforms count differently, so numbers are never added up."
        content={reach}
      />
    </>
  )
}

interface TopRecordsProps {
  ranking: Ranking
  controls: Controls
  query: ReturnType<typeof useRecordAnalysis>
}

function TopRecords({ ranking, controls, query }: TopRecordsProps) {
  const content = useCallback(
    (data: RecordAnalysis) => rankingContent('Value', rankingMarks(data, ranking, controls).slice(0, SHOWN)),
    [ranking, controls],
  )
  return (
    <Chart
      {...RANKING_TEXTS[ranking]}
      period={periodText(controls)}
      query={query}
      content={content}
      emptyText={EMPTY}
    />
  )
}
