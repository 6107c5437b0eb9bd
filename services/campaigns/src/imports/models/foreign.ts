import { IMPORT_FORMATS } from '@iodine/contracts'
import type { EventPlace } from '@iodine/exchange/misp'
import { type DocOf, defineSchema, typed } from '@iodine/service-kit'
import { type Model, Schema } from 'mongoose'

export type ForeignModel = Model<ForeignDoc>

/** Order of objects in exports: file by file. The index is unique, so that an object is stored once. */
export const BY_FILE = { campaign_id: 1, import_id: 1, order: 1 } as const

const required = true
export const foreignSchema = defineSchema('foreign', {
  campaign_id: { type: Schema.Types.ObjectId, required },
  import_id: { type: Schema.Types.ObjectId, required },
  format: { type: String, enum: IMPORT_FORMATS, required },
  /** Its id and its version in the format; empty if it has none. */
  key: { type: String, default: '' },
  version: { type: String, default: '' },
  type: { type: String, default: '' },
  raw: { type: Buffer, required },
  bytes: { type: Number, required },
  /** Of `raw`; hexadecimal. Files may share objects. */
  sha256: { type: String, required },
  /** An index into `TLP_LEVELS`; null if it is not marked. */
  tlp: { type: Number, default: null },
  /** Keys of the objects that it connects. */
  refs: { type: [String], default: undefined },
  /** The IOD that it stands for. */
  iod_id: { type: Schema.Types.ObjectId, default: null },
  /** Its position in the file, from 0. */
  order: { type: Number, required },
  /** Position of a piece of an event, whose `raw` begins with the separator before it. */
  place: { type: typed<EventPlace>(Schema.Types.Mixed), default: undefined },
})
/** An imported object of another tool, with its unchanged bytes. */
export type ForeignDoc = DocOf<typeof foreignSchema>
foreignSchema.index(BY_FILE, { unique: true })
foreignSchema.index({ campaign_id: 1, key: 1 })
foreignSchema.index({ campaign_id: 1, iod_id: 1 })
foreignSchema.index({ campaign_id: 1, refs: 1 })
