import {
  foldValue,
  type Match,
  type Sighting,
  type SightingEdge,
  type SightingResults,
  type Source,
} from '@iodine/contracts'
import { exactTime, formatSpan } from '@iodine/mfe-kit'

/** Kinds of matches, strongest first. An occurrence's mark has the shape of its strongest match. */
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
  forward: 'Forward of the post',
  exact: 'Same text',
  quoted: 'Quoted word for word',
  part: 'Part quoted word for word',
  near: 'Nearly the same text',
  link: 'Contains the link',
  media: 'Similar picture',
  reworded: 'Reworded',
}

export const SOURCE_LABELS: Record<Source, string> = {
  tiktok: 'Short video',
  telegram: 'Messaging channel',
  blog: 'Blog',
  post: 'Post',
}

/** Returns the strongest match, which determines the shape of a mark. */
export const kindOf = (matches: readonly Match[]): Match =>
  KINDS.find(kind => matches.includes(kind)) ?? 'exact'

export const NO_ACCOUNT = 'Unknown account'

/** Returns a key of an account. Accounts with the same name on different sources differ. */
export const accountKey = ({ source, account }: Pick<Sighting, 'source' | 'account'>): string =>
  `${source} ${foldValue(account ?? '')}`

/** The loaded pages of a search. */
export interface SearchResult extends Pick<SightingResults, 'first' | 'first_seen' | 'firsts' | 'counts'> {
  /** Sorted by time, the earliest first. */
  items: readonly Sighting[]
  edges: readonly SightingEdge[]
  /** By id, including `first` and `first_seen`. */
  byId: ReadonlyMap<string, Sighting>
  /** By the id of the later occurrence. */
  edgesTo: ReadonlyMap<string, readonly SightingEdge[]>
}

/** Merges the pages of a search. A new record may shift occurrences to the next page: duplicates are removed. */
export function joinPages(pages: readonly SightingResults[]): SearchResult | undefined {
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

/** The time of an occurrence, and whether the page claims it. */
type Timed = Pick<Sighting, 'at' | 'posted_claimed'>

/** Formats the claimed time. Without one, the time of collection is an upper bound, prefixed with '≤'. */
export const boundedTime = ({ at, posted_claimed }: Timed): string =>
  posted_claimed ? exactTime(at) : `≤ ${exactTime(at)}`

/** Explains the time of `boundedTime`. */
export const timeNote = ({ posted_claimed, imported }: Timed & Pick<Sighting, 'imported'>): string =>
  posted_claimed
    ? `claimed by the ${imported ? 'imported file' : 'page'}`
    : `${imported ? 'import' : 'collection'} time, may be earlier`

/**
 * Describes the time between the earliest occurrence and a later one. A time of collection is only an upper bound, so
 * no later time follows from it.
 */
export function describeDistance(first: Timed, later: Timed): string {
  if (!later.posted_claimed) return 'Only its collection time is known'
  const seconds = (Date.parse(later.at) - Date.parse(first.at)) / 1_000
  if (!first.posted_claimed) return `${formatSpan(seconds)} or more after the earliest`
  return seconds === 0 ? 'At the same time as the earliest' : `${formatSpan(seconds)} after the earliest`
}

export const nameOf = ({ account }: Pick<Sighting, 'account'>): string => account ?? NO_ACCOUNT

const RTL = /[\u0590-\u08ff\ufb1d-\ufefc]/
/** Isolates a right-to-left name, which would otherwise reorder the text after it. */
const isolated = (name: string): string => (RTL.test(name) ? `\u2068${name}\u2069` : name)

/** Describes how an occurrence follows from an earlier one. Only forwards and links are stated by the page. */
export function describeEdge({ how, delta_s }: SightingEdge, from: Sighting | undefined): string {
  const name = from ? isolated(nameOf(from)) : 'another account'
  if (how === 'forward') return `Forwarded from ${name}, according to the page`
  if (how === 'link') return `Links to the post by ${name}`
  return delta_s === null ? `Seen earlier: ${name}` : `Seen earlier: ${name}, ${formatSpan(delta_s)} before`
}
