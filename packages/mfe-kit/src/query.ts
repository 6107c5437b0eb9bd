// TanStack Query as sections use it, shared by host and remotes as one federation singleton. It imports nothing that
// sections bundle, too: a module of both is bundled whole.

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
