import { type DocOf, defineSchema, typed } from '@iodine/service-kit'
import { Schema } from 'mongoose'

const required = true
export const auditHeadSchema = defineSchema('audit_head', {
  _id: { type: typed<'head'>(String), required },
  seq: { type: Number, required },
  hash: { type: String, required },
})
/** The last appended entry, by which a truncated log is detected. */
export type AuditHeadDoc = DocOf<typeof auditHeadSchema>
export const partSettingsSchema = defineSchema(
  'audit_settings',
  {
    /** The part's name. */
    _id: { type: String, required },
    /** Number of changes. */
    rev: { type: Number, required },
    /** Fingerprints by name; null for secrets that are set. */
    settings: { type: typed<Record<string, string | null>>(Schema.Types.Mixed), required },
  },
  { minimize: false },
)
/** The settings of a part at its last start. */
export type PartSettingsDoc = DocOf<typeof partSettingsSchema>
/** The random key of fingerprints. No entry contains it. */
export const fingerprintKeySchema = defineSchema('audit_keys', {
  _id: { type: typed<'key'>(String), required },
  key: { type: String, required },
})
export type FingerprintKeyDoc = DocOf<typeof fingerprintKeySchema>
