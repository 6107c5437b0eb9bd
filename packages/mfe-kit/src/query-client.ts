import { QueryClient } from '@iodine/mfe-kit/query'
import { isApiError } from './api-error'

const MAX_RETRIES = 1

const isClientFault = (error: unknown) => isApiError(error) && error.status >= 400 && error.status < 500

/** Defaults for all sections: data shown at once from the cache and fetched again on each visit. */
export const createQueryClient = (): QueryClient =>
  new QueryClient({
    defaultOptions: {
      queries: {
        gcTime: 10 * 60_000,
        refetchOnWindowFocus: false,
        // An answer in the 400s stays the same; the rest may be a hiccup.
        retry: (failures, error) => failures < MAX_RETRIES && !isClientFault(error),
        retryDelay: 500,
      },
    },
  })

/** A query client that lasts as long as the same user is signed in: nobody sees another's cached data. */
export function queryClientFor(): (userId: string) => QueryClient {
  let current: { userId: string; client: QueryClient } | undefined
  return userId => {
    if (current?.userId !== userId) {
      current?.client.clear()
      current = { userId, client: createQueryClient() }
    }
    return current.client
  }
}
