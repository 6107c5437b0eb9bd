import type { CampaignAnalysis } from '@iodine/contracts'
import { lazy, useCallback } from 'react'
import { Chart, type ChartContent } from '../charts/Chart'
import { cells, ranges } from '../charts/draw'
import { campaignNames, overlapMarks, spanMarks } from '../model/campaigns'
import { type ChartsProps, periodText } from '../model/controls'
import { useCampaignAnalysis } from '../queries/analyses'

const TechniqueMatrix = lazy(() => import('./TechniqueMatrix'))

const SHOWN = 15

/** The charts of the tab "Campaigns". */
export function CampaignCharts({ controls }: ChartsProps) {
  const query = useCampaignAnalysis(controls)
  const overlaps = useCallback(
    (data: CampaignAnalysis): ChartContent | null => {
      const names = campaignNames(data.campaigns)
      const marks = overlapMarks(data, controls)
      const ids = new Set(data.overlaps.flatMap(({ campaigns }) => campaigns))
      const paired = [...names].flatMap(([id, name]) => (ids.has(id) ? [name] : [])).slice(0, SHOWN)
      const shown = marks.filter(({ key, series }) => paired.includes(key) && paired.includes(series))
      return paired.length === 0
        ? null
        : {
            drawing: cells(shown, {
              columns: paired,
              rows: paired,
              hasNumbers: true,
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
  const techniques = useCallback(
    (data: CampaignAnalysis): ChartContent | null =>
      data.techniques.length === 0
        ? null
        : {
            drawing: {
              body: <TechniqueMatrix data={data} controls={controls} />,
              picture: async title => (await import('../model/techniques')).techniquesSvg(data, title),
            },
            numbers: {
              columns: ['Technique', 'Campaigns', 'Period before'],
              rows: data.techniques.map(({ technique, campaigns, previous }) => [
                technique,
                campaigns,
                previous,
              ]),
            },
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
      <Chart
        {...shared}
        wide
        title="DISARM techniques"
        definition="Counts the campaigns created in the period by the DISARM techniques that they state; the shade and the edge of a cell show the number."
        content={techniques}
        emptyText="No campaign created in this period states techniques."
      />
    </>
  )
}
