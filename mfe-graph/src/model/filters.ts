const FORM = ['user_id', 'start_date', 'end_date', 'source', 'entity', 'verb'] as const
const FIELDS = [...FORM, 'canonical'] as const

/**
 * What selects a graph: the fields of the filter form, where an empty one is no filter, and whether its nodes are
 * clusters ('true').
 */
export type Filters = Record<(typeof FIELDS)[number], string>

/**
 * The API's query: the fields that are not blank, trimmed except for the source, which is matched exactly.
 */
export function toQuery(filters: Filters): Partial<Filters> {
  const query: Partial<Filters> = {}
  for (const field of FIELDS) {
    const value = filters[field]
    if (value.trim() !== '') query[field] = field === 'source' ? value : value.trim()
  }
  return query
}

/** The filters in a URL's query. */
export const fromSearch = (search: URLSearchParams): Filters =>
  Object.fromEntries(FIELDS.map(field => [field, search.get(field) ?? ''])) as Filters

export const NO_FILTERS = fromSearch(new URLSearchParams())

/** Whether the graph is that of the user with the id. Sentences are shown to their author alone. */
export const isOwnGraph = ({ user_id }: Partial<Filters>, userId: string): boolean =>
  !user_id || user_id.toLowerCase() === userId

/** How many fields of the form are in use. */
export const activeFilters = (filters: Filters): number => {
  const query = toQuery(filters)
  return FORM.filter(field => query[field] !== undefined).length
}

/** The API's parameter of the canonical form. */
export const canonicalOf = ({ canonical }: Partial<Filters>): { canonical?: 'true' } =>
  canonical === 'true' ? { canonical } : {}
