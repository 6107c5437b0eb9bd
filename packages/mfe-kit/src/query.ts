// TanStack Query as sections use it, shared by host and remotes as one federation singleton. It must not import modules
// that sections bundle too: federation bundles such a module whole.

export type { QueryClient, QueryKey, UseMutationOptions, UseQueryResult } from '@tanstack/react-query'
export {
  keepPreviousData,
  QueryClientProvider,
  useMutation,
  useQueries,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query'
export { holdReads, writeOver } from './cache-writes'
export { type PagedQuery, usePagedQuery } from './paged-query'
export { FRESH_MS, mergeById, usePagedValues } from './paged-values'
export { createQueryClient, queryClientFor } from './query-client'
