import { isUnauthorized } from '@iodine/mfe-kit'
import { useLatest } from '@iodine/ui'
import { useCallback, useEffect, useState } from 'react'

/** The response to a page's request; null until it arrives, or if the session has ended. */
export type Loaded<T> = T | 'failed' | null

/**
 * Sends a request once, and again on each call of the returned function. For pages that do not load the query library.
 */
export function useLoaded<T>(ask: (signal: AbortSignal) => Promise<T>): [Loaded<T>, reload: () => void] {
  const [state, setState] = useState<Loaded<T>>(null)
  const [attempt, setAttempt] = useState(0)
  const latest = useLatest(ask)
  // biome-ignore lint/correctness/useExhaustiveDependencies: each attempt sends a request
  useEffect(() => {
    const page = new AbortController()
    latest.current(page.signal).then(setState, error => {
      if (!page.signal.aborted && !isUnauthorized(error)) setState('failed')
    })
    return () => page.abort()
  }, [latest, attempt])
  const reload = useCallback(() => {
    setState(null)
    setAttempt(before => before + 1)
  }, [])
  return [state, reload]
}
