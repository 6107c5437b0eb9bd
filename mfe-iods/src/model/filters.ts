import {
  AGREEMENTS,
  CATEGORIES,
  type Category,
  IOD_SORTS,
  type IodSort,
  isDay,
  isZone,
  SOURCE_TYPES,
  type SourceType,
  THIRD_VOTES,
} from '@iodine/contracts'
import type { Input } from '@iodine/mfe-kit'

/** The list's filters. An empty field is no filter. */
export interface IodFilters {
  q: string
  categories: readonly Category[]
  sourceTypes: readonly SourceType[]
  /** Exact source of an IOD. */
  source: string
  /** Id or username of a creator. */
  createdBy: string
  /** Filters of a link from Analytics, by their names in the URL. */
  analyzed: Readonly<Record<string, readonly string[]>>
}

export const NO_FILTERS: IodFilters = {
  q: '',
  categories: [],
  sourceTypes: [],
  source: '',
  createdBy: '',
  analyzed: {},
}

const ID = /^[0-9a-f]{24}$/
const CAMPAIGNS_MAX = 2
const isText = (value: string) => value !== ''
/** Filters that links from Analytics set, with the check of a value. */
const ANALYZED: Readonly<Record<string, (value: string) => boolean>> = {
  from: isDay,
  to: isDay,
  zone: isZone,
  campaign: value => ID.test(value),
  domain: isText,
  hashtag: isText,
  account: isText,
  agreement: value => AGREEMENTS.some(each => each === value),
  third_vote: value => THIRD_VOTES.some(each => each === value),
}
const readAnalyzed = (search: URLSearchParams) =>
  Object.fromEntries(
    Object.entries(ANALYZED)
      .map(([name, isValid]) => {
        const values = search.getAll(name).filter(isValid)
        return [name, values.slice(0, name === 'campaign' ? CAMPAIGNS_MAX : 1)] as const
      })
      .filter(([, values]) => values.length > 0),
  )

const LABELS: Readonly<Record<string, string>> = {
  domain: 'Domain',
  hashtag: 'Hashtag',
  account: 'Account',
  agreement: 'Votes',
  third_vote: 'Third vote',
}
/** Describes the filters of a link from Analytics, each with the filters that remain without it. */
export const analyzedChips = ({ analyzed }: IodFilters) => {
  const { from, to, zone, campaign, ...rest } = analyzed
  const without = (...names: string[]) => ({
    analyzed: Object.fromEntries(Object.entries(analyzed).filter(([name]) => !names.includes(name))),
  })
  return [
    ...(from || to
      ? [
          {
            label: `Created: ${[...new Set([from?.[0] ?? '…', to?.[0] ?? '…'])].join(' to ')} (${zone?.[0] ?? 'UTC'})`,
            without: without('from', 'to', 'zone'),
          },
        ]
      : []),
    ...(campaign
      ? [
          {
            label: campaign.length === 1 ? 'In the chosen campaign' : 'In both chosen campaigns',
            without: without('campaign'),
          },
        ]
      : []),
    ...Object.entries(rest)
      .filter(([name]) => name in LABELS)
      .map(([name, [value = '']]) => ({ label: `${LABELS[name]}: ${value}`, without: without(name) })),
  ]
}

/** Reads the filters from a URL's query. Unknown values are ignored. */
export const readFilters = (search: URLSearchParams): IodFilters => ({
  q: search.get('q') ?? '',
  categories: CATEGORIES.filter(category => search.getAll('category').includes(category)),
  sourceTypes: SOURCE_TYPES.filter(type => search.getAll('source_type').includes(type)),
  source: search.get('source') ?? '',
  createdBy: search.get('created_by') ?? '',
  analyzed: readAnalyzed(search),
})

const DEFAULT_SORT: IodSort = 'created'

/** Reads the order from a URL's query. */
export const readSort = (search: URLSearchParams): IodSort =>
  IOD_SORTS.find(sort => sort === search.get('sort')) ?? DEFAULT_SORT

/** Reads the page from a URL's query, from 1. */
export const readPage = (search: URLSearchParams): number =>
  Math.max(1, Math.min(PAGES_MAX, Number.parseInt(search.get('page') ?? '', 10) || 1))

/** Maximum page of a URL: the table loads all previous pages sequentially. */
const PAGES_MAX = 100

/** Converts filters, order and page to a URL's query. The default order and the first page are omitted. */
export function writeSearch(
  { q, categories, sourceTypes, source, createdBy, analyzed }: IodFilters,
  { sort = DEFAULT_SORT, page = 1 }: { sort?: IodSort; page?: number } = {},
): URLSearchParams {
  const search = new URLSearchParams()
  if (q) search.set('q', q)
  for (const category of categories) search.append('category', category)
  for (const type of sourceTypes) search.append('source_type', type)
  if (source) search.set('source', source)
  if (createdBy) search.set('created_by', createdBy)
  for (const [name, values] of Object.entries(analyzed))
    for (const value of values) search.append(name, value)
  if (sort !== DEFAULT_SORT) search.set('sort', sort)
  if (page > 1) search.set('page', String(page))
  return search
}

/** Converts the filters to the API's query. */
export const toQuery = (filters: IodFilters) => ({
  ...toSearch(filters),
  ...(Object.fromEntries(
    Object.entries(filters.analyzed).map(([name, values]) => [
      name,
      name === 'campaign' ? [...values] : values[0],
    ]),
  ) as AnalyzedQuery),
})
type AnalyzedQuery = Pick<
  NonNullable<Input<'GET /iods'>['query']>,
  'from' | 'to' | 'zone' | 'campaign' | 'domain' | 'hashtag' | 'account' | 'agreement' | 'third_vote'
>

/** Converts the filters to a search that can be watched: those of Analytics are not part of it. */
export const toSearch = ({ q, categories, sourceTypes, source, createdBy }: IodFilters) => ({
  ...(q && { q }),
  ...(categories.length > 0 && { category: [...categories] }),
  ...(sourceTypes.length > 0 && { source_type: [...sourceTypes] }),
  ...(source && { source }),
  ...(createdBy && { created_by: [createdBy] }),
})

export const isFiltered = (filters: IodFilters): boolean => writeSearch(filters).size > 0
