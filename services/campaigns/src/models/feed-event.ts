import { Schema, type Types } from 'mongoose'

/** A campaign's event in the feed of MISP. */
export interface FeedEventDoc {
  /** The campaign's id. */
  _id: Types.ObjectId
  uuid: string
  /** A place in `TLP_LEVELS`. */
  tlp: number
  /** Of its file, which is kept in parts; hexadecimal. */
  sha256: string
  bytes: number
  /** JSON of what the manifest says of it. */
  manifest: string
  /** MD5s of its values, 16 bytes each. */
  hashes: Buffer
}

/** A part of an event's file. */
export interface FeedEventPartDoc {
  _id: Types.ObjectId
  campaign_id: Types.ObjectId
  sha256: string
  n: number
  raw: Buffer
}

const required = true
export const feedEventSchema = new Schema<FeedEventDoc>(
  {
    uuid: { type: String, required },
    tlp: { type: Number, required },
    sha256: { type: String, required },
    bytes: { type: Number, required },
    manifest: { type: String, required },
    hashes: { type: Buffer, required },
  },
  { collection: 'feed_events', versionKey: false },
)
feedEventSchema.index({ uuid: 1 }, { unique: true })
feedEventSchema.index({ tlp: 1, _id: 1 })

export const feedEventPartSchema = new Schema<FeedEventPartDoc>(
  {
    campaign_id: { type: Schema.Types.ObjectId, required },
    sha256: { type: String, required },
    n: { type: Number, required },
    raw: { type: Buffer, required },
  },
  { collection: 'feed_event_parts', versionKey: false },
)
feedEventPartSchema.index({ campaign_id: 1, sha256: 1, n: 1 }, { unique: true })
