const FORM = ['user_id', 'start_date', 'end_date', 'source', 'entity', 'verb'] as const
type FormField = (typeof FORM)[number]

/** The filters of a graph: the form's fields, and whether variants are merged. Empty for no filter. */
export type Filters = Record<FormField, string> & { canonical: 'true' | '' }

/** The filters as the API's query, without empty ones. */
export type GraphQuery = Partial<Record<FormField, string>> & { canonical?: 'true' }

/** Returns the API's query. Fields are trimmed, except for the source, which is matched exactly. */
export function toQuery(filters: Filters): GraphQuery {
  const query: GraphQuery = filters.canonical ? { canonical: filters.canonical } : {}
  for (const field of FORM) {
    const value = filters[field]
    if (value.trim() !== '') query[field] = field === 'source' ? value : value.trim()
  }
  return query
}

/** Reads the filters from a URL's query. */
export const fromSearch = (search: URLSearchParams): Filters => ({
  ...(Object.fromEntries(FORM.map(field => [field, search.get(field) ?? ''])) as Record<FormField, string>),
  canonical: search.get('canonical') === 'true' ? 'true' : '',
})

export const NO_FILTERS = fromSearch(new URLSearchParams())

/** Returns whether the graph belongs to the user with the id. Only their author sees sentences. */
export const isOwnGraph = ({ user_id }: GraphQuery, userId: string): boolean =>
  !user_id || user_id.toLowerCase() === userId

/** Returns the number of form fields that are not blank. */
export const activeFilters = (filters: Filters): number => {
  const query = toQuery(filters)
  return FORM.filter(field => query[field] !== undefined).length
}
