import { FEED_KINDS, LIMITS, PULL_STATES, type Subscription } from '@iodine/contracts'
import { type DocOf, defineSchema, typed } from '@iodine/service-kit'
import { Schema } from 'mongoose'

/** Duration of a worker's lease of a subscription. */
export const LEASE_MS = 30_000

type Last = NonNullable<Subscription['last']>
type LastDoc = Omit<Last, 'at'> & { at: Date }
/** Number of unreadable pieces of a feed, and the first of them. */
export interface SkippedDoc {
  count: number
  listed: Last['invalid']
}
export const NOTHING_SKIPPED: SkippedDoc = { count: 0, listed: [] }

const required = true
export const subscriptionSchema = defineSchema('subscriptions', {
  /** User in whose name it imports; null once the account is deleted. */
  user_id: { type: Schema.Types.ObjectId, default: null },
  url: { type: String, required },
  kind: { type: String, enum: FEED_KINDS, required },
  /** Credentials for the feed, sealed for this subscription and its URL. */
  sealed: { type: String, default: null, select: false },
  public_key: { type: String, default: null },
  /** Minutes between two runs. */
  every: { type: Number, required },
  campaign_id: { type: Schema.Types.ObjectId, required },
  paused: { type: Boolean, required },
  state: { type: String, enum: PULL_STATES, required },
  /** Lease of the worker that fetches it. */
  lease: { type: typed<{ token: string; until: Date }>(Schema.Types.Mixed), default: null, select: false },
  /** End of the last imported run, and of the current one; opaque texts of the worker. */
  cursor: { type: String, default: null, select: false },
  next_cursor: { type: String, default: null, select: false },
  /** UUIDs of the events that the feed has withdrawn. The import of the current run removes them. */
  withdrawn: { type: [String], required, select: false },
  /** Unreadable pieces of the current run. */
  skipped: { type: typed<SkippedDoc>(Schema.Types.Mixed), required, select: false },
  /** Whether the current run has reached the limits of a run, so that the next one is due at once. */
  more: { type: Boolean, default: false },
  /** Import with all its objects. */
  import_id: { type: Schema.Types.ObjectId, default: null },
  /** Batch of the parts that the current run has stored and no import refers to yet. */
  pending: { type: Schema.Types.ObjectId, default: null },
  next_at: { type: Date, required },
  last: { type: typed<LastDoc>(Schema.Types.Mixed), default: null },
  created_at: { type: Date, required },
})
/** A feed of another tool that is pulled into a campaign. */
export type SubscriptionDoc = DocOf<typeof subscriptionSchema>
subscriptionSchema.index({ state: 1, next_at: 1 })
subscriptionSchema.index({ campaign_id: 1 })
subscriptionSchema.index({ user_id: 1 })
subscriptionSchema.index({ import_id: 1 })

/** Minimum delay after a failed run, regardless of the delay that the feed requests. */
const RETRY_MIN_MS = 60_000

/** Adds unreadable pieces. */
export const withSkipped = (
  { count, listed }: SkippedDoc,
  more: readonly SkippedDoc['listed'][number][] = [],
): SkippedDoc => ({
  count: count + more.length,
  listed: [...listed, ...more].slice(0, LIMITS.invalidListed),
})

/** Returns the changes of a subscription at the end of a run. */
export const endOfRun = (
  {
    every,
    more,
    skipped = NOTHING_SKIPPED,
  }: Pick<SubscriptionDoc, 'every'> & Partial<Pick<SubscriptionDoc, 'more' | 'skipped'>>,
  {
    error = null,
    objects = 0,
    iods = 0,
    refused = 0,
    invalid = [],
    unknown_techniques = [],
  }: Partial<NonNullable<SubscriptionDoc['last']>>,
  retryMs: number | null = null,
) =>
  ({
    state: 'waiting',
    lease: null,
    next_cursor: null,
    withdrawn: [],
    skipped: NOTHING_SKIPPED,
    more: false,
    last: {
      at: new Date(),
      error,
      objects,
      iods,
      skipped: skipped.count,
      refused,
      invalid: withSkipped(skipped, invalid).listed,
      unknown_techniques,
    },
    next_at: more
      ? new Date()
      : retryMs === null
        ? new Date(Date.now() + every * 60_000)
        : new Date(Date.now() + Math.max(retryMs, RETRY_MIN_MS)),
  }) as const

export const broughtSchema = defineSchema('brought', {
  import_id: { type: Schema.Types.ObjectId, required },
  iod_id: { type: Schema.Types.ObjectId, required },
})
/** An IOD that the import of a subscription has added to its campaign. It leaves once no object there names it. */
export type BroughtDoc = DocOf<typeof broughtSchema>
broughtSchema.index({ import_id: 1, iod_id: 1 }, { unique: true })
