import { SHARED_AS, type SharedAs, SOURCES, type Source } from '@iodine/contracts'
import { Schema, type Types } from 'mongoose'

/** A text of a post that was seen. */
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
  /** Source and hash of the natural key: the same for everybody who collects the post. */
  post_key: string
  account: string | null
  url: string | null
  posted_at: Date | null
  /** Whether `at` is `posted_at`, or a change, as the page claims it; else `at` is when the text was fetched. */
  posted_claimed: boolean
  /** Since when the text is known to be there: what searches are ordered by. */
  at: Date
  /** Of the first and of the latest version. */
  fetched_at: Date
  latest_at: Date
  edited: boolean
  /** Oldest first, at most `VERSIONS_MAX`. */
  versions: SeenVersion[]
  forward: { name: string | null; url: string | null } | null
  /** Canonical address of the post itself. */
  self: string | null
  exact: string | null
  bands: string[]
  keys: string[]
  sketch: number[]
  /** Canonical addresses, of a forward's origin too. */
  links: string[]
  /** SHA-256 of media (`s…`), and the pieces of their looks. */
  media: string[]
  phashes: string[]
  /** Folded, without their signs, at most `HASHTAGS_MAX`. */
  hashtags: string[]
  shared?: SharedAs
  /** When the post was seen removed. */
  taken_down_at?: Date
  /** Address of another site that the page names as its original. */
  names?: string
  /** Set once the record was deleted, and nothing else then, so that no late write brings it back. */
  removed_at?: Date
}

/** The first, and the latest ones. */
export const VERSIONS_MAX = 20
export const HASHTAGS_MAX = 50
/** Longer than any call takes that might bring a removed record back. */
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
/** What a search looks up, each beginning an index. */
export const LOOKED_UP = ['exact', 'post_key', 'self', 'bands', 'keys', 'links', 'media'] as const
export type LookedUp = (typeof LOOKED_UP)[number]

for (const field of LOOKED_UP) {
  sightingSchema.index({ [field]: 1, owner: 1, at: 1 })
  // What others share is looked up without theirs that they do not share: no answer depends on those.
  sightingSchema.index(
    { [field]: 1, at: 1 },
    { name: `shared_${field}`, partialFilterExpression: { shared: { $exists: true } } },
  )
}
sightingSchema.index({ owner: 1, at: 1 })
sightingSchema.index({ shared: 1, posted_at: 1 }, { partialFilterExpression: { shared: { $exists: true } } })
sightingSchema.index({ removed_at: 1 }, { expireAfterSeconds: REMOVED_SECONDS })

/** State of the index as a whole. */
export interface IndexDoc {
  _id: 'index'
  /** Of the signatures, 32 bytes in base64. It is secret: with it, texts could be made that share the postings of another. */
  seed: string
}
export const indexSchema = new Schema<IndexDoc>(
  {
    _id: { type: String, required },
    seed: { type: String, required },
  } as never,
  { collection: 'index', versionKey: false },
)
