import { createHash } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import { type FeedKind, highestTlp, type ImportFormat, LIMITS, rankOfTlp, tlpOfRank } from '@iodine/contracts'
import { nameOf, parseObject, type Span, UnreadableFile } from '@iodine/exchange'
import type { OpenedFile, PiecePosition } from '@iodine/exchange/intake'
import { HttpError } from '@iodine/service-kit'
import { Types, type UpdateQuery } from 'mongoose'
import {
  eventsOf,
  isCounted,
  openImport,
  partsOf,
  storeParts,
} from '../../imports/commands/receive-import.js'
import type { ForeignDoc } from '../../imports/models/foreign.js'
import { type ImportDoc, NO_COUNTS } from '../../imports/models/import.js'
import type { Store } from '../../models.js'
import { isOlder } from '../../versions.js'
import { endOfRun, type SubscriptionDoc, withSkipped } from '../models/subscription.js'
import { inRun, pullLost } from './claim-pull.js'

/** Keys per query. */
const KEYS = 2_000
/** Maximum marking definitions of a subscription. */
const MARKINGS_MAX = 1_000
const FORMATS = { taxii: 'stix', misp: 'misp' } as const satisfies Record<FeedKind, ImportFormat>
const EMPTY_FILE: OpenedFile = {
  bytes: new Uint8Array(),
  spans: [],
  skipped: [],
  markings: new Map(),
  tlp: null,
  techniques: [],
}

/** Returns the positions of the objects of a STIX file that the subscription lacks in this or a later version. */
const selectNew = async (
  { foreign }: Store,
  campaign_id: Types.ObjectId,
  import_id: Types.ObjectId | undefined,
  { bytes, spans }: OpenedFile,
): Promise<number[]> => {
  const objects: { key: string; version: string; sha256: string }[] = []
  let seen = 0
  for (const [n, [start, end]] of spans.entries()) {
    const raw = bytes.subarray(start, end)
    const sha256 = createHash('sha256').update(raw).digest('hex')
    objects.push({ ...nameOf(parseObject(new TextDecoder().decode(raw), n + 1)), sha256 })
    seen += raw.length
    if (seen > 250_000) {
      seen = 0
      await setImmediate()
    }
  }
  const known = new Map<string, { sha256: string; version: string }[]>()
  const keys = [...new Set(objects.map(({ key }) => key))].filter(Boolean)
  for (let at = 0; import_id && at < keys.length; at += KEYS) {
    const some = await foreign
      .find(
        { campaign_id, import_id, key: { $in: keys.slice(at, at + KEYS) } },
        { key: 1, version: 1, sha256: 1 },
      )
      .lean<Pick<ForeignDoc, 'key' | 'version' | 'sha256'>[]>()
    for (const { key, ...each } of some) known.set(key, [...(known.get(key) ?? []), each])
  }
  const given = new Set<string>()
  return objects.flatMap(({ key, version, sha256 }, n) => {
    if (given.has(sha256)) return []
    given.add(sha256)
    const has = known.get(key)?.some(each => each.sha256 === sha256 || isOlder(version, each.version))
    return has ? [] : [n]
  })
}

/** Shifts a place in a file by the number of objects that the subscription has imported before. */
const shifted = (place: PiecePosition | undefined, by: number): PiecePosition | undefined => {
  if (place?.format !== 'misp') return place
  const { event, object, joints } = place
  const mark = <M extends { piece: number }>(each: M): M => ({ ...each, piece: each.piece + by })
  return {
    ...place,
    event: event + by,
    object: object === null ? null : object + by,
    ...(joints && {
      joints: {
        lists: Object.fromEntries(Object.entries(joints.lists).map(([name, each]) => [name, mark(each)])),
        timestamp: joints.timestamp && mark(joints.timestamp),
        end: mark(joints.end),
      },
    }),
  }
}

/** Moves an import to the quota of the administrator who resumed its subscription. Throws 409 on a conflict. */
const changeOwner = async ({ imports, quotas }: Store, doc: ImportDoc, user_id: Types.ObjectId) => {
  const { _id, user_id: before, bytes } = doc
  await quotas.settle(async (session, take) => {
    await take(user_id, { import_bytes: bytes })
    await take(before, { import_bytes: -bytes })
    const { matchedCount } = await imports.updateOne(
      { _id, user_id: before },
      { $set: { user_id } },
      { session },
    )
    if (matchedCount === 0) throw pullLost()
  })
}

/** A staged run with its file. */
interface StagedRun {
  doc: SubscriptionDoc
  user_id: Types.ObjectId
  token: string
  file: OpenedFile
  /** Import of the earlier runs; null for the first one. */
  before: ImportDoc | null
  /** Positions of the objects that the campaign receives. */
  chosen: number[]
}

const openPull = (format: ImportFormat, bytes: Uint8Array): Promise<OpenedFile> | OpenedFile =>
  bytes.length === 0
    ? EMPTY_FILE
    : openImport(format, bytes).catch(error => {
        throw error instanceof UnreadableFile ? new HttpError(422, [error.message]) : error
      })

/** Stores the chosen objects of a run in parts. Returns the fields of the import that plans them, and their bytes. */
const storeRun = async (
  { importParts }: Store,
  batch: Types.ObjectId,
  { file, before, chosen }: StagedRun,
) => {
  const { places } = file
  const first = before?.next_order ?? 0
  const spans = chosen.map(n => file.spans[n] as Span)
  const parts = partsOf(spans)
  const moved = places && { places: places.map(place => shifted(place, first)) }
  await storeParts(importParts, batch, { bytes: file.bytes, ...moved }, parts, first)
  // Objects may refer to markings of earlier runs. Of two definitions the strictest counts.
  const markings = new Map(before?.markings.map(each => [each.id, tlpOfRank(each.tlp)]))
  for (const [key, level] of file.markings)
    if (markings.size < MARKINGS_MAX || markings.has(key))
      markings.set(key, highestTlp([markings.get(key), level]))
  const fresh = {
    state: 'planning' as const,
    problem: null,
    batch,
    parts: parts.length,
    cursor: 0,
    objects: places ? places.filter(isCounted).length : chosen.length,
    ...NO_COUNTS,
    next_order: first + chosen.length,
    markings: [...markings].map(([key, level]) => ({ id: key, tlp: level && rankOfTlp(level) })),
    techniques: file.techniques.slice(0, LIMITS.techniquesMax),
    ...(places && { new_events: eventsOf(file).map(n => n + first) }),
    expires_at: null,
  }
  return { fresh, size: spans.reduce((sum, [start, end]) => sum + end - start, 0) }
}

/** Begins the import of a run's objects, or continues that of the earlier runs, in place of the run. */
const beginImport = async (
  store: Store,
  { doc, user_id, token, file, before }: StagedRun,
  { fresh, size }: Awaited<ReturnType<typeof storeRun>>,
): Promise<void> => {
  const { subscriptions, imports, quotas, work } = store
  const _id = before?._id ?? new Types.ObjectId()
  if (before && !before.user_id?.equals(user_id)) await changeOwner(store, before, user_id)
  await quotas.change(user_id, { import_bytes: size }, async session => {
    const skipped = withSkipped(doc.skipped, file.skipped)
    const started = await subscriptions.updateOne(
      inRun(doc._id.toHexString(), token),
      { $set: { state: 'importing', lease: null, import_id: _id, pending: null, skipped } },
      { session },
    )
    if (started.matchedCount === 0) throw pullLost()
    if (before) {
      const { matchedCount } = await imports.updateOne(
        { _id, state: 'done' },
        { $set: fresh, $unset: { invalid: 1, unnamed: 1 }, $inc: { bytes: size } },
        { session },
      )
      if (matchedCount === 0) throw pullLost()
    } else {
      const made: ImportDoc = {
        _id,
        campaign_id: doc.campaign_id,
        subscription_id: doc._id,
        user_id,
        format: FORMATS[doc.kind],
        // The import contains several files.
        sha256: '',
        makes_iods: true,
        kept: null,
        tlp: null,
        file_tlp: null,
        created_at: new Date(),
        bytes: size,
        ...(file.places && { events: [] }),
        ...fresh,
      }
      await imports.create([made], { session })
    }
    await work.imports.add({ id: _id.toHexString() }, { session })
  })
}

/**
 * Stores the file of a staged run, and enqueues the import of its new objects. The subscription's cursor moves when the
 * import is completed. A run without new or withdrawn objects ends at once.
 * @returns the number of new objects, at least 1 if an import was enqueued
 * @throws HttpError 409 once the run is over or another worker's, 413 past the quota of the subscription's user, 422
 *   for an unreadable file
 */
export const storePull = async (
  store: Store,
  id: string,
  token: string,
  bytes: Uint8Array,
): Promise<number> => {
  const { subscriptions, imports, importParts } = store
  const doc = await subscriptions
    .findOne(inRun(id, token))
    .select('+next_cursor +withdrawn +skipped')
    .lean<SubscriptionDoc>()
  if (!doc || doc.next_cursor === null || !doc.user_id) throw pullLost()
  const change = async ($set: UpdateQuery<SubscriptionDoc>['$set']) => {
    const { matchedCount } = await subscriptions.updateOne(inRun(id, token), { $set })
    if (matchedCount === 0) throw pullLost()
  }
  const file = await openPull(FORMATS[doc.kind], bytes)
  const before = doc.import_id
    ? await imports
        .findOne({ _id: doc.import_id, state: 'done' })
        .select(['+markings', '+events'])
        .lean<ImportDoc>()
    : null
  // An event is stored as a whole: all events that the feed names as changed are taken.
  const chosen = file.places?.map((_, n) => n) ?? (await selectNew(store, doc.campaign_id, before?._id, file))
  const isWithdrawn = before !== null && doc.withdrawn.length > 0
  if (chosen.length === 0 && !isWithdrawn) {
    const skipped = withSkipped(doc.skipped, file.skipped)
    await change({ ...endOfRun({ ...doc, skipped }, {}), cursor: doc.next_cursor })
    return 0
  }
  // The previous run removes its own parts, unless a crash delays it.
  if (before?.batch) await importParts.deleteMany({ import_id: before.batch })
  const batch = new Types.ObjectId()
  // Recorded before the parts are stored, so that the next run removes those that a crash leaves.
  await change({ pending: batch })
  const run = { doc, user_id: doc.user_id, token, file, before, chosen }
  try {
    const stored = await storeRun(store, batch, run)
    await beginImport(store, run, stored)
    return Math.max(stored.fresh.objects, 1)
  } catch (error) {
    // Any other error may hide a commit. The next run removes the parts if `pending` still names them.
    if (error instanceof HttpError) await importParts.deleteMany({ import_id: batch }).catch(() => {})
    throw error
  }
}
