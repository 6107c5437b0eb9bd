import {
  FRESH_MS,
  mergeById,
  type QueryClient,
  usePagedValues,
  useQuery,
  useQueryClient,
} from '@iodine/mfe-kit/query'
import { type Context, createContext, use } from 'react'
import type { ApiClient } from './api-client'
import { useHost } from './use-host'

/** Values by the id of their IOD. */
type ById<T> = Readonly<Record<string, T>>

export interface ListedValues<T> {
  /**
   * Reads the values of the IODs in view, with one request per page. Ids without a value, and ids that are still
   * loading, are missing. `from` and `to` are the indexes of the rows in view.
   */
  useList: (ids: readonly string[], from: number, to: number) => ById<T>
  /** The values of a list's IODs. */
  Context: Context<ById<T>>
  /** Returns the value of an IOD from its list's context; undefined if it is missing. */
  useListed: (id: string) => T | undefined
  /**
   * Reads the value of an IOD; undefined while it loads, or if there is none. Begins with the value of a list that is
   * cached. `enabled`: whether to send the request.
   */
  useOne: (id: string, enabled: boolean) => T | undefined
}

/** Returns the hooks for values that the API returns by the ids of up to `size` IODs. */
export function listedValues<T>(
  key: readonly string[],
  size: number,
  read: (api: ApiClient, ids: string[], signal: AbortSignal) => Promise<ById<T>>,
): ListedValues<T> {
  const Context = createContext<ById<T>>({})
  /** Returns the cached request that contains the IOD's value, if any. */
  const cachedOf = (client: QueryClient, id: string) =>
    client.getQueryCache().find<ById<T>>({
      queryKey: key,
      exact: false,
      predicate: ({ queryKey, state }) =>
        state.data !== undefined && !state.isInvalidated && queryKey.includes(id),
    })?.state
  return {
    Context,
    useListed: id => use(Context)[id],
    useList: (ids, from, to) => {
      const { api } = useHost()
      const readPage = (page: string[], signal: AbortSignal) => read(api, page, signal)
      return usePagedValues({ key, size, read: readPage, combine: mergeById<T> }, ids, from, to)
    },
    useOne: (id, enabled) => {
      const { api } = useHost()
      const client = useQueryClient()
      const { data } = useQuery({
        queryKey: [...key, id],
        queryFn: ({ signal }) => read(api, [id], signal),
        initialData: () => cachedOf(client, id)?.data,
        initialDataUpdatedAt: () => cachedOf(client, id)?.dataUpdatedAt,
        enabled,
        staleTime: FRESH_MS,
      })
      return data?.[id]
    },
  }
}
