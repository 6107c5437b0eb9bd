/** Kept with a history entry that was opened from the list: going back leads to the list as it was left. */
export const FROM_LIST = { fromList: true }

export const cameFromList = (state: unknown): boolean =>
  typeof state === 'object' && state !== null && 'fromList' in state
