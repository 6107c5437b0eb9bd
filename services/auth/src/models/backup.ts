import { Schema } from 'mongoose'

/** A backup that was made of the product's data. */
export interface BackupDoc {
  /** When it was complete. */
  _id: Date
  bytes: number
  duration_ms: number
}

const required = true
export const backupSchema = new Schema<BackupDoc>(
  {
    _id: { type: Date, required },
    bytes: { type: Number, required },
    duration_ms: { type: Number, required },
  },
  { collection: 'backups', versionKey: false },
)
