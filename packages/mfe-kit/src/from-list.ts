/** State of a history entry that was opened from a list: Back returns to the entry of the list, which restores it. */
export const FROM_LIST = { fromList: true }

export const cameFromList = (state: unknown): boolean =>
  typeof state === 'object' && state !== null && 'fromList' in state
