import type { QueryState } from '@iodine/ui'

/** Returns the state of a query with other data. A spread would subscribe to every field of the query. */
export const withData = <T>(
  { error, isFetching, refetch }: Omit<QueryState<unknown>, 'data'>,
  data: T | undefined,
): QueryState<T> => ({ data, error, isFetching, refetch })
