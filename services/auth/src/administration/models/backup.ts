import { BACKUP_FAULT_NAMES } from '@iodine/contracts'
import { type DocOf, defineSchema } from '@iodine/service-kit'

const required = true
export const backupSchema = defineSchema('backups', {
  /** Time of its completion or failure. */
  _id: { type: Date, required },
  duration_ms: { type: Number, required },
  /** Null if it failed. */
  bytes: { type: Number, default: null },
  /** Reason of a failure; absent for a completed backup. */
  fault: { type: String, enum: BACKUP_FAULT_NAMES },
})
/** A completed or failed backup of the app's data. */
export type BackupDoc = DocOf<typeof backupSchema>
