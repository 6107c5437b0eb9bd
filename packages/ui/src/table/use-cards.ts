import { useSyncExternalStore } from 'react'

// The width below which `Table.module.css` lays rows out as cards.
const CARDS = '(max-width: 899px)'

const subscribe = (onChange: () => void) => {
  const query = window.matchMedia(CARDS)
  query.addEventListener('change', onChange)
  return () => query.removeEventListener('change', onChange)
}

/** Whether the window is so narrow that the rows of tables are cards. */
export const useCards = (): boolean => useSyncExternalStore(subscribe, () => window.matchMedia(CARDS).matches)
