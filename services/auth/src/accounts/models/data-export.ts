import type { DataExport, ServiceName } from '@iodine/contracts'
import { type InferSchemaType, Schema, type Types } from 'mongoose'

/** The pieces that contain a service's part of an export. */
export interface ExportPart {
  /** The first successful attempt to read the part. */
  attempt: string
  pieces: number
}

/** The latest export of a user's data. */
export interface DataExportDoc {
  /** The user's id: a user has at most one. */
  _id: Types.ObjectId
  /** Differs for each request. */
  export_id: Types.ObjectId
  state: DataExport['state']
  parts: Partial<Record<ServiceName, ExportPart>>
  /** Bytes of all parts. */
  bytes: number
  waiting_for: ServiceName | null
  created_at: Date
  /** Start times of the exports of the last 24 hours, whose number is limited. */
  started: Date[]
  /** Time at which the export and its pieces are removed. */
  expires_at: Date
}

const required = true
export const dataExportSchema = new Schema<DataExportDoc>(
  {
    _id: { type: Schema.Types.ObjectId, required },
    export_id: { type: Schema.Types.ObjectId, required },
    state: { type: String, required },
    parts: { type: Schema.Types.Mixed, required },
    bytes: { type: Number, required },
    waiting_for: { type: String, default: null },
    created_at: { type: Date, required },
    started: [Date],
    expires_at: { type: Date, required },
  },
  // Mongoose would not store an empty `parts`.
  { collection: 'data_exports', versionKey: false, minimize: false },
)
dataExportSchema.index({ export_id: 1 }, { unique: true })
dataExportSchema.index({ expires_at: 1 }, { expireAfterSeconds: 0 })

export const exportPieceSchema = new Schema(
  {
    export_id: { type: Schema.Types.ObjectId, required },
    attempt: { type: String, required },
    /** Index in the part, from 0. */
    n: { type: Number, required },
    gzip: { type: Buffer, required },
    expires_at: { type: Date, required },
  },
  { collection: 'export_pieces', versionKey: false },
)
/** A compressed piece of an export's file: a document holds at most 16 MB. */
export type ExportPieceDoc = InferSchemaType<typeof exportPieceSchema> & { _id: Types.ObjectId }
exportPieceSchema.index({ export_id: 1, attempt: 1, n: 1 }, { unique: true })
exportPieceSchema.index({ expires_at: 1 }, { expireAfterSeconds: 0 })
