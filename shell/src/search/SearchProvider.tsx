import { useHost } from '@iodine/mfe-kit'
import { isTyping, useKeyDown } from '@iodine/ui'
import { type ComponentType, createContext, type ReactNode, use, useCallback, useMemo, useState } from 'react'
import type { SearchBarProps } from './SearchBar'

const loadBar = () => import('./SearchBar').then(module => module.SearchBar)

interface Search {
  /** Opens the search with this term. */
  open: (term?: string) => void
  /** Preloads its code. */
  preload: () => void
}

const SearchContext = createContext<Search>({ open: () => {}, preload: () => {} })

/** Returns the global search, which Ctrl+K, ⌘K and `/` open. */
export const useSearch = (): Search => use(SearchContext)

const preload = () => void loadBar().catch(() => {})

const isInBar = (target: EventTarget | null) =>
  target instanceof Element && target.closest('[data-search-bar]') !== null

/** Keys that move through the results and open them. */
const RESULT_KEYS = new Set(['ArrowDown', 'ArrowUp', 'Enter'])

/** Forwards a key to the search bar, which may show results before the browser focuses it. */
const forwardKey = (key: string) => {
  const input = document.querySelector<HTMLElement>('[data-search-bar]')
  input?.focus()
  input?.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }))
}

/** Renders the search above the pages. Its code is loaded on first use. */
export function SearchProvider({ children }: { children: ReactNode }) {
  const { notify } = useHost()
  const [Bar, setBar] = useState<ComponentType<SearchBarProps>>()
  const [isOpen, setOpen] = useState(false)
  const [query, setQuery] = useState('')
  const open = useCallback(
    (term = '') => {
      setQuery(term)
      setOpen(true)
      loadBar().then(
        loaded => setBar(() => loaded),
        () => {
          setOpen(false)
          notify({ title: 'The search could not be loaded', status: 'error' })
        },
      )
    },
    [notify],
  )

  useKeyDown(
    event => {
      const { key, ctrlKey, metaKey, altKey, shiftKey, target } = event
      const isCombo = (ctrlKey || metaKey) && !altKey && !shiftKey && key.toLowerCase() === 'k'
      // Ignored if a section's search field has already handled the key.
      const isSlash = key === '/' && !ctrlKey && !metaKey && !altKey && !event.defaultPrevented
      if (!isCombo && !(isSlash && !isTyping(target))) return
      event.preventDefault()
      open()
    },
    { on: 'window' },
  )

  // Keys typed before the bar has the focus belong to the bar, and must not reach the page.
  useKeyDown(
    event => {
      const { key, ctrlKey, metaKey, altKey, target } = event
      if (isInBar(target) || ctrlKey || metaKey || altKey) return
      if (key === 'Escape') setOpen(false)
      else if (key.length === 1) setQuery(typed => typed + key)
      else if (RESULT_KEYS.has(key)) forwardKey(key)
      else return
      event.preventDefault()
      event.stopImmediatePropagation()
    },
    { enabled: isOpen, on: 'window', capture: true },
  )

  const search = useMemo(() => ({ open, preload }), [open])
  return (
    <SearchContext value={search}>
      {children}
      {Bar && <Bar isOpen={isOpen} query={query} onQuery={setQuery} onClose={() => setOpen(false)} />}
    </SearchContext>
  )
}
