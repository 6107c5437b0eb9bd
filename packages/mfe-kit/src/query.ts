// The exports of TanStack Query that sections use, shared by host and remotes as one federation singleton.

export type { QueryKey, UseMutationOptions, UseQueryResult } from '@tanstack/react-query'
export {
  keepPreviousData,
  QueryClient,
  QueryClientProvider,
  useMutation,
  useQueries,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query'
export { useInfiniteQuery } from './infinite-query'
export { type PagedQuery, usePagedQuery } from './paged-query'
