import { Schema } from 'mongoose'

/** The last appended entry, by which a truncated log is detected. */
export interface AuditHeadDoc {
  _id: 'head'
  seq: number
  hash: string
}

/** The settings of a part at its last start. */
export interface PartSettingsDoc {
  /** The part's name. */
  _id: string
  /** Number of changes. */
  rev: number
  /** Fingerprints by name; null for secrets that are set. */
  settings: Record<string, string | null>
}

/** The random key of fingerprints. No entry contains it. */
export interface FingerprintKeyDoc {
  _id: 'key'
  key: string
}

const required = true
export const auditHeadSchema = new Schema<AuditHeadDoc>(
  {
    _id: { type: String, required },
    seq: { type: Number, required },
    hash: { type: String, required },
  },
  { collection: 'audit_head', versionKey: false },
)
export const partSettingsSchema = new Schema<PartSettingsDoc>(
  {
    _id: { type: String, required },
    rev: { type: Number, required },
    settings: { type: Schema.Types.Mixed, required },
  },
  { collection: 'audit_settings', versionKey: false, minimize: false },
)
export const fingerprintKeySchema = new Schema<FingerprintKeyDoc>(
  { _id: { type: String, required }, key: { type: String, required } },
  { collection: 'audit_keys', versionKey: false },
)
