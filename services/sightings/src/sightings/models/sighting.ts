import { SHARED_AS, type SharedAs, SOURCES, type Source } from '@iodine/contracts'
import { type InferSchemaType, Schema, type Types } from 'mongoose'

/** A version of a post's text, with the time of its first observation. */
export interface SeenVersion {
  text_hash: string
  seen_at: Date
}

export interface SightingDoc {
  /** The record's id. */
  _id: Types.ObjectId
  /** Absent once removed. */
  owner?: Types.ObjectId
  source: Source
  /** Source and hash of the natural key: equal for all users who collect the post. */
  post_key: string
  account: string | null
  url: string | null
  posted_at: Date | null
  /** Whether `at` is the time of posting or change that the page claims. Otherwise it is the time of the fetch. */
  posted_claimed: boolean
  /** First known time of the text. Searches are ordered by it. */
  at: Date
  /** Fetch time of the first version, or time of the import. */
  fetched_at: Date
  /** Whether the record is known from imports only. */
  imported?: true
  /** Fetch time of the latest version. */
  latest_at: Date
  edited: boolean
  /** Oldest first, at most `VERSIONS_MAX`. */
  versions: SeenVersion[]
  forward: { name: string | null; url: string | null } | null
  /** Canonical URL of the post itself. */
  self: string | null
  exact: string | null
  bands: string[]
  keys: string[]
  sketch: number[]
  /** Canonical URLs of the post's links and of a forward's origin. */
  links: string[]
  /** SHA-256 of media (`s…`), and pieces of their perceptual hashes. */
  media: string[]
  phashes: string[]
  /** Case-folded, without `#`, at most `HASHTAGS_MAX`. */
  hashtags: string[]
  shared?: SharedAs
  /** Time at which the post was found removed. */
  taken_down_at?: Date
  /** URL on another site that the page names as its original. */
  names?: string
  /** Time of the record's deletion. The tombstone has no other field, and prevents a late write from restoring it. */
  removed_at?: Date
}

/** Stored versions: the first and the latest ones. */
export const VERSIONS_MAX = 20
export const HASHTAGS_MAX = 50
/** Lifetime of tombstones: longer than any call that might restore a removed record. */
const REMOVED_SECONDS = 3_600

const required = true
const texts = { type: [String], default: undefined }
export const sightingSchema = new Schema<SightingDoc>(
  {
    owner: Schema.Types.ObjectId,
    source: { type: String, enum: SOURCES },
    post_key: String,
    account: String,
    url: String,
    posted_at: Date,
    posted_claimed: Boolean,
    at: Date,
    fetched_at: Date,
    imported: Boolean,
    latest_at: Date,
    edited: Boolean,
    versions: { type: Schema.Types.Mixed },
    forward: { type: Schema.Types.Mixed },
    self: String,
    exact: String,
    bands: texts,
    keys: texts,
    sketch: { type: [Number], default: undefined },
    links: texts,
    media: texts,
    phashes: texts,
    hashtags: texts,
    shared: { type: String, enum: SHARED_AS },
    taken_down_at: Date,
    names: String,
    removed_at: Date,
  },
  { collection: 'sightings', versionKey: false, minimize: false },
)
/** Fields that searches query. Each is the prefix of an index. */
export const LOOKUP_FIELDS = ['exact', 'post_key', 'self', 'bands', 'keys', 'links', 'media'] as const
export type LookupField = (typeof LOOKUP_FIELDS)[number]

for (const field of LOOKUP_FIELDS) {
  sightingSchema.index({ [field]: 1, owner: 1, at: 1 })
  // Searches of shared sightings never read unshared ones, so no response depends on those.
  sightingSchema.index(
    { [field]: 1, at: 1 },
    { name: `shared_${field}`, partialFilterExpression: { shared: { $exists: true } } },
  )
}
sightingSchema.index({ owner: 1, at: 1 })
sightingSchema.index({ shared: 1, posted_at: 1 }, { partialFilterExpression: { shared: { $exists: true } } })
sightingSchema.index({ removed_at: 1 }, { expireAfterSeconds: REMOVED_SECONDS })

export const indexSchema = new Schema(
  {
    /** Always `index`. */
    _id: { type: String, required },
    /**
     * Seed of the signatures: 32 bytes in base64. Secret, because it allows to craft texts with another text's postings.
     */
    seed: { type: String, required },
  },
  { collection: 'index', versionKey: false },
)
/** State of the index as a whole. */
export type IndexDoc = InferSchemaType<typeof indexSchema>
