import type { AuditEntry } from '@iodine/contracts'
import { type DocOf, defineSchema, typed } from '@iodine/service-kit'
import { Schema } from 'mongoose'

const required = true
export const auditEntrySchema = defineSchema(
  'audit_entries',
  {
    /** The entry's time, for lists. */
    created_at: { type: Date, required },
    /** Position in the chain, from 1. */
    seq: { type: Number, required },
    /** Hash of the previous entry. */
    prev: { type: String, required },
    hash: { type: String, required },
    entry: { type: typed<AuditEntry>(Schema.Types.Mixed), required },
  },
  { minimize: false },
)
/** An entry of the audit log. It is immutable, and removed only together with all entries before it. */
export type AuditEntryDoc = DocOf<typeof auditEntrySchema>
// Serializes concurrent appends into one chain.
auditEntrySchema.index({ seq: 1 }, { unique: true })
auditEntrySchema.index({ created_at: -1, _id: -1 })
for (const field of ['action', 'actor.id', 'subject.id', 'item'])
  auditEntrySchema.index({ [`entry.${field}`]: 1, created_at: -1, _id: -1 })
