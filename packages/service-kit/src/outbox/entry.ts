import { type Model, Schema, Types } from 'mongoose'
import { originOf } from '../observe/work-context.js'
import type { Connection } from '../stores/mongo.js'
import type { KindSpec } from './kind.js'

export interface EntryDoc {
  _id: Types.ObjectId
  kind: string
  /** Entries of one kind and key are handled together, by one run at a time. */
  key?: string
  payload: unknown
  /** Number of runs that have begun. */
  attempts: number
  /** When it may be claimed. While it is leased: when the lease ends. */
  due_at: Date
  /** Id of the claim that holds it. */
  lease?: string
  created_at: Date
  /** When it became due, if later than its creation. Retries do not change it. */
  since?: Date
  /** Request id and trace context of the request or job that added it. */
  origin?: Record<string, string>
  /** Set when it has failed permanently. It is retried daily. */
  failed_at?: Date
  error?: string
}

export type EntryModel = Model<EntryDoc>

const required = true
const entrySchema = new Schema<EntryDoc>(
  {
    kind: { type: String, required },
    key: String,
    payload: { type: Schema.Types.Mixed, required },
    attempts: { type: Number, required },
    due_at: { type: Date, required },
    lease: String,
    created_at: { type: Date, required },
    since: Date,
    origin: Schema.Types.Mixed,
    failed_at: Date,
    error: String,
  },
  { collection: 'outbox', versionKey: false, minimize: false },
)
entrySchema.index({ kind: 1, due_at: 1 })
entrySchema.index({ kind: 1, key: 1 }, { partialFilterExpression: { key: { $exists: true } } })
entrySchema.index({ failed_at: 1 }, { partialFilterExpression: { failed_at: { $exists: true } } })

export const entryModel = (mongo: Connection): EntryModel => mongo.model<EntryDoc>('OutboxEntry', entrySchema)

/** Returns a new entry, due in `dueIn` milliseconds. */
export const newEntry = (
  kind: string,
  { keyOf }: Pick<KindSpec<unknown>, 'keyOf'>,
  payload: unknown,
  dueIn: number,
): EntryDoc => {
  const now = Date.now()
  const origin = originOf()
  const key = keyOf?.(payload)
  return {
    _id: new Types.ObjectId(),
    kind,
    payload,
    attempts: 0,
    due_at: new Date(now + dueIn),
    created_at: new Date(now),
    ...(dueIn > 0 && { since: new Date(now + dueIn) }),
    ...(key !== undefined && { key }),
    ...(Object.keys(origin).length > 0 && { origin }),
  }
}
