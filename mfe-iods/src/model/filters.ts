import {
  CATEGORIES,
  type Category,
  IOD_SORTS,
  type IodSort,
  SOURCE_TYPES,
  type SourceType,
} from '@iodine/contracts'

/** The list's filters. An empty field is no filter. */
export interface IodFilters {
  q: string
  categories: readonly Category[]
  sourceTypes: readonly SourceType[]
  /** Exact source of an IOD. */
  source: string
  /** Id or username of a creator. */
  createdBy: string
}

export const NO_FILTERS: IodFilters = { q: '', categories: [], sourceTypes: [], source: '', createdBy: '' }

/** Reads the filters from a URL's query. Unknown values are ignored. */
export const readFilters = (search: URLSearchParams): IodFilters => ({
  q: search.get('q') ?? '',
  categories: CATEGORIES.filter(category => search.getAll('category').includes(category)),
  sourceTypes: SOURCE_TYPES.filter(type => search.getAll('source_type').includes(type)),
  source: search.get('source') ?? '',
  createdBy: search.get('created_by') ?? '',
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
  { q, categories, sourceTypes, source, createdBy }: IodFilters,
  { sort = DEFAULT_SORT, page = 1 }: { sort?: IodSort; page?: number } = {},
): URLSearchParams {
  const search = new URLSearchParams()
  if (q) search.set('q', q)
  for (const category of categories) search.append('category', category)
  for (const type of sourceTypes) search.append('source_type', type)
  if (source) search.set('source', source)
  if (createdBy) search.set('created_by', createdBy)
  if (sort !== DEFAULT_SORT) search.set('sort', sort)
  if (page > 1) search.set('page', String(page))
  return search
}

/** Converts the filters to the API's query. */
export const toQuery = ({ q, categories, sourceTypes, source, createdBy }: IodFilters) => ({
  ...(q && { q }),
  ...(categories.length > 0 && { category: [...categories] }),
  ...(sourceTypes.length > 0 && { source_type: [...sourceTypes] }),
  ...(source && { source }),
  ...(createdBy && { created_by: [createdBy] }),
})

export const isFiltered = (filters: IodFilters): boolean => writeSearch(filters).size > 0
