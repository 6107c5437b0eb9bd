import { errorToast, useHost } from '@iodine/mfe-kit'
import { useQuery } from '@iodine/mfe-kit/query'
import type { GraphQuery } from '../model/filters'

const LOADED_MS = 3_000
const FAILED_MS = 5_000

/**
 * Reads the filtered graph, limited to the `limit` nodes with the highest counts. A toast reports each result. By
 * structural sharing, an equal graph keeps its identity, and therefore its layout and pinned nodes.
 */
export function useGraph(filters: GraphQuery, limit: number) {
  const { api, notify } = useHost()
  const query = { ...filters, limit }
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
          // Covers the page's title, but neither graph, table nor details.
          position: 'top',
        })
        return graph
      } catch (error) {
        if (!signal.aborted) notify(errorToast(null, 'Unable to load graph', { duration: FAILED_MS }))
        throw error
      }
    },
    // No retries: each failure shows a toast, and the page offers Retry.
    retry: false,
  })
}
