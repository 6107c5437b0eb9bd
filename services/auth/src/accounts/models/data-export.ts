import type { DataExport, ServiceName } from '@iodine/contracts'
import { type DocOf, defineSchema, typed } from '@iodine/service-kit'
import { Schema } from 'mongoose'

/** The pieces that contain a service's part of an export. */
export interface ExportPart {
  /** The first successful attempt to read the part. */
  attempt: string
  pieces: number
}

const required = true
export const dataExportSchema = defineSchema(
  'data_exports',
  {
    /** The user's id: a user has at most one. */
    _id: { type: Schema.Types.ObjectId, required },
    /** Differs for each request. */
    export_id: { type: Schema.Types.ObjectId, required },
    state: { type: typed<DataExport['state']>(String), required },
    parts: { type: typed<Partial<Record<ServiceName, ExportPart>>>(Schema.Types.Mixed), required },
    /** Bytes of all parts. */
    bytes: { type: Number, required },
    waiting_for: { type: typed<ServiceName>(String), default: null },
    created_at: { type: Date, required },
    /** Start times of the exports of the last 24 hours, whose number is limited. */
    started: { type: [Date], required },
    /** Time at which the export and its pieces are removed. */
    expires_at: { type: Date, required },
  },
  // Mongoose would not store an empty `parts`.
  { minimize: false },
)
/** The latest export of a user's data. */
export type DataExportDoc = DocOf<typeof dataExportSchema>
dataExportSchema.index({ export_id: 1 }, { unique: true })
dataExportSchema.index({ expires_at: 1 }, { expireAfterSeconds: 0 })

export const exportPieceSchema = defineSchema('export_pieces', {
  export_id: { type: Schema.Types.ObjectId, required },
  attempt: { type: String, required },
  /** Index in the part, from 0. */
  n: { type: Number, required },
  gzip: { type: Buffer, required },
  expires_at: { type: Date, required },
})
/** A compressed piece of an export's file: a document holds at most 16 MB. */
export type ExportPieceDoc = DocOf<typeof exportPieceSchema>
exportPieceSchema.index({ export_id: 1, attempt: 1, n: 1 }, { unique: true })
exportPieceSchema.index({ expires_at: 1 }, { expireAfterSeconds: 0 })
