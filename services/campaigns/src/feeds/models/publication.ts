import { FEED_STATES } from '@iodine/contracts'
import { type DocOf, defineSchema, typed } from '@iodine/service-kit'
import { type Model, Schema } from 'mongoose'

export type PublicationModel = Model<PublicationDoc>

const required = true
export const publicationSchema = defineSchema('publications', {
  /** Id of its collection in TAXII. */
  collection_id: { type: String, required },
  /** User whose quota it uses; null once the account is deleted. */
  user_id: { type: Schema.Types.ObjectId, default: null },
  wanted: { type: Boolean, required },
  state: { type: String, enum: FEED_STATES, required },
  /** Number of requests to update the feed, so that a request during a step is not lost. */
  asked: { type: Number, required },
  /** As last published. */
  title: { type: String, default: '' },
  /** An index into `TLP_LEVELS`, effective at once: readers of lower levels see none of the feed. */
  tlp: { type: Number, required },
  /** Number of its rows, of the revoked rows among them, and bytes. */
  rows: { type: Number, required },
  revoked: { type: Number, required },
  bytes: { type: Number, required },
  /** Time of the last complete update. */
  at: { type: Date, default: null },
  problem: { type: String, default: null },
  /** Fencing token of the step in progress: a step that lost its lease cannot write. */
  run: { type: String, default: null },
})
/**
 * State of a campaign's feed. It outlives the campaign, so that pullers receive the revocations.
 */
export type PublicationDoc = DocOf<typeof publicationSchema>
publicationSchema.index({ collection_id: 1 }, { unique: true })
publicationSchema.index({ user_id: 1 })
publicationSchema.index({ state: 1, at: 1 })

/** Time of the last published batch; each batch of the deployment has a later time. */
export const clockSchema = defineSchema('feed_clock', {
  _id: { type: typed<'added'>(String), required },
  at: { type: Date, required },
})

export const publishedSchema = defineSchema('published', {
  campaign_id: { type: Schema.Types.ObjectId, required },
  stix_id: { type: String, required },
  type: { type: String, required },
  /** Its `modified`, or `created`; empty if it has neither. */
  version: { type: String, default: '' },
  /** Version of STIX. */
  spec: { type: String, required },
  /** The object's bytes, and their SHA-256; hexadecimal. */
  raw: { type: Buffer, required },
  bytes: { type: Number, required },
  sha256: { type: String, required },
  /** SHA-256 of the object in the campaign's file; the published object may have a later `modified`. */
  source: { type: String, default: '' },
  /** An index into `TLP_LEVELS`. */
  tlp: { type: Number, required },
  /** When its batch was published. */
  added: { type: Date, required },
  /** Whether it is the latest version of the object in this campaign. */
  last: { type: Boolean, required },
  /** Whether it is the earliest one that this campaign has. */
  first: { type: Boolean, required },
  /** Whether it is our object, which a revoked version may replace. */
  revocable: { type: Boolean, required },
  revoked: { type: Boolean, required },
  /** Duplicate: another campaign publishes the same bytes at this level or below. The collection `all` omits it. */
  twin: { type: Boolean, required },
})
/** An object in a campaign's feed, in one version. */
export type PublishedDoc = DocOf<typeof publishedSchema>
/** Order of pages: by publication. */
export const BY_ADDED = { added: 1, _id: 1 } as const
publishedSchema.index({ campaign_id: 1, stix_id: 1, version: 1, sha256: 1 }, { unique: true })
publishedSchema.index({ campaign_id: 1, last: 1, tlp: 1, ...BY_ADDED })
publishedSchema.index({ twin: 1, last: 1, tlp: 1, ...BY_ADDED })
publishedSchema.index({ stix_id: 1 })
publishedSchema.index({ revoked: 1, added: 1 })
