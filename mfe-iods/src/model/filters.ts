import { CATEGORIES, type Category, SOURCE_TYPES, type SourceType } from '@iodine/contracts'

/** What the list is narrowed to; nothing chosen means all. */
export interface IodFilters {
  q: string
  categories: readonly Category[]
  sourceTypes: readonly SourceType[]
}

export const NO_FILTERS: IodFilters = { q: '', categories: [], sourceTypes: [] }

/** The filters of an address's query; what it doesn't know is left out. */
export const readFilters = (search: URLSearchParams): IodFilters => ({
  q: search.get('q') ?? '',
  categories: CATEGORIES.filter(category => search.getAll('category').includes(category)),
  sourceTypes: SOURCE_TYPES.filter(type => search.getAll('source_type').includes(type)),
})

/** The page of an address's query, from 1. */
export const readPage = (search: URLSearchParams): number =>
  Math.max(1, Math.min(PAGES_MAX, Number.parseInt(search.get('page') ?? '', 10) || 1))

/** How far down a link can lead: cursors have to be followed one by one. */
const PAGES_MAX = 100

/** The address's query that stands for them; the first page needs no mention. */
export function writeSearch({ q, categories, sourceTypes }: IodFilters, page = 1): URLSearchParams {
  const search = new URLSearchParams()
  if (q) search.set('q', q)
  for (const category of categories) search.append('category', category)
  for (const type of sourceTypes) search.append('source_type', type)
  if (page > 1) search.set('page', String(page))
  return search
}

/** The same as the API's query. */
export const toQuery = ({ q, categories, sourceTypes }: IodFilters) => ({
  ...(q && { q }),
  ...(categories.length > 0 && { category: [...categories] }),
  ...(sourceTypes.length > 0 && { source_type: [...sourceTypes] }),
})

export const isFiltered = ({ q, categories, sourceTypes }: IodFilters): boolean =>
  q !== '' || categories.length > 0 || sourceTypes.length > 0

/** `values` with `value` added, or taken out where it was in. */
export const toggled = <T>(values: readonly T[], value: T): T[] =>
  values.includes(value) ? values.filter(other => other !== value) : [...values, value]
