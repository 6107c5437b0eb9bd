import { BACKUP_FAULT_NAMES, type BackupFault } from '@iodine/contracts'
import { Schema } from 'mongoose'

/** A completed or failed backup of the app's data. */
export interface BackupDoc {
  /** Time of its completion or failure. */
  _id: Date
  duration_ms: number
  /** Null if it failed. */
  bytes: number | null
  /** Reason of a failure; absent for a completed backup. */
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
