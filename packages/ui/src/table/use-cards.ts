import { useMedia } from '../hooks/use-media'

// The width below which `Table.module.css` lays rows out as cards.
const CARDS = '(max-width: 899px)'

/** Whether the window is so narrow that the rows of tables are cards. */
export const useCards = (): boolean => useMedia(CARDS)
