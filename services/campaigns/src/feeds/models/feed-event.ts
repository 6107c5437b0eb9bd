import { Schema, type Types } from 'mongoose'

/** An event in the feed of MISP: a campaign's own, or one of another tool that a campaign keeps. */
export interface FeedEventDoc {
  /** The campaign's id if it is its own. */
  _id: Types.ObjectId
  campaign_id: Types.ObjectId
  own: boolean
  uuid: string
  /** SHA-256 of another tool's event before its timestamp was raised, hexadecimal; its own one's is empty. */
  source: string
  /** Unix seconds of another tool's event, as published. */
  timestamp: number
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
    campaign_id: { type: Schema.Types.ObjectId, required },
    own: { type: Boolean, required },
    uuid: { type: String, required },
    source: { type: String, default: '' },
    timestamp: { type: Number, default: 0 },
    tlp: { type: Number, required },
    sha256: { type: String, required },
    bytes: { type: Number, required },
    manifest: { type: String, required },
    hashes: { type: Buffer, required },
  },
  { collection: 'feed_events', versionKey: false },
)
feedEventSchema.index({ uuid: 1, campaign_id: 1 }, { unique: true })
feedEventSchema.index({ campaign_id: 1 })
/** Of several events by one UUID our own counts, else the one that was published first: nobody displaces it. */
export const BY_PUBLICATION = { own: -1, _id: 1 } as const
feedEventSchema.index({ tlp: 1, ...BY_PUBLICATION })

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
