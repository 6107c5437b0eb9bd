import type { OwnLimits } from '@iodine/contracts'
import { type Model, Schema, Types } from 'mongoose'
import type { Connection } from './mongo.js'

/** Amounts by name; absent means 0. */
export type Amounts<K extends string> = Partial<Record<K, number>>

/** A user's id; null for unowned content, which deleted accounts left. */
export type Owner = Types.ObjectId | null

export interface UsageDoc {
  /** The user's id, or `UNOWNED`. */
  _id: string
  used: Record<string, number>
  /** Day (UTC, ISO) of the daily count. */
  day: string
  /** Time of the last full recount. */
  checked_at: Date
  /** Limits of this user, set by an administrator, in place of the deployment's. */
  limits?: OwnLimits
  /** Revision of `limits`: auth increments it with each change. */
  limits_revision?: number
}

export type UsageModel = Model<UsageDoc>

const required = true
const schema = new Schema<UsageDoc>(
  {
    _id: { type: String, required },
    used: { type: Schema.Types.Mixed, required },
    day: { type: String, required },
    checked_at: { type: Date, required },
    limits: Schema.Types.Mixed,
    limits_revision: Number,
  },
  { collection: 'usage', versionKey: false, minimize: false },
)
schema.index({ checked_at: 1 })

export const usageModel = (mongo: Connection): UsageModel => mongo.model<UsageDoc>('Usage', schema)

/** Id of the usage of content that deleted accounts left. */
export const UNOWNED = 'unowned'
export const usageId = (owner: Owner): string => owner?.toHexString() ?? UNOWNED
export const ownerOf = (id: string): Owner => (id === UNOWNED ? null : new Types.ObjectId(id))
export const dayOf = (time: Date): string => time.toISOString().slice(0, 10)
