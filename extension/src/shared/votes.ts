import type { KnownIod } from './messages'

const many = (count: number): string => (count === 255 ? '255 or more' : String(count))

/** Returns the votes of an IOD in words. Counts saturate at 255. */
export const votesOf = ({
  votes_for,
  votes_against,
}: Pick<KnownIod, 'votes_for' | 'votes_against'>): string =>
  votes_for + votes_against === 0 ? 'no votes yet' : `${many(votes_for)} for, ${many(votes_against)} against`
