import type { CampaignAnalysis } from '@iodine/contracts'
import { useCallback } from 'react'
import { Chart, type ChartContent } from '../charts/Chart'
import { cells, ranges } from '../charts/draw'
import { campaignNames, overlapMarks, spanMarks } from '../model/campaigns'
import { periodText } from '../model/controls'
import { useCampaignAnalysis } from '../queries/analyses'
import type { ChartsProps } from './AnalyticsPage'

const SHOWN = 15
const SHORT = 8

/** The charts of the tab "Campaigns". */
export function CampaignCharts({ controls }: ChartsProps) {
  const query = useCampaignAnalysis(controls)
  const overlaps = useCallback(
    (data: CampaignAnalysis): ChartContent | null => {
      const names = campaignNames(data.campaigns)
      const marks = overlapMarks(data, controls)
      const paired = [...names.values()].filter(name => marks.some(({ key }) => key === name)).slice(0, SHOWN)
      const shown = marks.filter(({ key, series }) => paired.includes(key) && paired.includes(series))
      return shown.length === 0
        ? null
        : {
            drawing: cells(shown, {
              columns: paired,
              rows: paired,
              hasNumbers: true,
              columnText: name => (name.length > SHORT ? `${name.slice(0, SHORT - 1)}…` : name),
            }),
            numbers: {
              columns: ['Campaign', 'Other campaign', 'IODs', 'Accounts', 'Domains'],
              rows: data.overlaps.map(({ campaigns: [a, b], iods, accounts, domains }) => [
                names.get(a),
                names.get(b),
                iods,
                accounts,
                domains,
              ]),
            },
          }
    },
    [controls],
  )
  const spans = useCallback(
    (data: CampaignAnalysis): ChartContent | null => {
      const marks = spanMarks(data, controls).slice(0, 2 * SHOWN)
      return marks.length === 0
        ? null
        : {
            drawing: ranges(marks, true),
            numbers: {
              columns: ['Campaign', 'First', 'Last', 'IODs'],
              rows: marks.map(({ key, low, high, n }) => [
                key,
                new Date(low).toISOString(),
                new Date(high).toISOString(),
                n,
              ]),
            },
          }
    },
    [controls],
  )
  const shared = { query, period: periodText(controls) }
  return (
    <>
      <Chart
        {...shared}
        wide
        title="Overlap of campaigns"
        definition="Counts the IODs of the period that two campaigns have in common; the table also has their common accounts and domains."
        content={overlaps}
        emptyText="No two campaigns have IODs, accounts or domains of this period in common."
      />
      <Chart
        {...shared}
        wide
        title="First appearances"
        definition="Shows each campaign from the first (dot) to the last of its IODs created in the period, earliest first."
        content={spans}
        emptyText="No campaign has IODs of this period."
      />
    </>
  )
}
