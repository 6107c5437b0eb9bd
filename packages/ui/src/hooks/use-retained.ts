import { useState } from 'react'

/** Returns the last non-null value, for the content of a dialog while it fades out. */
export function useRetained<T>(value: T | null): T | null {
  const [retained, setRetained] = useState(value)
  if (value !== null && value !== retained) setRetained(value)
  return value ?? retained
}
