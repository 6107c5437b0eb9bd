import type { OwnLimits } from '@iodine/contracts'
import { type DocOf, defineSchema, typed } from '@iodine/service-kit'
import { Schema } from 'mongoose'

/** Returns the key by which usernames are unique in any case. */
export const usernameKey = (username: string): string => username.toLowerCase()

const required = true
export const userSchema = defineSchema('users', {
  /** Normalized by contracts' `email`, like all stored addresses. */
  email: { type: String, required },
  username: { type: String, default: null },
  /** Lower-cased username, for uniqueness in any case. Absent until the user chooses a name. */
  username_key: { type: String },
  /** AI provider key, encrypted for this user only. */
  sealed_ai_key: { type: String, default: null },
  /** Whether public reports may quote the descriptions of their IODs; absent: not. */
  quotable: Boolean,
  created_at: { type: Date, required },
  /** Last use of the account, written at most once a day. */
  last_active_at: { type: Date, required },
  /** When the inactivity warning was last enqueued. Use of the account unsets this and the next two fields. */
  warning_queued_at: Date,
  /** When the mail server accepted or permanently refused the warning. Required before deletion. */
  warning_taken_at: Date,
  /** The mail server refused the address permanently. */
  warning_refused: Boolean,
  /** Set while the account is suspended: sign-in is impossible. */
  suspended_at: Date,
  /** Quota limits that an administrator set for this user, in place of the deployment's. */
  own_limits: typed<OwnLimits>(Schema.Types.Mixed),
  /** Time of the last change of `own_limits` in milliseconds; each change increments it. */
  own_limits_revision: Number,
  /** Set while a service may lack this revision. */
  own_limits_pending: Boolean,
  /** Scheduled time of the deletion that the owner requested, unless they cancel it. */
  delete_at: Date,
  /** Whether that deletion includes their comments. */
  delete_comments: Boolean,
  /** Set when the deletion begins: then only the deletion may change the account. */
  deleted_at: Date,
  /** Incremented by each change of the username. */
  revision: { type: Number, required },
})
export type UserDoc = DocOf<typeof userSchema>
userSchema.index({ email: 1 }, { unique: true })
userSchema.index({ created_at: -1, _id: -1 })
userSchema.index(
  { username_key: 1 },
  { unique: true, partialFilterExpression: { username_key: { $exists: true } } },
)
userSchema.index({ last_active_at: 1 })
userSchema.index({ delete_at: 1 }, { sparse: true })
userSchema.index({ deleted_at: 1 }, { sparse: true })
