// TanStack Query as sections use it, shared by host and remotes as one federation singleton.

export type { QueryClient, QueryKey, UseMutationOptions, UseQueryResult } from '@tanstack/react-query'
export {
  keepPreviousData,
  QueryClientProvider,
  useMutation,
  useQueries,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query'
export type { ActionMeta } from './mutation-cache'
export { type PagedQuery, usePagedQuery } from './paged-query'
export { createQueryClient, queryClientFor } from './query-client'
