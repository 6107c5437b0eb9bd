import { type CampaignAnalysis, paths } from '@iodine/contracts'
import { formatAmount } from '@iodine/ui'
import type { RangeMark } from '../charts/draw'
import { type Mark, uniqueNames } from './chart'
import type { Controls } from './controls'

type Campaign = CampaignAnalysis['campaigns'][number]

const daysOf = ({ from, to, zone }: Controls) => ({ from, to, ...(zone !== 'UTC' && { zone }) })

/** Returns a unique name per campaign, by id. */
export const campaignNames = (campaigns: readonly Campaign[]): Map<string, string> => {
  const names = uniqueNames(campaigns.map(({ name }) => name))
  return new Map(campaigns.map(({ id }, n) => [id, names[n] ?? '']))
}

/** Returns two marks per pair of campaigns with common IODs: both open these. */
export const overlapMarks = ({ campaigns, overlaps }: CampaignAnalysis, controls: Controls): Mark[] => {
  const names = campaignNames(campaigns)
  return overlaps.flatMap(({ campaigns: [a, b], iods }) => {
    if (iods === 0) return []
    const [key = '', series = ''] = [names.get(a), names.get(b)]
    const text = `${key} and ${series}: ${formatAmount(iods, 'common IOD')}`
    const to = paths.iods({ campaign: [a, b], ...daysOf(controls) })
    return [
      { key, series, n: iods, text, to },
      { key: series, series: key, n: iods, text, to },
    ]
  })
}

const dayOf = (time: string) => time.slice(0, 10)

/** Returns a mark per campaign: from the first to the last of its IODs of the period. It opens them. */
export const spanMarks = ({ campaigns }: CampaignAnalysis, controls: Controls): RangeMark[] => {
  const names = campaignNames(campaigns)
  return campaigns
    .flatMap(({ id, iods, first, last }): RangeMark[] => {
      const key = names.get(id) ?? ''
      if (first === null || last === null) return []
      const text = `${key}: first appearance ${dayOf(first)}, last ${dayOf(last)}, ${formatAmount(iods, 'IOD')}`
      const [low, high] = [Date.parse(first), Date.parse(last)]
      const to = paths.iods({ campaign: [id], ...daysOf(controls) })
      return [{ key, series: 'Campaigns', n: iods, low, high, at: low, text, to }]
    })
    .sort((a, b) => a.low - b.low)
}

/** Returns the campaigns created in the period that use a technique. */
export const techniquePath = (technique: string, controls: Controls) =>
  paths.campaigns({ technique, ...daysOf(controls), ...(controls.mine && { mine: true }) })
