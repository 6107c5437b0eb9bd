import type { AuditEntry } from '@iodine/contracts'
import { Schema, type Types } from 'mongoose'

/** An entry of the audit log. It is immutable, and removed only together with all entries before it. */
export interface AuditEntryDoc {
  /** The entry's id. */
  _id: Types.ObjectId
  /** The entry's time, for lists. */
  created_at: Date
  /** Position in the chain, from 1. */
  seq: number
  /** Hash of the previous entry. */
  prev: string
  hash: string
  entry: AuditEntry
}

const required = true
export const auditEntrySchema = new Schema<AuditEntryDoc>(
  {
    created_at: { type: Date, required },
    seq: { type: Number, required },
    prev: { type: String, required },
    hash: { type: String, required },
    entry: { type: Schema.Types.Mixed, required },
  },
  { collection: 'audit_entries', versionKey: false, minimize: false },
)
// Serializes concurrent appends into one chain.
auditEntrySchema.index({ seq: 1 }, { unique: true })
auditEntrySchema.index({ created_at: -1, _id: -1 })
for (const field of ['action', 'actor.id', 'subject.id', 'item'])
  auditEntrySchema.index({ [`entry.${field}`]: 1, created_at: -1, _id: -1 })
