import type { Graph } from '@iodine/contracts'
import { useHost } from '@iodine/mfe-kit'
import { useQuery } from '@iodine/mfe-kit/query'
import type { Filters } from '../model/filters'

const LOADED_MS = 3_000
const FAILED_MS = 5_000

/** The graph that a query selects. Each load ends with a toast. */
export function useGraph(query: Partial<Filters>) {
  const { api, notify } = useHost()
  return useQuery({
    queryKey: ['graph', query],
    queryFn: async ({ signal }) => {
      try {
        const graph = await api.call('GET /graph/triplets', { query, signal })
        notify({
          status: 'success',
          title: 'Graph loaded',
          description: `${graph.nodes.length} nodes, ${graph.links.length} links`,
          duration: LOADED_MS,
        })
        return graph
      } catch (error) {
        if (!signal.aborted) {
          notify({
            status: 'error',
            title: 'Error',
            description: 'Unable to load graph',
            duration: FAILED_MS,
          })
        }
        throw error
      }
    },
    // Each failure is told, so each is final; the page offers to try again.
    retry: false,
    // The same graph keeps its layout and what was pinned.
    structuralSharing: (before, after) =>
      before && JSON.stringify(before) === JSON.stringify(after) ? before : (after as Graph),
  })
}
