import { formatCount } from '@iodine/ui'

/** Returns a count with its noun: '1 session', '2 sessions'. */
export const counted = (count: number, noun: string): string =>
  `${formatCount(count)} ${noun}${count === 1 ? '' : 's'}`
