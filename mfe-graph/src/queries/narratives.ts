import type { GraphLink } from '@iodine/contracts'
import { useHost } from '@iodine/mfe-kit'
import { usePagedQuery } from '@iodine/mfe-kit/query'
import type { GraphQuery } from '../model/filters'

/** Returns the graph's filters without those of entities and verbs. */
const filtersOf = ({ entity: _entity, verb: _verb, ...filters }: GraphQuery) => filters

/** Reads the narratives of a node, newest first, paginated. */
export function useMentions(node: string, filters: GraphQuery) {
  const { api } = useHost()
  const query = { ...filtersOf(filters), node, limit: 10 }
  return usePagedQuery({
    queryKey: ['graph-mentions', query],
    readPage: (page, signal) => api.page('GET /graph/mentions', { query: { ...query, ...page }, signal }),
  })
}

/** Reads the narratives of a link, newest first, paginated. */
export function useTexts({ source: from, target: to }: GraphLink, filters: GraphQuery) {
  const { api } = useHost()
  const query = { ...filtersOf(filters), from, to, limit: 20 }
  return usePagedQuery({
    queryKey: ['graph-texts', query],
    readPage: (page, signal) => api.page('GET /graph/texts', { query: { ...query, ...page }, signal }),
  })
}
