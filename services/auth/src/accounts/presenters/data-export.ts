import type { DataExport } from '@iodine/contracts'
import type { DataExportDoc } from '../models/data-export.js'
import { EXPORT_SERVICES } from '../queries/personal-data.js'

export const presentDataExport = (doc: DataExportDoc): DataExport => ({
  id: doc.export_id.toHexString(),
  state: doc.state,
  created_at: doc.created_at.toISOString(),
  done: Object.keys(doc.parts).length,
  total: EXPORT_SERVICES.length,
  waiting_for: doc.waiting_for,
  bytes: doc.bytes,
  expires_at: doc.state === 'working' ? null : doc.expires_at.toISOString(),
})
