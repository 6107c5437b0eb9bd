import type { ReactNode } from 'react'
import { ErrorCallout } from './ErrorCallout'
import { Loading } from './Loading'

/** The state of a query, as TanStack Query gives it. */
export interface QueryState<T> {
  data: T | undefined
  error: unknown
  isFetching: boolean
  refetch: () => unknown
}

export interface LoadingPanelProps<T> {
  query: QueryState<T>
  /** Says what could not be loaded. */
  errorTitle: string
  /** Says what can be done about it. */
  errorText?: ReactNode
  /** Stands beside the spinner; 'Loading...' unless told. */
  loadingLabel?: string
  isEmpty?: (data: T) => boolean
  /** Stands in the place of empty data. */
  empty?: ReactNode
  /**
   * What shows when loading again fails: the `content` as it was (the default), the `error` in its place, or `both`,
   * the error above the content.
   */
  whenStale?: 'content' | 'error' | 'both'
  /** Draws the data. Without it the panel shows the states before there is data. */
  children?: (data: T) => ReactNode
}

/**
 * The states of a query: loading, then an error with Retry, nothing to show, or the content, which stays while it is
 * loaded again. A 401 counts as loading: the host is about to leave the page.
 */
export function LoadingPanel<T>(props: LoadingPanelProps<T>) {
  const {
    query,
    errorTitle,
    errorText,
    loadingLabel,
    isEmpty,
    empty,
    whenStale = 'content',
    children,
  } = props
  const { data, error, isFetching, refetch } = query
  const failure =
    error && !isUnauthorized(error) ? (
      <ErrorCallout title={errorTitle} onRetry={() => void refetch()} retrying={isFetching}>
        {errorText}
      </ErrorCallout>
    ) : null
  if (data === undefined) return failure ?? <Loading {...(loadingLabel && { label: loadingLabel })} />
  if (failure && whenStale === 'error') return failure
  return (
    <>
      {whenStale === 'both' && failure}
      {isEmpty?.(data) ? empty : children?.(data)}
    </>
  )
}

const isUnauthorized = (error: unknown): boolean =>
  typeof error === 'object' && error !== null && 'status' in error && error.status === 401
