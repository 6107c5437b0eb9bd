import { useState } from 'react'

/** The last value that was not null: what a dialog still shows while it fades out. */
export function useRetained<T>(value: T | null): T | null {
  const [retained, setRetained] = useState(value)
  if (value !== null && value !== retained) setRetained(value)
  return value ?? retained
}
