import type { Subscription } from '@iodine/contracts'
import type { ApiClient } from '@iodine/mfe-kit'
import { formatAmount, formatCount } from '@iodine/ui'

/** Refetch interval in milliseconds while a subscription runs or is due. */
const BUSY_MS = 2_000
const IDLE_MS = 30_000

const isBusy = ({ paused, state, next_at }: Subscription): boolean =>
  state === 'fetching' ||
  state === 'importing' ||
  (!paused && next_at !== null && Date.parse(next_at) <= Date.now())

/** Key of the list of subscriptions. */
export const SUBSCRIPTIONS = ['subscriptions']

export const subscriptionsQuery = (api: ApiClient) => ({
  queryKey: SUBSCRIPTIONS,
  queryFn: () => api.call('GET /campaigns/subscriptions'),
  refetchInterval: ({ state: { data } }: { state: { data?: Subscription[] | undefined } }) =>
    data?.some(isBusy) ? BUSY_MS : IDLE_MS,
})

/** Describes the outcome of the last run. */
export const outcomeOf = ({ last, state }: Pick<Subscription, 'last' | 'state'>): string => {
  if (state === 'fetching') return 'Fetching now'
  if (state === 'importing') return 'Importing now'
  if (!last) return 'Not run yet'
  if (last.error !== null) return last.error
  const skipped = (last.skipped ?? 0) > 0 ? `, ${formatCount(last.skipped)} skipped` : ''
  if (last.objects === 0) return `Nothing new${skipped}`
  const iods = last.iods > 0 ? `, including ${formatAmount(last.iods, 'IOD')}` : ''
  return `${formatAmount(last.objects, 'new object')}${iods}${skipped}`
}

/** Returns whether the last run skipped or rejected entries whose reasons can be shown. */
export const hasReasons = ({ last }: Pick<Subscription, 'last'>): boolean =>
  (last?.invalid?.length ?? 0) + (last?.unknown_techniques?.length ?? 0) > 0

/** Selectable intervals, in minutes. */
export const INTERVALS: readonly (readonly [number, string])[] = [
  [5, '5 minutes'],
  [15, '15 minutes'],
  [60, 'hour'],
  [360, '6 hours'],
  [1_440, 'day'],
  [10_080, 'week'],
]

/** Formats an interval: `hour`, or `90 minutes` for one that is not selectable. */
export const intervalOf = (minutes: number): string =>
  INTERVALS.find(([each]) => each === minutes)?.[1] ?? `${formatCount(minutes)} minutes`
