import type { Connection } from '@iodine/service-kit'
import { type Model, Schema } from 'mongoose'

/** A mail that was promised and that no mail server has taken yet. */
export interface MailDoc {
  /** Also its job's id. */
  _id: string
  /** Sealed like its job: what is stored lets nobody sign in. */
  sealed: string
  created_at: Date
  /** When it would be of no use any more. */
  expires_at: Date
  /** When the repair looks at it next. */
  check_at: Date
}
export type MailModel = Model<MailDoc>

const required = true
const schema = new Schema<MailDoc>(
  {
    _id: { type: String, required },
    sealed: { type: String, required },
    created_at: { type: Date, required },
    expires_at: { type: Date, required },
    check_at: { type: Date, required },
  },
  { collection: 'mails', versionKey: false },
)
schema.index({ expires_at: 1 }, { expireAfterSeconds: 0 })
schema.index({ check_at: 1 })

export const createMailModel = (mongo: Connection): MailModel => mongo.model<MailDoc>('Mail', schema)
