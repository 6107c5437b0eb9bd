/** The fields of the filter form. An empty one filters nothing. */
export interface Filters {
  user_id: string
  start_date: string
  end_date: string
  source: string
  entity: string
  verb: string
}

export const NO_FILTERS: Filters = {
  user_id: '',
  start_date: '',
  end_date: '',
  source: '',
  entity: '',
  verb: '',
}

const FIELDS = Object.keys(NO_FILTERS) as (keyof Filters)[]

/** The query to send: the fields that are not blank, trimmed except for the source, which is an exact name. */
export function toQuery(filters: Filters): Partial<Filters> {
  const query: Partial<Filters> = {}
  for (const field of FIELDS) {
    const value = filters[field]
    if (value.trim() !== '') query[field] = field === 'source' ? value : value.trim()
  }
  return query
}

/** The filters in an address. */
export const fromSearch = (search: URLSearchParams): Filters =>
  Object.fromEntries(FIELDS.map(field => [field, search.get(field) ?? ''])) as unknown as Filters
