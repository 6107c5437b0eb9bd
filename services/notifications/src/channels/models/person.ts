import { MAIL_MODES } from '@iodine/contracts'
import { type DocOf, defineSchema, typed } from '@iodine/service-kit'
import { Schema } from 'mongoose'

/** Webhook of a user. */
export interface WebhookDoc {
  url: string
  /** Secret of the signatures, sealed by auth for the user and the URL. */
  sealed: string
  enabled: boolean
  /** Failed attempts since the last success. */
  failures: number
  last: { at: Date; error: string | null } | null
  created_at: Date
}

const required = true
/** Settings of a user. Its id is the user's. */
export const personSchema = defineSchema('people', {
  _id: { type: Schema.Types.ObjectId, required },
  /** Whether replies and mentions notify. Absent: true. */
  replies: { type: Boolean, default: undefined },
  /** Absent: off. */
  mail: { type: String, enum: MAIL_MODES, default: undefined },
  time_zone: { type: String, default: undefined },
  /** When the next digest is due; absent without digests. */
  digest_at: { type: Date, default: undefined },
  /** Notifications up to this time are mailed. */
  mailed_at: { type: Date, default: undefined },
  /** End of the period of the mail that is being sent. */
  mailing: { type: Date, default: undefined },
  /** When the last mail was sent. */
  sent_at: { type: Date, default: undefined },
  /** Token of the link that ends the mails. */
  unsubscribe: { type: String, default: undefined },
  webhook: { type: typed<WebhookDoc>(Schema.Types.Mixed), default: undefined },
  /** Number of created watches. Writing it makes a transaction conflict with concurrent ones. */
  changes: { type: Number, default: undefined },
})
export type PersonDoc = DocOf<typeof personSchema>
personSchema.index({ digest_at: 1 }, { partialFilterExpression: { digest_at: { $exists: true } } })
personSchema.index(
  { unsubscribe: 1 },
  { unique: true, partialFilterExpression: { unsubscribe: { $exists: true } } },
)
personSchema.index(
  { 'webhook.sealed': 1 },
  { partialFilterExpression: { 'webhook.sealed': { $exists: true } } },
)
