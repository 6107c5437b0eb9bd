import { useRef, useState } from 'react'

/** Prefix of the drafts' keys in the session storage. */
export const DRAFT_PREFIX = 'iodine:draft:'

const read = (key: string): object => {
  try {
    return JSON.parse(sessionStorage.getItem(key) ?? '{}') ?? {}
  } catch {
    return {}
  }
}

const write = (key: string, draft: string | null): void => {
  try {
    if (draft === null) sessionStorage.removeItem(key)
    else sessionStorage.setItem(key, draft)
  } catch {
    // A full storage keeps no further drafts; the form goes on.
  }
}

/**
 * State of a form that is kept in the session storage while it differs from `initial`, so that it survives a
 * closed dialog, a left page and a sign-in. Set it to `initial` to forget it. The setter also works after the
 * form has gone.
 * @param name of the form and what it is about, unique for the user; undefined keeps nothing
 */
export function useDraft<T extends object>(
  name: string | undefined,
  initial: T,
): [draft: T, setDraft: (next: T | ((current: T) => T)) => void] {
  const key = name && DRAFT_PREFIX + name
  const [draft, set] = useState<T>(() => ({ ...initial, ...(key && read(key)) }))
  const current = useRef(draft)
  const setDraft = (next: T | ((current: T) => T)) => {
    current.current = typeof next === 'function' ? next(current.current) : next
    set(current.current)
    if (!key) return
    const text = JSON.stringify(current.current)
    write(key, text === JSON.stringify(initial) ? null : text)
  }
  return [draft, setDraft]
}

/** Forgets all drafts of this tab. */
export function forgetDrafts(): void {
  for (const key of Object.keys(sessionStorage)) if (key.startsWith(DRAFT_PREFIX)) write(key, null)
}
