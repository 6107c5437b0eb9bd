import type { OwnLimits } from '@iodine/contracts'
import { Schema, type Types } from 'mongoose'

/** Returns the key by which usernames are unique in any case. */
export const usernameKey = (username: string): string => username.toLowerCase()

export interface UserDoc {
  _id: Types.ObjectId
  /** Normalized by contracts' `email`, like all stored addresses. */
  email: string
  username: string | null
  /** Lower-cased username, for uniqueness in any case. Absent until the user chooses a name. */
  username_key?: string
  /** AI provider key, encrypted for this user only. */
  sealed_ai_key: string | null
  created_at: Date
  /** Last use of the account, written at most once a day. */
  last_active_at: Date
  /** When the inactivity warning was last enqueued. Use of the account unsets this and the next two fields. */
  warning_queued_at?: Date
  /** When the mail server accepted or permanently refused the warning. Required before deletion. */
  warning_taken_at?: Date
  /** The mail server refused the address permanently. */
  warning_refused?: boolean
  /** Set while the account is suspended: sign-in is impossible. */
  suspended_at?: Date
  /** Quota limits that an administrator set for this user, in place of the deployment's. */
  own_limits?: OwnLimits
  /** Time of the last change of `own_limits` in milliseconds; each change increments it. */
  own_limits_revision?: number
  /** Set while a service may lack this revision. */
  own_limits_pending?: boolean
  /** Scheduled time of the deletion that the owner requested, unless they cancel it. */
  delete_at?: Date
  /** Set when the deletion begins: then only the deletion may change the account. */
  deleted_at?: Date
  /** Incremented by each change of the username. */
  revision: number
}

const required = true
export const userSchema = new Schema<UserDoc>(
  {
    email: { type: String, required },
    username: { type: String, default: null },
    username_key: { type: String },
    sealed_ai_key: { type: String, default: null },
    created_at: { type: Date, required },
    last_active_at: { type: Date, required },
    warning_queued_at: Date,
    warning_taken_at: Date,
    warning_refused: Boolean,
    suspended_at: Date,
    own_limits: Schema.Types.Mixed,
    own_limits_revision: Number,
    own_limits_pending: Boolean,
    delete_at: Date,
    deleted_at: Date,
    revision: { type: Number, required },
  },
  { collection: 'users', versionKey: false },
)
userSchema.index({ email: 1 }, { unique: true })
userSchema.index({ created_at: -1, _id: -1 })
userSchema.index(
  { username_key: 1 },
  { unique: true, partialFilterExpression: { username_key: { $exists: true } } },
)
userSchema.index({ last_active_at: 1 })
userSchema.index({ delete_at: 1 }, { sparse: true })
userSchema.index({ deleted_at: 1 }, { sparse: true })
