const FORM = ['user_id', 'start_date', 'end_date', 'source', 'entity', 'verb'] as const
const FIELDS = [...FORM, 'canonical'] as const

/** The filters of a graph: the form's fields, empty for no filter, and whether the nodes are clusters ('true'). */
export type Filters = Record<(typeof FIELDS)[number], string>

/** Returns the API's query: the fields that are not blank, trimmed except for the source, which is matched exactly. */
export function toQuery(filters: Filters): Partial<Filters> {
  const query: Partial<Filters> = {}
  for (const field of FIELDS) {
    const value = filters[field]
    if (value.trim() !== '') query[field] = field === 'source' ? value : value.trim()
  }
  return query
}

/** Reads the filters from a URL's query. */
export const fromSearch = (search: URLSearchParams): Filters =>
  Object.fromEntries(FIELDS.map(field => [field, search.get(field) ?? ''])) as Filters

export const NO_FILTERS = fromSearch(new URLSearchParams())

/** Returns whether the graph belongs to the user with the id. Only their author sees sentences. */
export const isOwnGraph = ({ user_id }: Partial<Filters>, userId: string): boolean =>
  !user_id || user_id.toLowerCase() === userId

/** Returns the number of form fields that are not blank. */
export const activeFilters = (filters: Filters): number => {
  const query = toQuery(filters)
  return FORM.filter(field => query[field] !== undefined).length
}

/** Returns the API's parameter of merged variants. */
export const canonicalOf = ({ canonical }: Partial<Filters>): { canonical?: 'true' } =>
  canonical === 'true' ? { canonical } : {}
