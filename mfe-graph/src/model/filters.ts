/** The filter form: every field a text, empty where it doesn't filter. */
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

/** What is sent: fields with something besides white space, trimmed save the source's exact name. */
export function toQuery(filters: Filters): Partial<Filters> {
  const query: Partial<Filters> = {}
  for (const field of FIELDS) {
    const value = filters[field]
    if (value.trim() !== '') query[field] = field === 'source' ? value : value.trim()
  }
  return query
}

/** The filters of an address, which keeps them over a reload. */
export const fromSearch = (search: URLSearchParams): Filters =>
  Object.fromEntries(FIELDS.map(field => [field, search.get(field) ?? ''])) as unknown as Filters
