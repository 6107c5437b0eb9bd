import {
  FEED_KINDS,
  type FeedKind,
  LIMITS,
  PULL_STATES,
  type PullState,
  type Subscription,
} from '@iodine/contracts'
import { type InferSchemaType, Schema, type Types } from 'mongoose'

/** How long a worker that says nothing has a subscription for itself. */
export const LEASE_MS = 30_000

type Last = NonNullable<Subscription['last']>
type LastDoc = Omit<Last, 'at'> & { at: Date }
/** How many pieces of a feed can't be read, and the first of them. */
export interface SkippedDoc {
  count: number
  listed: Last['invalid']
}
export const NOTHING_SKIPPED: SkippedDoc = { count: 0, listed: [] }

/** A feed of another tool that is pulled into a campaign. */
export interface SubscriptionDoc {
  _id: Types.ObjectId
  /** In whose name it imports: null once the account is deleted. */
  user_id: Types.ObjectId | null
  url: string
  kind: FeedKind
  /** What it signs in with, sealed for this subscription and its address. */
  sealed: string | null
  public_key: string | null
  /** Minutes between two runs. */
  every: number
  campaign_id: Types.ObjectId
  paused: boolean
  state: PullState
  /** Who fetches it, until when. */
  lease: { token: string; until: Date } | null
  /** Where the last run that was imported ended, and where the present one will; the worker's own texts. */
  cursor: string | null
  next_cursor: string | null
  /** UUIDs of events that the feed has no more: they leave with what the present run brings. */
  withdrawn: string[]
  /** What the present run has found and can't be read. */
  skipped: SkippedDoc
  /** The present run met the bounds of one. */
  more: boolean
  /** The import that keeps all that came by it. */
  import_id: Types.ObjectId | null
  /** Parts that the present run has stored and nothing refers to yet. */
  pending: Types.ObjectId | null
  next_at: Date
  last: LastDoc | null
  created_at: Date
}

const required = true
export const subscriptionSchema = new Schema<SubscriptionDoc>(
  {
    user_id: { type: Schema.Types.ObjectId, default: null },
    url: { type: String, required },
    kind: { type: String, enum: FEED_KINDS, required },
    sealed: { type: String, default: null, select: false },
    public_key: { type: String, default: null },
    every: { type: Number, required },
    campaign_id: { type: Schema.Types.ObjectId, required },
    paused: { type: Boolean, required },
    state: { type: String, enum: PULL_STATES, required },
    lease: { type: Schema.Types.Mixed, default: null, select: false },
    cursor: { type: String, default: null, select: false },
    next_cursor: { type: String, default: null, select: false },
    withdrawn: { type: [String], select: false } as never,
    skipped: { type: Schema.Types.Mixed, required, select: false },
    more: { type: Boolean, default: false },
    import_id: { type: Schema.Types.ObjectId, default: null },
    pending: { type: Schema.Types.ObjectId, default: null },
    next_at: { type: Date, required },
    last: { type: Schema.Types.Mixed, default: null },
    created_at: { type: Date, required },
  },
  { collection: 'subscriptions', versionKey: false },
)
subscriptionSchema.index({ state: 1, next_at: 1 })
subscriptionSchema.index({ campaign_id: 1 })
subscriptionSchema.index({ user_id: 1 })
subscriptionSchema.index({ import_id: 1 })

/** The shortest wait of a run that has failed, whatever the feed asks for. */
const RETRY_MIN_MS = 60_000

/** What can't be read, together with more of it. */
export const withSkipped = (
  { count, listed }: SkippedDoc,
  more: readonly SkippedDoc['listed'][number][] = [],
): SkippedDoc => ({
  count: count + more.length,
  listed: [...listed, ...more].slice(0, LIMITS.invalidListed),
})

/** What a run has come to: what its subscription is set to. */
export const ended = (
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

export const broughtSchema = new Schema(
  {
    import_id: { type: Schema.Types.ObjectId, required },
    iod_id: { type: Schema.Types.ObjectId, required },
  },
  { collection: 'brought', versionKey: false },
)
/** An IOD that an import of a subscription has put into its campaign. It leaves once nothing there names it. */
export type BroughtDoc = InferSchemaType<typeof broughtSchema> & { _id: Types.ObjectId }
broughtSchema.index({ import_id: 1, iod_id: 1 }, { unique: true })
