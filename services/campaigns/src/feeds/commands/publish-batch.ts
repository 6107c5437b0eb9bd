import { isRevocable, revokedVersion, type StixObject } from '@iodine/exchange'
import { HttpError } from '@iodine/service-kit'
import { type ClientSession, Types } from 'mongoose'
import { bytesOf } from '../../bytes.js'
import type { Store } from '../../models.js'
import type { PublicationDoc, PublishedDoc } from '../models/publication.js'
import { type Publishable, sha256Of } from '../queries/publishable.js'

/** A published row for comparison, without its bytes. */
export type Row = Omit<PublishedDoc, 'raw' | 'campaign_id' | 'spec'>
/** Projection of `Row`. */
export const ROW = {
  stix_id: 1,
  type: 1,
  version: 1,
  bytes: 1,
  sha256: 1,
  source: 1,
  tlp: 1,
  added: 1,
  last: 1,
  first: 1,
  revocable: 1,
  revoked: 1,
  twin: 1,
} as const

/** Changes of one batch to a campaign's feed. */
export interface Batch {
  /** Objects to publish. */
  put: readonly Publishable[]
  /** Rows that newer rows replace, or that have expired. */
  replaced: readonly Row[]
  /** Rows to withdraw: a revoked version replaces revocable ones, the others are deleted. */
  withdrawn: readonly Row[]
}

/** Error: another step has taken over the publication, or its creator has changed it. */
export class Superseded extends Error {}

const MIN_INTERVAL_MS = 1

/** Creates the clock document unless it exists, outside transactions. */
export const startClock = async ({ clock }: Pick<Store, 'clock'>): Promise<void> => {
  await clock.updateOne({ _id: 'added' }, { $setOnInsert: { at: new Date(0) } }, { upsert: true })
}

/**
 * Returns the time of this transaction's batch: the database's time, but at least a millisecond after the previous
 * batch. All batches of the deployment write the same document, so they commit in the order of their times: a client
 * that has read up to a time has missed no earlier batch.
 */
const nextTime = async (clock: Store['clock'], session: ClientSession): Promise<Date> => {
  const doc = await clock
    .findOneAndUpdate(
      { _id: 'added' },
      [{ $set: { at: { $max: ['$$NOW', { $add: ['$at', MIN_INTERVAL_MS] }] } } }],
      { session, returnDocument: 'after', updatePipeline: true },
    )
    .lean<{ at: Date }>()
  if (!doc) throw new Error('The clock document of the feeds is missing')
  return doc.at
}

/** Returns the STIX version that an object states. Objects of other tools may state any value. */
const specOf = (object: unknown): string => {
  const given = (object as { spec_version?: unknown } | null)?.spec_version
  return typeof given === 'string' || typeof given === 'number' ? String(given) : '2.0'
}

/** Returns a version after another one: the current time, or 1 ms after the other version. */
const versionAfter = (than: string, now: Date): string =>
  new Date(Math.max(now.getTime(), (Date.parse(than) || 0) + 1)).toISOString()

/** Builds the rows of objects to publish, with their bytes. */
const rowsOf = async (
  { foreign, published }: Store,
  campaign_id: Types.ObjectId,
  put: readonly Publishable[],
  added: Date,
  session: ClientSession,
): Promise<PublishedDoc[]> => {
  const kept = put.flatMap(({ of }) => (of instanceof Types.ObjectId ? [of] : []))
  const raws = new Map(
    (
      await foreign
        .find({ _id: { $in: kept } }, { raw: 1 })
        .session(session)
        .lean<{ _id: Types.ObjectId; raw: Buffer }[]>()
    ).map(({ _id, raw }) => [String(_id), bytesOf(raw)]),
  )
  const ids = put.map(({ stix_id }) => stix_id)
  // Versions that pullers may have: those of this feed, and those that revoked the object in any feed.
  const before = await published
    .find({ stix_id: { $in: ids }, $or: [{ campaign_id }, { revoked: true }] }, { stix_id: 1, version: 1 })
    .session(session)
    .lean<Pick<PublishedDoc, 'stix_id' | 'version'>[]>()
  const floors = new Map<string, string>()
  for (const { stix_id, version } of before)
    if ((floors.get(stix_id) ?? '') < version) floors.set(stix_id, version)
  return put.flatMap(({ of, ...each }) => {
    let { version } = each
    let raw: Buffer
    let object: unknown
    if (of instanceof Types.ObjectId) {
      const bytes = raws.get(String(of))
      // Its import was removed meanwhile: the next step omits it.
      if (!bytes) return []
      raw = bytes
      object = JSON.parse(raw.toString())
    } else {
      object = of
      const floor = floors.get(each.stix_id) ?? ''
      // Our object differs from a published version, so it needs a later version.
      if (isRevocable(of) && floor >= version) {
        version = versionAfter(floor, added)
        object = { ...of, modified: version }
      }
      raw = Buffer.from(JSON.stringify(object))
    }
    const row: PublishedDoc = {
      _id: new Types.ObjectId(),
      campaign_id,
      ...each,
      version,
      spec: specOf(object),
      raw,
      bytes: raw.length,
      sha256: sha256Of(raw),
      added,
      revoked: false,
      twin: false,
    }
    return [row]
  })
}

/** Builds the revoked versions of withdrawn rows, except of objects that another campaign publishes. */
const revocationsOf = async (
  { published }: Store,
  campaign_id: Types.ObjectId,
  withdrawn: readonly Row[],
  added: Date,
  session: ClientSession,
): Promise<PublishedDoc[]> => {
  const own = withdrawn.filter(({ revocable, revoked, last }) => revocable && !revoked && last)
  if (own.length === 0) return []
  const elsewhere = await published
    .find(
      {
        stix_id: { $in: own.map(({ stix_id }) => stix_id) },
        campaign_id: { $ne: campaign_id },
        revoked: false,
      },
      { stix_id: 1 },
    )
    .session(session)
    .lean<Pick<PublishedDoc, 'stix_id'>[]>()
  const lives = new Set(elsewhere.map(({ stix_id }) => stix_id))
  const gone = own.filter(({ stix_id }) => !lives.has(stix_id))
  const docs = await published
    .find({ _id: { $in: gone.map(({ _id }) => _id) } })
    .session(session)
    .lean<PublishedDoc[]>()
  return docs.map(doc => {
    const version = versionAfter(doc.version, added)
    const object = revokedVersion(JSON.parse(bytesOf(doc.raw).toString()) as StixObject, version)
    const raw = Buffer.from(JSON.stringify(object))
    return {
      ...doc,
      _id: new Types.ObjectId(),
      version,
      raw,
      bytes: raw.length,
      sha256: sha256Of(raw),
      source: '',
      added,
      revoked: true,
      first: true,
      twin: false,
    }
  })
}

/** Marks rows whose bytes another campaign publishes at the same level or below. */
const markDuplicates = async (
  { published }: Store,
  rows: PublishedDoc[],
  session: ClientSession,
): Promise<void> => {
  const shown = await published
    .find(
      { stix_id: { $in: rows.map(({ stix_id }) => stix_id) }, twin: false },
      { stix_id: 1, sha256: 1, tlp: 1 },
    )
    .session(session)
    .lean<Pick<PublishedDoc, 'stix_id' | 'sha256' | 'tlp'>[]>()
  const lowest = new Map<string, number>()
  for (const { stix_id, sha256, tlp } of shown) {
    const key = `${stix_id} ${sha256}`
    lowest.set(key, Math.min(lowest.get(key) ?? tlp, tlp))
  }
  for (const row of rows)
    row.twin = (lowest.get(`${row.stix_id} ${row.sha256}`) ?? Number.POSITIVE_INFINITY) <= row.tlp
}

/** Unmarks duplicates of removed rows, so that the collection of all campaigns contains one of each. */
const unmarkDuplicates = async (
  { published }: Store,
  gone: readonly Row[],
  session: ClientSession,
): Promise<void> => {
  const ids = [...new Set(gone.filter(({ twin }) => !twin).map(({ stix_id }) => stix_id))]
  if (ids.length === 0) return
  const left = await published
    .find({ stix_id: { $in: ids } }, { stix_id: 1, sha256: 1, tlp: 1, twin: 1 })
    .sort({ twin: 1, tlp: 1, added: 1 })
    .session(session)
    .lean<Pick<PublishedDoc, '_id' | 'stix_id' | 'sha256' | 'tlp' | 'twin'>[]>()
  const lowest = new Map<string, number>()
  const show: Types.ObjectId[] = []
  for (const { _id, stix_id, sha256, tlp, twin } of left) {
    const key = `${stix_id} ${sha256}`
    if (!twin) lowest.set(key, Math.min(lowest.get(key) ?? tlp, tlp))
    else if ((lowest.get(key) ?? Number.POSITIVE_INFINITY) > tlp) {
      lowest.set(key, tlp)
      show.push(_id)
    }
  }
  if (show.length > 0)
    await published.updateMany({ _id: { $in: show } }, { $set: { twin: false } }, { session })
}

const sum = (rows: readonly { bytes: number }[]) => rows.reduce((total, { bytes }) => total + bytes, 0)
const countRevoked = (rows: readonly { revoked: boolean }[]) => rows.filter(({ revoked }) => revoked).length

/**
 * Writes one batch in one transaction: readers see all of it or nothing.
 * @throws Superseded if another step has taken over or the campaign is to be withdrawn, 413 past the user's quota
 */
export const publishBatch = async (
  store: Store,
  { _id: campaign_id, run, wanted, user_id }: Pick<PublicationDoc, '_id' | 'run' | 'wanted' | 'user_id'>,
  { put, replaced, withdrawn }: Batch,
): Promise<void> => {
  const { clock, publications, published, quotas } = store
  const gone = [...replaced, ...withdrawn]
  await quotas.settle(async (session, take) => {
    const added = await nextTime(clock, session)
    const rows = [
      ...(await rowsOf(store, campaign_id, put, added, session)),
      ...(await revocationsOf(store, campaign_id, withdrawn, added, session)),
    ]
    if (gone.length > 0) await published.deleteMany({ _id: { $in: gone.map(({ _id }) => _id) } }, { session })
    await markDuplicates(store, rows, session)
    // The driver inserts: the documents are complete, and Mongoose would cast each.
    if (rows.length > 0) await published.collection.insertMany(rows, { session })
    await unmarkDuplicates(store, gone, session)
    const bytes = sum(rows) - sum(gone)
    const counted = await publications.updateOne(
      { _id: campaign_id, run, wanted, user_id },
      { $inc: { rows: rows.length - gone.length, revoked: countRevoked(rows) - countRevoked(gone), bytes } },
      { session },
    )
    // The exception rolls the batch back.
    if (counted.matchedCount === 0) throw new Superseded()
    await take(user_id, { published_bytes: bytes })
  })
}

/** Returns whether the error is of a full quota. */
export const isQuotaError = (error: unknown): error is HttpError =>
  error instanceof HttpError && error.status === 413
