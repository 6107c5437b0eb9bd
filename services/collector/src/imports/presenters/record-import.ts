import type { RecordImport } from '@iodine/contracts'
import { type RecordImportDoc, undoUntil } from '../models/record-import.js'

export const presentRecordImport = (doc: RecordImportDoc): RecordImport => {
  const { _id, format, file_name, file_sha256, state, total, received, created, merged, refused } = doc
  const refusals = refused.reduce((sum, { count }) => sum + count, 0)
  return {
    id: _id.toHexString(),
    format,
    file_name,
    file_sha256,
    state,
    total,
    received,
    created,
    merged,
    // Deletions of records do not change the counts.
    unchanged: Math.max(0, received - created - merged - refusals),
    refused,
    created_at: doc.created_at.toISOString(),
    undo_until: undoUntil(doc).toISOString(),
  }
}
