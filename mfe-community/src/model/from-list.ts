/** State of a history entry that was opened from the list. Back then goes one entry back, to the list as it was. */
export const FROM_LIST = { fromList: true }

export const cameFromList = (state: unknown): boolean =>
  typeof state === 'object' && state !== null && 'fromList' in state
