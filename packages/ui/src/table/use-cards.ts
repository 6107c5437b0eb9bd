import { useMedia } from '../hooks/use-media'

// The width below which `Table.module.css` lays rows out as cards.
const CARDS = '(max-width: 899px)'

/** Returns whether the window is so narrow that table rows become cards. */
export const useCards = (): boolean => useMedia(CARDS)
