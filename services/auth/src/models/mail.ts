import { Schema } from 'mongoose'

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

const required = true
export const mailSchema = new Schema<MailDoc>(
  {
    _id: { type: String, required },
    sealed: { type: String, required },
    created_at: { type: Date, required },
    expires_at: { type: Date, required },
    check_at: { type: Date, required },
  },
  { collection: 'mails', versionKey: false },
)
mailSchema.index({ expires_at: 1 }, { expireAfterSeconds: 0 })
mailSchema.index({ check_at: 1 })
