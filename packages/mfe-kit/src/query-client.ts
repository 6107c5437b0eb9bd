import { QueryClient } from '@tanstack/react-query'

const MAX_RETRIES = 1

// The class `ApiError` would take contracts into the shared module.
const isClientFault = (error: Error & { status?: number }) => Math.floor((error.status ?? 0) / 100) === 4

/**
 * A query client with the defaults of all sections: cached data is shown at once and refetched on each visit.
 */
export const createQueryClient = (): QueryClient =>
  new QueryClient({
    defaultOptions: {
      queries: {
        gcTime: 10 * 60_000,
        refetchOnWindowFocus: false,
        // Without a network a request fails at once and says so; by default it would wait silently.
        networkMode: 'always',
        refetchOnReconnect: true,
        // A retry does not change a 4xx response.
        retry: (failures, error) => failures < MAX_RETRIES && !isClientFault(error),
        retryDelay: 500,
      },
      // The input may hold a secret or a file.
      mutations: { networkMode: 'always', gcTime: 1_000 },
    },
  })

/** A query client per signed-in user, so that no user sees another user's cached data. */
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
