import { type DocOf, defineSchema } from '@iodine/service-kit'
import { Schema, type Types } from 'mongoose'

const required = true
export const feedEventSchema = defineSchema('feed_events', {
  campaign_id: { type: Schema.Types.ObjectId, required },
  own: { type: Boolean, required },
  uuid: { type: String, required },
  /** SHA-256 of an imported event before its timestamp was raised, hexadecimal; empty for our own event. */
  source: { type: String, default: '' },
  /** Published timestamp, Unix seconds. */
  timestamp: { type: Number, default: 0 },
  /** An index into `TLP_LEVELS`. */
  tlp: { type: Number, required },
  /** SHA-256 of its file, which is stored in parts; hexadecimal. */
  sha256: { type: String, required },
  bytes: { type: Number, required },
  /** Its entry of the manifest, as JSON. */
  manifest: { type: String, required },
  /** MD5s of its values, 16 bytes each. */
  hashes: { type: Buffer, required },
})
/** An event of the MISP feed: a campaign's own event, or an imported one. */
export type FeedEventDoc = DocOf<typeof feedEventSchema> & {
  /** The campaign's id for its own event. */
  _id: Types.ObjectId
}
feedEventSchema.index({ uuid: 1, campaign_id: 1 }, { unique: true })
feedEventSchema.index({ campaign_id: 1 })
/** Precedence of events with the same UUID: a campaign's own event, else the one that was published first. */
export const BY_PUBLICATION = { own: -1, _id: 1 } as const
feedEventSchema.index({ tlp: 1, ...BY_PUBLICATION })

export const feedEventPartSchema = defineSchema('feed_event_parts', {
  campaign_id: { type: Schema.Types.ObjectId, required },
  sha256: { type: String, required },
  n: { type: Number, required },
  raw: { type: Buffer, required },
})
/** A part of an event's file. */
export type FeedEventPartDoc = DocOf<typeof feedEventPartSchema>
feedEventPartSchema.index({ campaign_id: 1, sha256: 1, n: 1 }, { unique: true })
