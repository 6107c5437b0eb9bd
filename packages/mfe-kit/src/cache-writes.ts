import type { QueryClient, QueryKey } from '@tanstack/react-query'

/**
 * Cancels the running requests of the queries below these keys: a response from before a change would overwrite it.
 * @returns a function that restarts the cancelled requests; call it once the server has stored the change
 */
export async function holdReads(client: QueryClient, ...queryKeys: QueryKey[]): Promise<() => void> {
  const held = queryKeys
    .flatMap(queryKey => client.getQueryCache().findAll({ queryKey, fetchStatus: 'fetching' }))
    .map(query => ({ query, meta: query.state.fetchMeta }))
  await Promise.all(queryKeys.map(queryKey => client.cancelQueries({ queryKey })))
  return () => {
    // The query itself holds the error.
    for (const { query, meta } of held)
      if (query.isActive()) query.fetch(undefined, meta ? { meta } : {}).catch(() => {})
  }
}

/** Writes a change that the server has stored into cached queries, and restarts their running requests. */
export async function writeOver(
  client: QueryClient,
  queryKeys: readonly QueryKey[],
  write: () => void,
): Promise<void> {
  const resume = await holdReads(client, ...queryKeys)
  write()
  resume()
}
