import { type RefObject, useInsertionEffect, useRef } from 'react'

/** Returns a ref to the value of the last committed render, for callbacks with a stable identity. */
export function useLatest<T>(value: T): Readonly<RefObject<T>> {
  const latest = useRef(value)
  useInsertionEffect(() => {
    latest.current = value
  }, [value])
  return latest
}
