import { IMPORT_FORMATS, type ImportFormat } from '@iodine/contracts'
import type { EventPlace } from '@iodine/exchange/misp'
import { type Model, Schema, type Types } from 'mongoose'

/** An imported object of another tool, with its unchanged bytes. */
export interface ForeignDoc {
  _id: Types.ObjectId
  campaign_id: Types.ObjectId
  import_id: Types.ObjectId
  format: ImportFormat
  /** Its id and its version in the format; empty if it has none. */
  key: string
  version: string
  type: string
  raw: Buffer
  bytes: number
  /** Of `raw`; hexadecimal. Files may share objects. */
  sha256: string
  /** An index into `TLP_LEVELS`; null if it is not marked. */
  tlp: number | null
  /** Keys of the objects that it connects. */
  refs?: string[]
  /** The IOD that it stands for. */
  iod_id: Types.ObjectId | null
  /** Its position in the file, from 0. */
  order: number
  /** Position of a piece of an event, whose `raw` begins with the separator before it. */
  place?: EventPlace
}
export type ForeignModel = Model<ForeignDoc>

/** Order of objects in exports: file by file. The index is unique, so that an object is stored once. */
export const BY_FILE = { campaign_id: 1, import_id: 1, order: 1 } as const

const required = true
export const foreignSchema = new Schema<ForeignDoc>(
  {
    campaign_id: { type: Schema.Types.ObjectId, required },
    import_id: { type: Schema.Types.ObjectId, required },
    format: { type: String, enum: IMPORT_FORMATS, required },
    key: { type: String, default: '' },
    version: { type: String, default: '' },
    type: { type: String, default: '' },
    raw: { type: Buffer, required },
    bytes: { type: Number, required },
    sha256: { type: String, required },
    tlp: { type: Number, default: null },
    refs: { type: [String], default: undefined },
    iod_id: { type: Schema.Types.ObjectId, default: null },
    order: { type: Number, required },
    place: { type: Schema.Types.Mixed, default: undefined },
  },
  { collection: 'foreign', versionKey: false },
)
foreignSchema.index(BY_FILE, { unique: true })
foreignSchema.index({ campaign_id: 1, key: 1 })
foreignSchema.index({ campaign_id: 1, iod_id: 1 })
foreignSchema.index({ campaign_id: 1, refs: 1 })
