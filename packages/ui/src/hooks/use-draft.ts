import { useRef, useState } from 'react'

/** Prefix of the drafts' keys in the session storage, and of databases with drafts that are too large for it. */
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
    // If the storage is full, the draft is not stored and the form still works.
  }
}

/**
 * Holds the state of a form. The session storage keeps it while it differs from `initial`, so it survives a closed
 * dialog, a navigation and a sign-in. Set it to `initial` to delete the draft. The setter also works after the form is
 * unmounted.
 * @param name of the form and its entity, unique for the user; undefined stores nothing
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

/** Deletes all drafts of this tab, and the databases with drafts, which all tabs of the browser share. */
export function forgetDrafts(): void {
  for (const key of Object.keys(sessionStorage)) if (key.startsWith(DRAFT_PREFIX)) write(key, null)
  if (typeof indexedDB !== 'undefined') void forgetDatabases()
}

const forgetDatabases = async () => {
  // A browser may forbid its databases; then there are none.
  const databases = await indexedDB.databases().catch(() => [])
  for (const { name } of databases) if (name?.startsWith(DRAFT_PREFIX)) indexedDB.deleteDatabase(name)
}
