import { isUnauthorized } from '@iodine/mfe-kit'
import { useLatest } from '@iodine/ui'
import { useCallback, useEffect, useState } from 'react'

/** What one request of a page has brought; null until then, or if the session has ended. */
export type Loaded<T> = T | 'failed' | null

/** Asks once, and again by the returned function. For pages that must not wait for the query library. */
export function useLoaded<T>(ask: (signal: AbortSignal) => Promise<T>): [Loaded<T>, again: () => void] {
  const [state, setState] = useState<Loaded<T>>(null)
  const [round, setRound] = useState(0)
  const latest = useLatest(ask)
  // biome-ignore lint/correctness/useExhaustiveDependencies: each round asks again
  useEffect(() => {
    const page = new AbortController()
    latest.current(page.signal).then(setState, error => {
      if (!page.signal.aborted && !isUnauthorized(error)) setState('failed')
    })
    return () => page.abort()
  }, [latest, round])
  const again = useCallback(() => {
    setState(null)
    setRound(before => before + 1)
  }, [])
  return [state, again]
}
