import {
  type BodyOf,
  canonicalLink,
  foldValue,
  HASHTAG_SIGNS,
  type SightingRecord,
  type sightingsInternal,
} from '@iodine/contracts'
import { isDuplicateKey, unavailable } from '@iodine/service-kit'
import { type AnyBulkWriteOperation, Types } from 'mongoose'
import type { SightingModels } from '../../models.js'
import { HASHTAGS_MAX, type SightingDoc } from '../models/sighting.js'
import { hashKey, isBlank, phashKeys } from '../policies/media-keys.js'
import { type Sign, signText } from '../policies/signatures.js'
import { type Timing, timingOf } from '../policies/timing.js'

/** Perceptual hashes per post that are indexed. Further pictures are found by SHA-256 only. */
const PHASHES_MAX = 32

const dateOf = (value: string | null) => (value === null ? null : new Date(value))
const unique = (values: (string | null)[]): string[] => [...new Set(values.filter(value => value !== null))]

/** Includes the zero-width joiners, which hashtags in some scripts contain. */
const HASHTAG = new RegExp(`[${HASHTAG_SIGNS}]([\\p{L}\\p{N}\\p{M}_\\u200c\\u200d]{1,100})`, 'gu')
const hashtagsIn = (text: string): string[] =>
  unique(
    [...text.matchAll(HASHTAG)].map(([, name = '']) => foldValue(name)).filter(name => name !== ''),
  ).slice(0, HASHTAGS_MAX)

/** Returns whether the stored document is newer than a delivered record. An import never replaces what was collected. */
const isOutdated = (record: SightingRecord, before: SightingDoc): boolean => {
  if (before.removed_at) return true
  // After the undo of an import, a newer revision has an earlier time.
  if (before.revision !== record.revision) return before.revision > record.revision
  if (before.imported !== (record.imported_at && true)) return !before.imported
  return before.latest_at > new Date(record.fetched_at)
}

/** Returns the times of a record. Those of an import are claims: it was seen when it was imported. */
const timesOf = (record: SightingRecord, before: SightingDoc | undefined, text_hash: string): Timing => {
  const fetched_at = new Date(record.fetched_at)
  const collected = {
    text_hash,
    posted_at: dateOf(record.posted_at),
    claimed_at: dateOf(record.claimed_at),
    fetched_at,
    edited: record.edited,
  }
  return record.imported_at
    ? {
        ...timingOf({ ...collected, fetched_at: new Date(record.imported_at) }, undefined),
        latest_at: fetched_at,
      }
    : timingOf(collected, before?.imported ? undefined : before)
}

/** Returns the indexed document of a record. @param before the stored document */
const sightingOf = (
  sign: Sign,
  owner: Types.ObjectId,
  record: SightingRecord,
  before: SightingDoc | undefined,
): SightingDoc => {
  const { exact, bands, keys, sketch } = signText(sign, record.text)
  const phashes = unique(record.media.map(({ phash }) => phash))
    .filter(phash => !isBlank(phash))
    .slice(0, PHASHES_MAX)
  const hashes = unique(record.media.map(({ sha256 }) => sha256))
  return {
    _id: new Types.ObjectId(record.id),
    owner,
    source: record.source,
    post_key: `${record.source} ${record.key}`,
    account: record.account,
    url: record.url,
    ...timesOf(record, before, exact ?? ''),
    ...(record.imported_at && { imported: true as const }),
    revision: record.revision,
    forward: record.forwarded_from,
    self: canonicalLink(record.url),
    exact,
    bands,
    keys,
    sketch,
    links: unique([...record.links, record.forwarded_from?.url ?? null].map(canonicalLink)),
    media: [...hashes.map(hashKey), ...new Set(phashes.flatMap(phashKeys))],
    phashes,
    hashtags: hashtagsIn(record.text),
    ...(record.shared && { shared: record.shared }),
    ...(record.removed_at && { taken_down_at: new Date(record.removed_at) }),
    ...(record.names && { names: record.names }),
  }
}

/**
 * Indexes the latest version of a user's records, and removes deleted ones. A removed record leaves a tombstone for an
 * hour, so that no late call restores it. Idempotent.
 * @throws HttpError 503 if a concurrent call changed the same records
 */
export const putSightings = async (
  { edges, sightings }: SightingModels,
  sign: Sign,
  { user_id, records, removed }: BodyOf<typeof sightingsInternal.putSightings>,
): Promise<void> => {
  const owner = new Types.ObjectId(user_id)
  for (const id of removed) {
    const _id = new Types.ObjectId(id)
    await sightings.replaceOne({ _id }, { removed_at: new Date() } as never, { upsert: true })
    await edges.deleteMany({ foreign: _id })
  }
  if (records.length === 0) return
  const stored = await sightings
    .find({ _id: { $in: records.map(({ id }) => new Types.ObjectId(id)) } })
    .lean()
  const known = new Map(stored.map(doc => [doc._id.toHexString(), doc]))
  const operations: AnyBulkWriteOperation<SightingDoc>[] = []
  for (const record of records) {
    const before = known.get(record.id.toLowerCase())
    if (before && isOutdated(record, before)) continue
    const doc = sightingOf(sign, owner, record, before)
    if (before?.shared && !record.shared) await edges.deleteMany({ foreign: doc._id })
    operations.push(
      before
        ? { replaceOne: { filter: { _id: doc._id, latest_at: before.latest_at }, replacement: doc } }
        : { insertOne: { document: doc } },
    )
    // Yields to the event loop: a signature takes up to some milliseconds.
    await new Promise(setImmediate)
  }
  if (operations.length === 0) return
  try {
    // The driver writes: Mongoose would cast each operation.
    const done = await sightings.collection.bulkWrite(operations as never, { ordered: false })
    if (done.insertedCount + done.matchedCount < operations.length) throw unavailable()
  } catch (error) {
    throw isDuplicateKey(error) ? unavailable(undefined, error) : error
  }
  // Removes the edges of other users' runs that refer to unshared records.
  const unshared = records.filter(({ shared }) => !shared).map(({ id }) => new Types.ObjectId(id))
  if (unshared.length > 0) await edges.deleteMany({ foreign: { $in: unshared } })
}
