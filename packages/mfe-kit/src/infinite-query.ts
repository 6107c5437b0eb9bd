import {
  type FetchNextPageOptions,
  hashKey,
  useInfiniteQuery as usePages,
  useQueryClient,
} from '@tanstack/react-query'
import { useCallback } from 'react'

type UsePages = typeof usePages

/**
 * TanStack's hook, save that `fetchNextPage` joins a reading of the next page that is under way. TanStack's own cancels it and
 * asks for the same cursor again. A reading anew of the whole list still gives way to the next page.
 */
export const useInfiniteQuery = ((...[options, client]: Parameters<UsePages>) => {
  const cache = useQueryClient(client).getQueryCache()
  const query = usePages(options, client)
  const { fetchNextPage: fetch } = query
  const hash = hashKey(options.queryKey)
  const fetchNextPage = useCallback(
    (given?: FetchNextPageOptions) => {
      const state = cache.get(hash)?.state
      const isUnderWay = state?.fetchStatus !== 'idle' && state?.fetchMeta?.fetchMore?.direction === 'forward'
      return fetch({ cancelRefetch: !isUnderWay, ...given })
    },
    [cache, hash, fetch],
  )
  return { ...query, fetchNextPage }
}) as UsePages
