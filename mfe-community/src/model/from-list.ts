/**
 * State of a history entry that was opened from the list. Back then returns to the previous history entry,
 * which restores the list.
 */
export const FROM_LIST = { fromList: true }

export const cameFromList = (state: unknown): boolean =>
  typeof state === 'object' && state !== null && 'fromList' in state
