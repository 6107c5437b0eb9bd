import { type InferSchemaType, Schema, type Types } from 'mongoose'

const required = true
export const feedEventSchema = new Schema(
  {
    campaign_id: { type: Schema.Types.ObjectId, required },
    own: { type: Boolean, required },
    uuid: { type: String, required },
    /** SHA-256 of another tool's event before its timestamp was raised, hexadecimal; its own one's is empty. */
    source: { type: String, default: '' },
    /** Unix seconds of another tool's event, as published. */
    timestamp: { type: Number, default: 0 },
    /** A place in `TLP_LEVELS`. */
    tlp: { type: Number, required },
    /** Of its file, which is kept in parts; hexadecimal. */
    sha256: { type: String, required },
    bytes: { type: Number, required },
    /** JSON of what the manifest says of it. */
    manifest: { type: String, required },
    /** MD5s of its values, 16 bytes each. */
    hashes: { type: Buffer, required },
  },
  { collection: 'feed_events', versionKey: false },
)
/** An event in the feed of MISP: a campaign's own, or one of another tool that a campaign keeps. */
export type FeedEventDoc = InferSchemaType<typeof feedEventSchema> & {
  /** The campaign's id if it is its own. */
  _id: Types.ObjectId
}
feedEventSchema.index({ uuid: 1, campaign_id: 1 }, { unique: true })
feedEventSchema.index({ campaign_id: 1 })
/** Of several events by one UUID our own counts, else the one that was published first: nobody displaces it. */
export const BY_PUBLICATION = { own: -1, _id: 1 } as const
feedEventSchema.index({ tlp: 1, ...BY_PUBLICATION })

export const feedEventPartSchema = new Schema(
  {
    campaign_id: { type: Schema.Types.ObjectId, required },
    sha256: { type: String, required },
    n: { type: Number, required },
    raw: { type: Buffer, required },
  },
  { collection: 'feed_event_parts', versionKey: false },
)
/** A part of an event's file. */
export type FeedEventPartDoc = InferSchemaType<typeof feedEventPartSchema> & { _id: Types.ObjectId }
feedEventPartSchema.index({ campaign_id: 1, sha256: 1, n: 1 }, { unique: true })
