import { isUnauthorized } from '@iodine/contracts'
import type { ReactNode } from 'react'
import { ErrorCallout } from './ErrorCallout'
import { Loading } from './Loading'
import styles from './LoadingPanel.module.css'

/** State of a TanStack Query query. */
export interface QueryState<T> {
  data: T | undefined
  error: unknown
  isFetching: boolean
  refetch: () => unknown
}

export interface LoadingPanelProps<T> {
  query: QueryState<T>
  /** Title of the error, such as 'Failed to load campaigns'. */
  errorTitle: string
  /** Advice below the title; by default `errorHint` of the error. */
  errorText?: ReactNode
  /** Label of the spinner, default 'Loading...'. */
  loadingLabel?: string
  /** Whether the content has one line: the spinner reserves no more height. */
  compact?: boolean
  /** A skeleton of the content, shown below the spinner while it loads: see `SkeletonCards`. */
  skeleton?: ReactNode
  /** Whether the data counts as empty; by default an empty list does. */
  isEmpty?: (data: T) => boolean
  /** Shown instead of empty data. */
  empty?: ReactNode
  /** Renders the data; without it the panel renders only loading and error. */
  children?: (data: T) => ReactNode
}

const isEmptyList = (data: unknown) => Array.isArray(data) && data.length === 0

/**
 * Renders the states of a query: loading, an error with Retry, empty, or the content. During a refetch the content
 * stays; if the refetch fails, the error is shown above it. A 401 counts as loading: the host is about to leave the
 * page.
 */
export function LoadingPanel<T>(props: LoadingPanelProps<T>) {
  const { query, errorTitle, errorText, loadingLabel, compact = false, skeleton, empty, children } = props
  const isEmpty = props.isEmpty ?? (empty === undefined ? undefined : isEmptyList)
  const { data, error, isFetching, refetch } = query
  const failure =
    error && !isUnauthorized(error) ? (
      <ErrorCallout title={errorTitle} error={error} onRetry={() => void refetch()} retrying={isFetching}>
        {errorText}
      </ErrorCallout>
    ) : null
  if (data === undefined) {
    if (failure) return failure
    const loading = <Loading compact={compact} {...(loadingLabel && { label: loadingLabel })} />
    return skeleton ? (
      <div className={styles.frame}>
        {skeleton}
        {loading}
      </div>
    ) : (
      loading
    )
  }
  return (
    <>
      {failure}
      {isEmpty?.(data) ? empty : children?.(data)}
    </>
  )
}
