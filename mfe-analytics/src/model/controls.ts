import {
  addDays,
  CATEGORIES,
  type Category,
  countDaysBetween,
  isDay,
  isZone,
  LIMITS,
  SOURCE_TYPES,
  SOURCES,
  type Source,
  type SourceType,
} from '@iodine/contracts'

export const TABS = ['indicators', 'collection', 'campaigns', 'narratives'] as const
export type TabId = (typeof TABS)[number]

/** Periods that end today, by their length in days. */
export const PERIODS = [7, 30, 90, 365] as const
const DEFAULT_DAYS = 30

/** The controls above the charts. An empty list is no filter. */
export interface Controls {
  tab: TabId
  /** Length of the period if it ends today; null for chosen days. */
  days: number | null
  from: string
  to: string
  zone: string
  compare: boolean
  campaign: string | null
  categories: readonly Category[]
  sourceTypes: readonly SourceType[]
  sources: readonly Source[]
  mine: boolean
}

const CAMPAIGN_ID = /^[0-9a-f]{24}$/

/** Returns the day of a time in a zone. */
export const dayIn = (time: number, zone: string): string =>
  new Intl.DateTimeFormat('en-CA', {
    timeZone: zone,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
  }).format(time)

const choose = <T extends string>(search: URLSearchParams, name: string, known: readonly T[]) => {
  const given = search.getAll(name)
  return {
    chosen: known.filter(each => given.includes(each)),
    unknown: given.filter(each => !known.includes(each as T)),
  }
}

/** Returns what is wrong with the days of a period; null for a valid period. */
export const periodProblem = (from: string, to: string): string | null => {
  if (!isDay(from) || !isDay(to)) return 'Choose the first and the last day of the period.'
  if (from > to) return 'The first day of the period is after its last day.'
  if (countDaysBetween(from, to) > LIMITS.analyzedDaysMax)
    return `A period has at most ${LIMITS.analyzedDaysMax} days.`
  return null
}

const readPeriod = (search: URLSearchParams, today: string) => {
  const ending = (days: number) => ({ days, from: addDays(today, 1 - days), to: today })
  const [from, to, days] = ['from', 'to', 'days'].map(name => search.get(name))
  if (from != null || to != null) {
    const problem = periodProblem(from ?? '', to ?? '')
    return problem === null
      ? { days: null, from: from ?? '', to: to ?? '', problem }
      : { ...ending(DEFAULT_DAYS), problem: `${problem} The charts show the last 30 days.` }
  }
  const known = PERIODS.find(each => String(each) === days)
  const problem = days != null && !known ? `“${days}” is no period. The charts show the last 30 days.` : null
  return { ...ending(known ?? DEFAULT_DAYS), problem }
}

/**
 * Reads the controls from a URL's query. Invalid values are replaced by their defaults, and described in `problems`.
 * @param now in milliseconds
 */
export function readControls(
  search: URLSearchParams,
  now: number,
): { controls: Controls; problems: readonly string[] } {
  const problems: string[] = []
  const refuse = (problem: string | null) => void (problem !== null && problems.push(problem))
  const given = search.get('zone')
  const zone = given !== null && isZone(given) ? given : 'UTC'
  refuse(given === null || given === zone ? null : `“${given}” is no time zone. The days are those of UTC.`)
  const { problem, ...period } = readPeriod(search, dayIn(now, zone))
  refuse(problem)
  const categories = choose(search, 'category', CATEGORIES)
  const sourceTypes = choose(search, 'source_type', SOURCE_TYPES)
  const sources = choose(search, 'source', SOURCES)
  for (const value of [...categories.unknown, ...sourceTypes.unknown, ...sources.unknown])
    refuse(`“${value}” is no category or source, and is ignored.`)
  const campaign = search.get('campaign') || null
  const isCampaign = campaign === null || CAMPAIGN_ID.test(campaign)
  refuse(isCampaign ? null : `“${campaign}” is no campaign, and is ignored.`)
  return {
    controls: {
      ...period,
      zone,
      tab: TABS.find(tab => tab === search.get('tab')) ?? TABS[0],
      compare: search.get('compare') === 'true',
      campaign: isCampaign ? campaign : null,
      categories: categories.chosen,
      sourceTypes: sourceTypes.chosen,
      sources: sources.chosen,
      mine: search.get('mine') === 'true',
    },
    problems,
  }
}

/** Converts controls to a URL's query; defaults are omitted. */
export function writeControls(controls: Controls): URLSearchParams {
  const { tab, days, from, to, zone, compare, campaign, categories, sourceTypes, sources, mine } = controls
  const search = new URLSearchParams()
  if (tab !== TABS[0]) search.set('tab', tab)
  if (days === null) {
    search.set('from', from)
    search.set('to', to)
  } else if (days !== DEFAULT_DAYS) search.set('days', String(days))
  if (zone !== 'UTC') search.set('zone', zone)
  if (compare) search.set('compare', 'true')
  if (campaign) search.set('campaign', campaign)
  for (const category of categories) search.append('category', category)
  for (const type of sourceTypes) search.append('source_type', type)
  for (const source of sources) search.append('source', source)
  if (mine) search.set('mine', 'true')
  return search
}

const flagOf = (value: boolean) => (value ? ('true' as const) : ('false' as const))

/** Returns the parts of a query of every analysis. */
export const periodQuery = ({ from, to, zone, compare }: Controls) => ({
  from,
  to,
  zone,
  compare: flagOf(compare),
})

/** Returns the query of an analysis of IODs. */
export const iodQuery = (controls: Controls) => ({
  ...periodQuery(controls),
  category: [...controls.categories],
  source: [...controls.sourceTypes],
  ...(controls.campaign && { campaign: controls.campaign }),
  mine: flagOf(controls.mine),
})

/** Returns the query of an analysis of campaigns. */
export const campaignQuery = (controls: Controls) => ({
  ...periodQuery(controls),
  ...(controls.campaign && { campaign: [controls.campaign] }),
  mine: flagOf(controls.mine),
})

/** Describes period and zone: '2026-11-01 to 2026-11-28 (UTC)'. */
export const periodText = ({ from, to, zone }: Controls): string =>
  `${from === to ? from : `${from} to ${to}`} (${zone})`
