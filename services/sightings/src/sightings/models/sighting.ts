import { SHARED_AS, SOURCES } from '@iodine/contracts'
import { type DocOf, defineSchema, typed } from '@iodine/service-kit'
import { Schema } from 'mongoose'

/** A version of a post's text, with the time of its first observation. */
export interface SeenVersion {
  text_hash: string
  seen_at: Date
}

/** Stored versions: the first and the latest ones. */
export const VERSIONS_MAX = 20
export const HASHTAGS_MAX = 50
/** Lifetime of tombstones: longer than any call that might restore a removed record. */
const REMOVED_SECONDS = 3_600

const required = true
// No defaults, which Mongoose would add to a tombstone. Sightings are stored by the driver, which validates nothing.
const nullable = { type: typed<string | null>(String), required } as const
const texts = { type: [String], required, default: undefined } as const
export const sightingSchema = defineSchema(
  'sightings',
  {
    /** Absent once removed. */
    owner: Schema.Types.ObjectId,
    source: { type: String, enum: SOURCES, required },
    /** Source and hash of the natural key: equal for all users who collect the post. */
    post_key: { type: String, required },
    account: nullable,
    url: nullable,
    posted_at: { type: typed<Date | null>(Date), required },
    /** Whether `at` is the time of posting or change that the page claims. Otherwise it is the time of the fetch. */
    posted_claimed: { type: Boolean, required },
    /** First known time of the text. Searches are ordered by it. */
    at: { type: Date, required },
    /** Fetch time of the first version, or time of the import. */
    fetched_at: { type: Date, required },
    /** Whether the record is known from imports only. */
    imported: typed<true>(Boolean),
    /** Fetch time of the latest version. */
    latest_at: { type: Date, required },
    /** Number of changes of the record. */
    revision: { type: Number, required },
    edited: { type: Boolean, required },
    /** Oldest first, at most `VERSIONS_MAX`. */
    versions: { type: typed<SeenVersion[]>(Schema.Types.Mixed), required },
    forward: {
      type: typed<{ name: string | null; url: string | null } | null>(Schema.Types.Mixed),
      required,
    },
    /** Canonical URL of the post itself. */
    self: nullable,
    exact: nullable,
    bands: texts,
    keys: texts,
    sketch: { type: [Number], required, default: undefined },
    /** Canonical URLs of the post's links and of a forward's origin. */
    links: texts,
    /** SHA-256 of media (`s…`), and pieces of their perceptual hashes. */
    media: texts,
    phashes: texts,
    /** Case-folded, without `#`, at most `HASHTAGS_MAX`. */
    hashtags: texts,
    shared: { type: String, enum: SHARED_AS },
    /** Time at which the post was found removed. */
    taken_down_at: Date,
    /** URL on another site that the page names as its original. */
    names: String,
    /** Time of the record's deletion. The tombstone has no other field, and prevents a late write from restoring it. */
    removed_at: Date,
  },
  { minimize: false },
)
/** A record's traces by which other records are found. Its id is the record's. */
export type SightingDoc = DocOf<typeof sightingSchema>
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

/** State of the index as a whole. */
export const indexSchema = defineSchema('index', {
  /** Always `index`. */
  _id: { type: String, required },
  /**
   * Seed of the signatures: 32 bytes in base64. Secret, because it allows to craft texts with another text's postings.
   */
  seed: { type: String, required },
})
