import type { NarrativeAnalysis } from '@iodine/contracts'
import { useCallback } from 'react'
import { Chart, type ChartContent } from '../charts/Chart'
import { cells, ranges } from '../charts/draw'
import { pivot } from '../model/chart'
import { periodText } from '../model/controls'
import { changeMarks, namesOf, weekMarks } from '../model/narratives'
import { useNarrativeAnalysis } from '../queries/analyses'
import type { ChartsProps } from './charts-props'

const SHOWN = 20
const EMPTY = 'Analyze a text in Narratives, or choose a longer period.'

const first = (data: NarrativeAnalysis): NarrativeAnalysis => ({
  ...data,
  narratives: data.narratives.slice(0, SHOWN),
})

/** The charts of the tab "Narratives". */
export function NarrativeCharts({ controls }: ChartsProps) {
  const query = useNarrativeAnalysis(controls)
  const changes = useCallback(
    (data: NarrativeAnalysis): ChartContent | null => {
      const marks = changeMarks(first(data), controls)
      return marks.length === 0
        ? null
        : {
            drawing: ranges(marks, false),
            numbers: {
              columns: ['Narrative', 'Sentences', 'Period before', 'Ratio', 'Low', 'High'],
              rows: data.narratives
                .slice(0, SHOWN)
                .map(({ sentences, before, change }, n) => [
                  marks[n]?.key,
                  sentences,
                  before,
                  change.ratio,
                  change.low,
                  change.high,
                ]),
            },
          }
    },
    [controls],
  )
  const weeks = useCallback(
    (data: NarrativeAnalysis): ChartContent | null => {
      const shown = first(data)
      const marks = weekMarks(shown, controls)
      const rows = namesOf(shown.narratives)
      if (marks.length === 0) return null
      const step = Math.ceil(data.weeks.length / 8)
      return {
        drawing: cells(marks, {
          columns: data.weeks,
          rows,
          hasNumbers: data.weeks.length <= 14,
          columnText: week => (data.weeks.indexOf(week) % step === 0 ? week.slice(5) : ''),
        }),
        numbers: pivot(
          marks.map(mark => ({ ...mark, key: mark.series, series: mark.key })),
          'Narrative',
          rows,
          data.weeks,
        ),
      }
    },
    [controls],
  )
  const shared = { query, period: periodText(controls), emptyText: EMPTY }
  return (
    <>
      <Chart
        {...shared}
        wide
        title="Rising narratives"
        definition="Compares the sentences of a canonical narrative with the period before: the dot is the ratio, the line its 95 % interval. The most significant rise is first, so that 1 → 3 does not lead."
        content={changes}
      />
      <Chart
        {...shared}
        wide
        title="Narratives by week"
        definition="Counts the sentences of your texts that express a canonical narrative, by the week of their analysis."
        content={weeks}
      />
    </>
  )
}
