import { Schema, type Types } from 'mongoose'

export interface UserDoc {
  _id: Types.ObjectId
  /** Trimmed and lower-cased. */
  email: string
  username: string | null
  /** Lower-cased username: what makes two names the same. Absent until one is chosen. */
  username_key?: string
  /** AI provider key, sealed for this user alone. */
  sealed_ai_key: string | null
  created_at: Date
  /** When the account was last used, to the day: one write a day notes it. */
  last_active_at: Date
  /** When the warning that the account will go last went to the mail queue. This and the next two end with the spell. */
  warning_queued_at?: Date
  /** When the mail server took the warning, or refused the address for good; an account without it is not deleted. */
  warning_taken_at?: Date
  /** The mail server refused the address for good. */
  warning_refused?: boolean
  /** Nobody signs in to it while it stands. */
  suspended_at?: Date
  /** The account is about to be gone: nothing but the rest of its deletion happens to it. */
  deleted_at?: Date
  /** Raised with each change of the name. */
  revision: number
  /** False until the community knows this revision. */
  announced: boolean
  /** Until when the repair takes notice of it for given. */
  check_at?: Date
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
    deleted_at: Date,
    revision: { type: Number, required },
    announced: { type: Boolean, required },
    check_at: Date,
  },
  { collection: 'users', versionKey: false },
)
userSchema.index({ email: 1 }, { unique: true })
userSchema.index(
  { username_key: 1 },
  { unique: true, partialFilterExpression: { username_key: { $exists: true } } },
)
userSchema.index({ last_active_at: 1 })
userSchema.index({ deleted_at: 1 }, { sparse: true })
userSchema.index({ announced: 1 }, { partialFilterExpression: { announced: false } })
