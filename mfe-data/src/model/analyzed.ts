import { isDay, isZone, NOVELTIES, type Novelty, POST_AGES, REACHES } from '@iodine/contracts'
import type { Input } from '@iodine/mfe-kit'

/** Filters of a link from Analytics. */
export type Analyzed = Pick<
  NonNullable<Input<'GET /:source/data'>['query']>,
  | 'from'
  | 'to'
  | 'zone'
  | 'account'
  | 'hashtag'
  | 'domain'
  | 'language'
  | 'weekday'
  | 'hour'
  | 'age'
  | 'platform'
  | 'reach'
  | 'novelty'
>

const isText = (value: string) => value !== ''
const isUpTo = (max: number) => (value: string) => /^\d{1,2}$/.test(value) && Number(value) <= max
const CHECKS: Record<keyof Analyzed, (value: string) => boolean> = {
  from: isDay,
  to: isDay,
  zone: isZone,
  account: isText,
  hashtag: isText,
  domain: isText,
  language: isText,
  weekday: isUpTo(6),
  hour: isUpTo(23),
  age: value => POST_AGES.some(each => each === value),
  platform: isText,
  reach: value => REACHES.some(each => each === value),
  novelty: value => NOVELTIES.some(each => each === value),
}
const NUMBERS: ReadonlySet<string> = new Set(['weekday', 'hour'])

/** Reads the filters of a link from Analytics from a URL's query. Invalid values are ignored. */
export const readAnalyzed = (search: URLSearchParams): Analyzed =>
  Object.fromEntries(
    Object.entries(CHECKS).flatMap(([name, isValid]) => {
      const value = search.get(name)
      return value !== null && isValid(value) ? [[name, NUMBERS.has(name) ? Number(value) : value]] : []
    }),
  )

const WEEKDAYS = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday']
const LABELS = {
  account: 'account',
  hashtag: 'hashtag',
  domain: 'domain',
  language: 'language',
  platform: 'platform',
} as const

const NOVELTY_TEXTS: Record<Novelty, string> = {
  known: 'with an IOD known when collected',
  new: 'without an IOD known when collected',
  pending: 'not compared with IODs yet',
}

/** Describes the filters in one line; empty without filters. */
export function analyzedText(analyzed: Analyzed): string {
  const { from, to, zone = 'UTC', weekday, hour, age, reach, novelty } = analyzed
  return [
    (from || to) && `collected ${from === to ? from : `${from ?? '…'} to ${to ?? '…'}`} (${zone})`,
    weekday !== undefined && `posted on a ${WEEKDAYS[Number(weekday)]}`,
    hour !== undefined && `at ${String(hour).padStart(2, '0')}:00–${String(hour).padStart(2, '0')}:59`,
    ...Object.entries(LABELS).map(([name, label]) => {
      const value = analyzed[name as keyof typeof LABELS]
      return value !== undefined && `${label} ${value}`
    }),
    age && `age when collected: ${age}`,
    novelty && NOVELTY_TEXTS[novelty],
    reach && `plays or views with ${reach} ${reach === '1' ? 'digit' : 'digits'}`,
  ]
    .filter(part => part)
    .join(' · ')
}
