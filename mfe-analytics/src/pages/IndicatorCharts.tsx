import type { IodAnalysis, ValueAnalysis, ValueKind, VoteAnalysis } from '@iodine/contracts'
import { useHost } from '@iodine/mfe-kit'
import { HTMLSelect } from '@iodine/ui'
import { useCallback, useState } from 'react'
import { Chart, type ChartContent } from '../charts/Chart'
import { daysContent, rankingContent } from '../charts/content'
import { bars } from '../charts/draw'
import { pivot } from '../model/chart'
import { type ChartsProps, type Controls, periodText } from '../model/controls'
import {
  agreementMarks,
  dayMarks,
  disputedMarks,
  majorityText,
  type StackedBy,
  thirdVoteMarks,
  valueMarks,
} from '../model/indicators'
import { useIodAnalysis, useValueAnalysis, useVoteAnalysis } from '../queries/analyses'

const EMPTY = 'Choose a longer period, or fewer filters.'

/** The charts of the tab "Indicators". */
export function IndicatorCharts({ controls, onChange }: ChartsProps) {
  return (
    <>
      <IodsByDay controls={controls} onChange={onChange} />
      <Values controls={controls} />
      <Votes controls={controls} />
    </>
  )
}

function IodsByDay({ controls, onChange }: ChartsProps) {
  const { id } = useHost().session.user
  const query = useIodAnalysis(controls)
  const [by, setBy] = useState<StackedBy>('categories')
  const content = useCallback(
    (data: IodAnalysis): ChartContent | null => {
      if (data.total === 0 && !data.previous) return null
      const { marks, series } = dayMarks(data, by, controls, id)
      const keys = data.days.map(({ day }) => day)
      return daysContent(marks, keys, series, data.days_before, onChange)
    },
    [by, controls, id, onChange],
  )
  return (
    <Chart
      wide
      title="IODs per day"
      definition="Counts IODs by the day of their creation. Drag over days to select a period. A dashed line is the period before, if you compare."
      period={periodText(controls)}
      query={query}
      content={content}
      emptyText={EMPTY}
      controls={
        <HTMLSelect
          aria-label="Stacked by"
          iconName="caret-down"
          value={by}
          options={[
            { value: 'categories', label: 'By category' },
            { value: 'sources', label: 'By source' },
          ]}
          onChange={event => setBy(event.target.value as StackedBy)}
        />
      }
    />
  )
}

const VALUE_TITLES: Record<ValueKind, { title: string; definition: string }> = {
  domain: {
    title: 'Top domains',
    definition:
      'Counts the IODs of the period by the registrable domain of their URL or domain: www.example.co.uk counts as example.co.uk.',
  },
  hashtag: { title: 'Top hashtags', definition: 'Counts the IODs of the period by hashtag, ignoring case.' },
  account: { title: 'Top accounts', definition: 'Counts the IODs of the period by account, ignoring case.' },
}
const KINDS = Object.keys(VALUE_TITLES) as ValueKind[]
const SHOWN = 15

function Values({ controls }: { controls: Controls }) {
  const query = useValueAnalysis(controls)
  return KINDS.map(kind => <TopValues key={kind} kind={kind} query={query} controls={controls} />)
}

function TopValues(props: {
  kind: ValueKind
  query: ReturnType<typeof useValueAnalysis>
  controls: Controls
}) {
  const { kind, query, controls } = props
  const { id } = useHost().session.user
  const content = useCallback(
    (data: ValueAnalysis) => {
      const found = data.find(each => each.kind === kind)
      return found ? rankingContent('Value', valueMarks(found, controls, id).slice(0, SHOWN)) : null
    },
    [kind, controls, id],
  )
  return (
    <Chart
      {...VALUE_TITLES[kind]}
      period={periodText(controls)}
      query={query}
      content={content}
      emptyText={EMPTY}
    />
  )
}

function Votes({ controls }: { controls: Controls }) {
  const { id } = useHost().session.user
  const query = useVoteAnalysis(controls)
  const agreements = useCallback(
    (data: VoteAnalysis) => {
      const content = data.total > 0 ? rankingContent('Agreement', agreementMarks(data, controls, id)) : null
      return content && { ...content, note: majorityText(data) }
    },
    [controls, id],
  )
  const thirdVotes = useCallback(
    (data: VoteAnalysis) =>
      data.total > 0 ? rankingContent('Third vote', thirdVoteMarks(data, controls, id)) : null,
    [controls, id],
  )
  const disputed = useCallback((data: VoteAnalysis): ChartContent | null => {
    const marks = disputedMarks(data)
    const series = ['For', 'Against']
    return marks.length > 0
      ? {
          drawing: bars(marks, series),
          series,
          numbers: pivot(marks, 'IOD', [...new Set(marks.map(({ key }) => key))], series),
        }
      : null
  }, [])
  const shared = { query, period: periodText(controls), emptyText: EMPTY }
  return (
    <>
      <Chart
        {...shared}
        title="Agreement of votes"
        definition="Counts the IODs of the period by the share of their votes that are of the majority, from three votes on."
        content={agreements}
      />
      <Chart
        {...shared}
        title="Time to the third vote"
        definition="Counts the IODs of the period by the time from their creation to their third vote."
        content={thirdVotes}
      />
      <Chart
        {...shared}
        title="Most disputed"
        definition="IODs of the period with the most votes of the smaller side; each bar opens the votes."
        content={disputed}
      />
    </>
  )
}
