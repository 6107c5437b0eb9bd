import type { QueryClient, QueryKey } from '@tanstack/react-query'

/**
 * Cancels the reads under way of the queries below these keys: a read that began before a change would write the
 * older state over it.
 * @returns a function that begins the cancelled reads again; called once the server has stored the change
 */
export async function holdReads(client: QueryClient, ...queryKeys: QueryKey[]): Promise<() => void> {
  const held = queryKeys
    .flatMap(queryKey => client.getQueryCache().findAll({ queryKey, fetchStatus: 'fetching' }))
    .map(query => ({ query, meta: query.state.fetchMeta }))
  await Promise.all(queryKeys.map(queryKey => client.cancelQueries({ queryKey })))
  return () => {
    // Its error is the query's.
    for (const { query, meta } of held)
      if (query.isActive()) query.fetch(undefined, meta ? { meta } : {}).catch(() => {})
  }
}

/** Writes a change that the server has stored into cached queries. Reads under way begin again after it. */
export async function writeOver(
  client: QueryClient,
  queryKeys: readonly QueryKey[],
  write: () => void,
): Promise<void> {
  const resume = await holdReads(client, ...queryKeys)
  write()
  resume()
}
