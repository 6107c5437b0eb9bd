import type { CampaignAnalysis } from '@iodine/contracts'
import { lazy, useCallback } from 'react'
import { Chart, type ChartContent } from '../charts/Chart'
import { cells, ranges } from '../charts/draw'
import { campaignNames, overlapMarks, spanMarks } from '../model/campaigns'
import { type ChartsProps, periodText } from '../model/controls'
import { useCampaignAnalysis } from '../queries/analyses'

const TechniqueMatrix = lazy(() => import('./TechniqueMatrix'))

const SHOWN = 15

/** Returns the common IODs of each two campaigns; null for none. */
const overlapContent = (data: CampaignAnalysis, controls: ChartsProps['controls']): ChartContent | null => {
  const names = campaignNames(data.campaigns)
  const ids = new Set(data.overlaps.flatMap(({ campaigns }) => campaigns))
  const paired = [...names].flatMap(([id, name]) => (ids.has(id) ? [name] : [])).slice(0, SHOWN)
  if (paired.length === 0) return null
  const marks = overlapMarks(data, controls)
  const shown = marks.filter(({ key, series }) => paired.includes(key) && paired.includes(series))
  return {
    drawing: cells(shown, { columns: paired, rows: paired, hasNumbers: true }),
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
}

/** Returns the first and last IOD of each campaign; null for none. */
const spanContent = (data: CampaignAnalysis, controls: ChartsProps['controls']): ChartContent | null => {
  const marks = spanMarks(data, controls).slice(0, 2 * SHOWN)
  if (marks.length === 0) return null
  return {
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
}

/** Returns the number of campaigns of each technique; null for none. */
const techniqueContent = (data: CampaignAnalysis, controls: ChartsProps['controls']): ChartContent | null => {
  if (data.techniques.length === 0) return null
  return {
    drawing: {
      body: <TechniqueMatrix data={data} controls={controls} />,
      picture: async title => (await import('../model/techniques')).techniquesSvg(data, title),
    },
    numbers: {
      columns: ['Technique', 'Campaigns', 'Period before'],
      rows: data.techniques.map(({ technique, campaigns, previous }) => [technique, campaigns, previous]),
    },
  }
}

/** The charts of the tab "Campaigns". */
export function CampaignCharts({ controls }: ChartsProps) {
  const query = useCampaignAnalysis(controls)
  const overlaps = useCallback((data: CampaignAnalysis) => overlapContent(data, controls), [controls])
  const spans = useCallback((data: CampaignAnalysis) => spanContent(data, controls), [controls])
  const techniques = useCallback((data: CampaignAnalysis) => techniqueContent(data, controls), [controls])
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
