import { BACKUP_FAULT_NAMES, type BackupFault } from '@iodine/contracts'
import { Schema } from 'mongoose'

/** A backup of the product's data that was made, or failed. */
export interface BackupDoc {
  /** When it was complete, or failed. */
  _id: Date
  duration_ms: number
  /** Null if it failed. */
  bytes: number | null
  /** Why it failed; absent if it was made. */
  fault?: BackupFault
}

const required = true
export const backupSchema = new Schema<BackupDoc>(
  {
    _id: { type: Date, required },
    duration_ms: { type: Number, required },
    bytes: { type: Number, default: null },
    fault: { type: String, enum: BACKUP_FAULT_NAMES },
  },
  { collection: 'backups', versionKey: false },
)
