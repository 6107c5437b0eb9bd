import { formatCount } from '@iodine/ui'

/** Returns a count with its noun: '1 IOD', '1,200 IODs'. */
export const amountOf = (count: number, one: string, many = `${one}s`): string =>
  `${formatCount(count)} ${count === 1 ? one : many}`
