import { QueryClient } from '@tanstack/react-query'

const MAX_RETRIES = 1

// An import of `ApiError` would bundle contracts into the shared module.
const isClientFault = (error: Error & { status?: number }) => Math.floor((error.status ?? 0) / 100) === 4

/** Creates a query client with the defaults of all sections: cached data is shown and refetched on each visit. */
export const createQueryClient = (): QueryClient =>
  new QueryClient({
    defaultOptions: {
      queries: {
        gcTime: 10 * 60_000,
        refetchOnWindowFocus: false,
        // Requests fail at once while the browser is offline; by default they would wait silently.
        networkMode: 'always',
        refetchOnReconnect: true,
        // A retry does not change a 4xx response.
        retry: (failures, error) => failures < MAX_RETRIES && !isClientFault(error),
        retryDelay: 500,
      },
      // The input may contain a secret or a file.
      mutations: { networkMode: 'always', gcTime: 1_000 },
    },
  })

/** Returns a function that provides one query client per user, so that no user sees another's cached data. */
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
