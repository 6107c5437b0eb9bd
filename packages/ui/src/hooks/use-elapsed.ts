import { useEffect, useState } from 'react'

/** Returns true once the component has been mounted for `ms` milliseconds. */
export function useElapsed(ms: number): boolean {
  const [elapsed, setElapsed] = useState(ms === 0)
  useEffect(() => {
    const timer = setTimeout(() => setElapsed(true), ms)
    return () => clearTimeout(timer)
  }, [ms])
  return elapsed
}
