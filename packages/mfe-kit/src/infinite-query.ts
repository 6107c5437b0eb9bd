import {
  type FetchNextPageOptions,
  hashKey,
  useInfiniteQuery as usePages,
  useQueryClient,
} from '@tanstack/react-query'
import { useCallback, useInsertionEffect, useRef } from 'react'

type UsePages = typeof usePages

/**
 * Wraps TanStack's hook with a different `fetchNextPage`: during a request for the next page it joins that request.
 * TanStack's function cancels the request and sends the same cursor again. Both cancel a refetch of the whole list.
 */
export const useInfiniteQuery = ((...[options, client]: Parameters<UsePages>) => {
  const cache = useQueryClient(client).getQueryCache()
  const query = usePages(options, client)
  // TanStack's result tracks reads of its fields: read none of them before a call needs it.
  const latest = useRef(query)
  useInsertionEffect(() => {
    latest.current = query
  })
  const hash = hashKey(options.queryKey)
  const fetchNextPage = useCallback(
    (given?: FetchNextPageOptions) => {
      const state = cache.get(hash)?.state
      const isUnderWay = state?.fetchStatus !== 'idle' && state?.fetchMeta?.fetchMore?.direction === 'forward'
      return latest.current.fetchNextPage({ cancelRefetch: !isUnderWay, ...given })
    },
    [cache, hash],
  )
  return Object.create(query, { fetchNextPage: { value: fetchNextPage } })
}) as UsePages
