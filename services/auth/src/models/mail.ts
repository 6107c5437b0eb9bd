import { Schema } from 'mongoose'

/** An outgoing mail that no mail server has accepted yet. */
export interface MailDoc {
  /** Also the id of the mail's job. */
  _id: string
  /** Encrypted like the job, so that the database reveals no sign-in token. */
  sealed: string
  created_at: Date
  /** When the mail becomes useless. */
  expires_at: Date
  /** Time of the next check by the repair. */
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
