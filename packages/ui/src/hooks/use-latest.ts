import { type RefObject, useInsertionEffect, useRef } from 'react'

/** A ref to the value of the last finished render, for callbacks that keep their identity. */
export function useLatest<T>(value: T): Readonly<RefObject<T>> {
  const latest = useRef(value)
  useInsertionEffect(() => {
    latest.current = value
  }, [value])
  return latest
}
