import { useEffect, useState } from 'react'
import { useDebouncedCallback } from 'use-debounce'

const REST_MS = 250

/**
 * Returns the text of a search field and its setter. Calls to `apply` are debounced by 250 ms. The text follows other
 * changes of `applied`, such as Back or Clear all.
 */
export function useSearchText(
  applied: string,
  apply: (text: string) => void,
): [text: string, setText: (text: string) => void] {
  const [text, setText] = useState(applied)
  const applySoon = useDebouncedCallback(apply, REST_MS)
  useEffect(() => {
    // `applied` may be trimmed; the field keeps its white space.
    if (!applySoon.isPending()) setText(current => (current.trim() === applied.trim() ? current : applied))
  }, [applied, applySoon])
  return [
    text,
    next => {
      setText(next)
      applySoon(next)
    },
  ]
}
