import { isUnauthorized } from '@iodine/mfe-kit'
import { type QueryState, useLatest } from '@iodine/ui'
import { useEffect, useState } from 'react'

/**
 * Sends a request once, and again on each `refetch`. For pages that do not load the query library. A 401 counts as
 * loading: the session has ended.
 */
export function useLoaded<T>(ask: (signal: AbortSignal) => Promise<T>): QueryState<T> {
  const [attempt, setAttempt] = useState(0)
  const [state, setState] = useState<{ data?: T; error?: unknown }>({})
  const latest = useLatest(ask)
  // biome-ignore lint/correctness/useExhaustiveDependencies: each attempt sends a request
  useEffect(() => {
    const page = new AbortController()
    latest.current(page.signal).then(
      data => setState({ data }),
      error => {
        if (!page.signal.aborted && !isUnauthorized(error)) setState({ error })
      },
    )
    return () => page.abort()
  }, [latest, attempt])
  const refetch = () => {
    setState({})
    setAttempt(attempt + 1)
  }
  const { data, error } = state
  return { data, error, isFetching: Object.keys(state).length === 0, refetch }
}
