import { FEED_STATES, type FeedState } from '@iodine/contracts'
import { type InferSchemaType, type Model, Schema, type Types } from 'mongoose'

/**
 * A campaign's feed: whether it is wanted, and how far it is. It outlives the campaign, so that who pulls it learns of
 * its end.
 */
export interface PublicationDoc {
  /** The campaign's id. */
  _id: Types.ObjectId
  /** Id of its collection in TAXII. */
  collection_id: string
  /** Whose quota it counts for; null once the account is deleted. */
  user_id: Types.ObjectId | null
  wanted: boolean
  state: FeedState
  /** Raised with each request to bring it in line, so that none is lost while a step is at work. */
  asked: number
  /** As last published. */
  title: string
  /** A place in `TLP_LEVELS`: whoever reads less sees nothing of it from now on. */
  tlp: number
  /** Rows of it, revoked ones among them, and bytes. */
  rows: number
  revoked: number
  bytes: number
  /** When it was last brought in line with its campaign. */
  at: Date | null
  problem: string | null
  /** Fencing token of the step that is at work on it: a step that lost its lease writes nothing more. */
  run: string | null
}
export type PublicationModel = Model<PublicationDoc>

/** The last time that a batch was published at: each batch of the deployment has a later one. */
export interface ClockDoc {
  _id: 'added'
  at: Date
}

const required = true
export const publicationSchema = new Schema<PublicationDoc>(
  {
    collection_id: { type: String, required },
    user_id: { type: Schema.Types.ObjectId, default: null },
    wanted: { type: Boolean, required },
    state: { type: String, enum: FEED_STATES, required },
    asked: { type: Number, required },
    title: { type: String, default: '' },
    tlp: { type: Number, required },
    rows: { type: Number, required },
    revoked: { type: Number, required },
    bytes: { type: Number, required },
    at: { type: Date, default: null },
    problem: { type: String, default: null },
    run: { type: String, default: null },
  },
  { collection: 'publications', versionKey: false },
)
publicationSchema.index({ collection_id: 1 }, { unique: true })
publicationSchema.index({ user_id: 1 })
publicationSchema.index({ state: 1, at: 1 })

export const clockSchema = new Schema<ClockDoc>(
  { _id: { type: String, required }, at: { type: Date, required } } as never,
  { collection: 'feed_clock', versionKey: false },
)

export const publishedSchema = new Schema(
  {
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
    /** SHA-256 of what the campaign's file says: a later `modified` may have been put in its place. */
    source: { type: String, default: '' },
    /** A place in `TLP_LEVELS`. */
    tlp: { type: Number, required },
    /** When its batch was published. */
    added: { type: Date, required },
    /** Whether it is the latest version of the object in this campaign. */
    last: { type: Boolean, required },
    /** Whether it is the earliest one that this campaign has. */
    first: { type: Boolean, required },
    /** Ours, which a revoked version may take the place of. */
    revocable: { type: Boolean, required },
    revoked: { type: Boolean, required },
    /** The same bytes are published by another campaign, at this level or below: once is enough for all. */
    twin: { type: Boolean, required },
  },
  { collection: 'published', versionKey: false },
)
/** An object in a campaign's feed, in one version. */
export type PublishedDoc = InferSchemaType<typeof publishedSchema> & { _id: Types.ObjectId }
/** The order of pages: that of publication. */
export const BY_ADDED = { added: 1, _id: 1 } as const
publishedSchema.index({ campaign_id: 1, stix_id: 1, version: 1, sha256: 1 }, { unique: true })
publishedSchema.index({ campaign_id: 1, last: 1, tlp: 1, ...BY_ADDED })
publishedSchema.index({ twin: 1, last: 1, tlp: 1, ...BY_ADDED })
publishedSchema.index({ stix_id: 1 })
publishedSchema.index({ revoked: 1, added: 1 })
