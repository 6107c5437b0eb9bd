import {
  foldValue,
  type Match,
  type Sighting,
  type SightingEdge,
  type SightingResults,
  type Source,
} from '@iodine/contracts'
import { exactTime, formatSpan } from '@iodine/mfe-kit'

/** How a sighting matches, strongest first: it has the shape of the first that applies. */
export const KINDS: readonly Match[] = [
  'post',
  'forward',
  'exact',
  'quoted',
  'part',
  'near',
  'link',
  'media',
  'reworded',
]

export const MATCH_LABELS: Record<Match, string> = {
  post: 'The post itself',
  forward: 'Forwarded from it',
  exact: 'Same text',
  quoted: 'Quoted word for word',
  part: 'A part of it, word for word',
  near: 'Nearly the same text',
  link: 'Has the link',
  media: 'Picture alike',
  reworded: 'In other words',
}

export const SOURCE_LABELS: Record<Source, string> = {
  tiktok: 'Short video',
  telegram: 'Messaging channel',
  blog: 'Blog',
}

/** What a mark on the timeline looks like. */
export const kindOf = (matches: readonly Match[]): Match =>
  KINDS.find(kind => matches.includes(kind)) ?? 'exact'

export const NO_ACCOUNT = 'Account unknown'

/** Accounts of one name on several sources are several. */
export const accountKey = ({ source, account }: Pick<Sighting, 'source' | 'account'>): string =>
  `${source} ${foldValue(account ?? '')}`

/** All that was loaded of a search. */
export interface Found extends Pick<SightingResults, 'first' | 'first_seen' | 'firsts' | 'counts'> {
  /** The earliest first. */
  items: readonly Sighting[]
  edges: readonly SightingEdge[]
  /** By id, with `first` and `first_seen`. */
  byId: ReadonlyMap<string, Sighting>
  /** By the id of the later one. */
  edgesTo: ReadonlyMap<string, readonly SightingEdge[]>
}

/** Joins the pages of a search. What was collected meanwhile may be on two pages: it counts once. */
export function joinPages(pages: readonly SightingResults[]): Found | undefined {
  const [page] = pages
  if (!page) return undefined
  const items = new Map(pages.flatMap(({ items }) => items.map(item => [item.id, item] as const)))
  const edges = new Map(
    pages.flatMap(({ edges }) => edges.map(edge => [`${edge.from} ${edge.to} ${edge.how}`, edge] as const)),
  )
  const byId = new Map(items)
  for (const each of [page.first, page.first_seen]) if (each) byId.set(each.id, each)
  const edgesTo = new Map<string, SightingEdge[]>()
  for (const edge of edges.values()) edgesTo.set(edge.to, [...(edgesTo.get(edge.to) ?? []), edge])
  const { first, first_seen, firsts, counts } = page
  return {
    first,
    first_seen,
    firsts,
    counts,
    items: [...items.values()],
    edges: [...edges.values()],
    byId,
    edgesTo,
  }
}

/** Time of a sighting, as far as it is known. */
type Timed = Pick<Sighting, 'at' | 'posted_claimed'>

/** The time that the page claims, or '≤' and when it was collected: it was posted then at the latest. */
export const boundedTime = ({ at, posted_claimed }: Timed): string =>
  posted_claimed ? exactTime(at) : `≤ ${exactTime(at)}`

/** What `boundedTime` is. */
export const timeNote = ({ posted_claimed }: Timed): string =>
  posted_claimed ? 'claimed by the page' : 'when collected, may be earlier'

/** How long after the earliest; a time of collecting is an upper bound, after which nothing can be said to follow. */
export function describeDistance(first: Timed, later: Timed): string {
  if (!later.posted_claimed) return 'May be earlier than it was collected'
  const seconds = (Date.parse(later.at) - Date.parse(first.at)) / 1_000
  if (!first.posted_claimed) return `${formatSpan(seconds)} or more after the earliest`
  return seconds === 0 ? 'At the same time as the earliest' : `${formatSpan(seconds)} after the earliest`
}

export const nameOf = ({ account }: Pick<Sighting, 'account'>): string => account ?? NO_ACCOUNT

const RTL = /[\u0590-\u08ff\ufb1d-\ufefc]/
/** A name in a sentence: one written from right to left would move what stands behind it. */
const isolated = (name: string): string => (RTL.test(name) ? `\u2068${name}\u2069` : name)

/** How a sighting follows from an earlier one. Only a forward and a link are what it says itself. */
export function describeEdge({ how, delta_s }: SightingEdge, from: Sighting | undefined): string {
  const name = from ? isolated(nameOf(from)) : 'an earlier post'
  if (how === 'forward') return `Forwarded from ${name}, says the page`
  if (how === 'link') return `Links to the post of ${name}`
  return delta_s === null ? `Seen earlier: ${name}` : `Seen earlier: ${name}, ${formatSpan(delta_s)} before`
}
