import { isDay, isZone } from '@iodine/contracts'

/** Filter of a link from Analytics: a DISARM technique, and days of creation. */
export interface CampaignFilter {
  technique?: string
  from?: string
  to?: string
  zone?: string
  /** Only the user's campaigns. */
  mine?: 'true'
}

const TECHNIQUE = /^T\d{4}(\.\d{3})?$/
const CHECKS: Record<keyof CampaignFilter, (value: string) => boolean> = {
  technique: value => TECHNIQUE.test(value),
  from: isDay,
  to: isDay,
  zone: isZone,
  mine: value => value === 'true',
}

/** Reads the filter from a URL's query. Invalid values are ignored. */
export const readFilter = (search: URLSearchParams): CampaignFilter =>
  Object.fromEntries(
    Object.entries(CHECKS).flatMap(([name, isValid]) => {
      const value = search.get(name)
      return value !== null && isValid(value) ? [[name, value]] : []
    }),
  )

/** Describes the filter; empty without one. */
export const filterText = ({ technique, from, to, zone = 'UTC', mine }: CampaignFilter): string =>
  [
    mine && 'of yours',
    technique && `with technique ${technique}`,
    (from || to) && `created ${from === to ? from : `${from ?? '…'} to ${to ?? '…'}`} (${zone})`,
  ]
    .filter(part => part)
    .join(', ')
