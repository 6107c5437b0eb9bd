import { createHash } from 'node:crypto'
import {
  commentsInternal,
  evidenceInternal,
  highestTlp,
  type ImportedComment,
  type ImportedQuote,
  iodsInternal,
  LIMITS,
  type NewIod,
  rankOfTlp,
  tlpOfRank,
} from '@iodine/contracts'
import { isTechnique } from '@iodine/exchange/disarm'
import { isStoredFormat } from '@iodine/exchange/intake'
import { HttpError, isDuplicateKey, type StoreService } from '@iodine/service-kit'
import { type QueryFilter, Types } from 'mongoose'
import { batchesOf } from '../../batches.js'
import { changeCampaign } from '../../campaigns/commands/change-campaign.js'
import { addIods } from '../../campaigns/commands/change-members.js'
import type { CampaignDoc } from '../../campaigns/models/campaign.js'
import type { Store } from '../../models.js'
import { addTechniques } from '../../techniques/commands/change-techniques.js'
import type { ForeignDoc } from '../models/foreign.js'
import { actorOf, type ImportDoc, type ImportPartDoc } from '../models/import.js'
import { type ImportedObject, objectsOf } from '../queries/import-objects.js'
import { keptBy } from '../queries/kept-objects.js'
import { finishPull, keepLatestVersions, recordBrought, stopImport } from './finish-pull.js'
import { isCounted } from './receive-import.js'

/** Timeout of a request with a batch of IODs. */
const BATCH_MS = 20_000
/** Delay of a step whose import is being removed. */
const GONE_MS = 1_000

export interface ImportContext extends Pick<StoreService, 'peers' | 'log'> {
  store: Store
  /** Maximum IODs of a campaign, unless its creator has a limit of their own. */
  memberMax: number
}

/** An object that stands for an IOD. */
interface IodObject extends ImportedObject {
  known: ImportedObject['known'] & { iod: NewIod }
}
const isIodObject = (object: ImportedObject): object is IodObject => object.known.iod !== undefined

/** Splits objects that stand for IODs into batches, one for each request. */
const requestsOf = (objects: readonly IodObject[]) =>
  batchesOf(
    objects,
    { items: LIMITS.upsertIodsMax, size: LIMITS.upsertChars },
    ({ known: { iod } }) => iod.value.length + (iod.description?.length ?? 0),
  )

type Invalid = NonNullable<ImportDoc['invalid']>[number]

/** Maximum characters of a rejected entry's value in a plan. */
const INVALID_CHARS = 200

/** Returns a plan's entries for the objects of a part that cannot become an IOD. */
const invalidOf = (objects: readonly ImportedObject[]): Invalid[] =>
  objects.flatMap(({ order, known: { reason, place = `Object ${order + 1}`, value = '' } }) =>
    reason === undefined ? [] : { place, value: value.slice(0, INVALID_CHARS), reason },
  )

/** Update of an import's counts by a part. */
interface Counts {
  $inc?: Record<string, number>
  $max?: { tlp: number }
  $addToSet?: { named: { $each: string[] }; unnamed: { $each: string[] } }
  $push?: { invalid: { $each: Invalid[]; $slice: number } }
}

/** Returns the ids of the techniques that objects name, without duplicates. */
const techniquesOf = (objects: readonly ImportedObject[]): string[] => [
  ...new Set(objects.flatMap(({ known }) => known.techniques)),
]

type Upserted = Record<'added' | 'known' | 'left_out', number>

/** Sends entries in batches that fit into a request. Resolves to the sums of the answers, as counts below a field. */
const upsertBatches = async <T>(
  field: 'evidence' | 'discussion',
  entries: readonly T[],
  sizeOf: (entry: T) => number,
  upsert: (batch: T[]) => Promise<Upserted>,
): Promise<Counts> => {
  const sums = { added: 0, known: 0, left_out: 0 }
  const limits = { items: LIMITS.upsertIodsMax, size: LIMITS.upsertChars }
  for (const batch of batchesOf(entries, limits, sizeOf)) {
    const counts = await upsert(batch)
    for (const name of ['added', 'known', 'left_out'] as const) sums[name] += counts[name]
  }
  return { $inc: Object.fromEntries(Object.entries(sums).map(([name, n]) => [`${field}.${name}`, n])) }
}

/** Adds the quotes of a part's entries to their IODs. Idempotent. Resolves to the counts of the quotes. */
const importEvidence = (
  peers: ImportContext['peers'],
  user_id: string,
  objects: readonly IodObject[],
  ids: ReadonlyMap<number, string>,
): Promise<Counts> => {
  const quoted = objects.flatMap(({ order, known: { evidence } }) => {
    const id = ids.get(order)
    return id && evidence?.quotes.length ? [{ id, quotes: evidence.quotes }] : []
  })
  const sizeOf = ({ quotes }: { quotes: ImportedQuote[] }) =>
    quotes.reduce(
      (sum, { exact, prefix, suffix }) => sum + exact.length + prefix.length + suffix.length + 500,
      0,
    )
  return upsertBatches('evidence', quoted, sizeOf, iods =>
    peers.call('iods', evidenceInternal.upsertEvidence, { body: { user_id, iods }, ms: BATCH_MS }),
  )
}

/** Adds the comments of a part's entries to their IODs. Idempotent. Resolves to the counts of the comments. */
const importComments = (
  peers: ImportContext['peers'],
  user_id: string,
  objects: readonly IodObject[],
  ids: ReadonlyMap<number, string>,
): Promise<Counts> => {
  const commented = objects.flatMap(({ order, known: { comments } }) => {
    const id = ids.get(order)
    return id && comments?.comments.length ? [{ id, comments: comments.comments }] : []
  })
  const sizeOf = ({ comments }: { comments: ImportedComment[] }) =>
    comments.reduce((sum, { content, author }) => sum + content.length + author.length + 200, 0)
  return upsertBatches('discussion', commented, sizeOf, iods =>
    peers.call('iods', commentsInternal.upsertComments, { body: { user_id, iods }, ms: BATCH_MS }),
  )
}

/** Counts the IODs, techniques, quotes and comments that a part would import. */
const planPart = async (
  { peers, store }: ImportContext,
  { campaign_id, file_tlp, unnamed = [] }: Pick<ImportDoc, 'campaign_id' | 'file_tlp' | 'unnamed'>,
  objects: readonly ImportedObject[],
): Promise<Counts> => {
  const iodObjects = objects.filter(isIodObject)
  let known_iods = 0
  let member_iods = 0
  const campaign = await store.campaigns.findById(campaign_id, { iod_ids: 1 }).lean<CampaignDoc>()
  const members = new Set(campaign?.iod_ids?.map(member => member.toHexString()))
  for (const batch of requestsOf(iodObjects)) {
    const body = { iods: batch.map(({ known: { iod } }) => ({ category: iod.category, value: iod.value })) }
    const ids = await peers.call('iods', iodsInternal.findIods, { body, ms: BATCH_MS })
    known_iods += ids.filter(id => id !== null).length
    member_iods += ids.filter(id => id !== null && members.has(id)).length
  }
  const tlp = highestTlp([tlpOfRank(file_tlp), ...objects.map(({ known }) => known.tlp)])
  const all = techniquesOf(objects)
  const named = all.filter(isTechnique)
  const unknown = all
    .filter(each => !isTechnique(each) && !unnamed.includes(each))
    .slice(0, LIMITS.unknownTechniques - unnamed.length)
  const invalid = invalidOf(objects)
  let quotes = 0
  let refused_quotes = 0
  let comments = 0
  let refused_comments = 0
  for (const { known } of iodObjects) {
    quotes += known.evidence?.quotes.length ?? 0
    refused_quotes += known.evidence?.refused ?? 0
    comments += known.comments?.comments.length ?? 0
    refused_comments += known.comments?.refused ?? 0
  }
  return {
    $inc: {
      iods: iodObjects.length,
      known_iods,
      member_iods,
      refused: invalid.length,
      quotes,
      refused_quotes,
      comments,
      refused_comments,
    },
    ...(invalid.length > 0 && { $push: { invalid: { $each: invalid, $slice: LIMITS.invalidListed } } }),
    ...(tlp && { $max: { tlp: rankOfTlp(tlp) } }),
    ...(all.length > 0 && { $addToSet: { named: { $each: named }, unnamed: { $each: unknown } } }),
  }
}

/**
 * Upserts the IODs of a part's objects, adds them to the campaign, and stores the objects. Idempotent. Resolves to the
 * counts of evidence and comments.
 */
const applyPart = async (
  { store, peers, memberMax }: ImportContext,
  doc: ImportDoc,
  objects: readonly ImportedObject[],
): Promise<Counts> => {
  const { foreign } = store
  const { _id: import_id, campaign_id, subscription_id, format, user_id, makes_iods } = doc
  const { cursor, techniques = [] } = doc
  const ids = new Map<number, string>()
  let counts: Counts = {}
  if (makes_iods && user_id) {
    const userId = user_id.toHexString()
    const iodObjects = objects.filter(isIodObject)
    for (const batch of requestsOf(iodObjects)) {
      const iods = batch.map(({ known: { iod, tlp } }) => ({ iod, tlp }))
      const body = { user_id: userId, import_id: import_id.toHexString(), iods }
      const found = await peers.call('iods', iodsInternal.upsertIods, { body, ms: BATCH_MS })
      for (const [n, { order }] of batch.entries()) ids.set(order, found[n]?.id ?? '')
    }
    const members = [...new Set(ids.values())]
    const campaign = campaign_id.toHexString()
    if (subscription_id)
      await recordBrought(
        store,
        doc,
        members.map(member => new Types.ObjectId(member)),
      )
    for (let at = 0; at < members.length; at += LIMITS.addedIodsMax) {
      const some = members.slice(at, at + LIMITS.addedIodsMax)
      await addIods(store, peers, actorOf(doc), campaign, some, memberMax)
    }
    const named = [...(cursor === 0 ? techniques : []), ...techniquesOf(objects)]
    await addTechniques(store, userId, campaign, named)
    const evidence = await importEvidence(peers, userId, iodObjects, ids)
    const discussion = await importComments(peers, userId, iodObjects, ids)
    counts = { $inc: { ...evidence.$inc, ...discussion.$inc } }
  }
  if (!isStoredFormat(format)) return counts
  const kept = objects.filter(({ place }) => !place?.isPacked)
  const docs = kept.map(({ raw, order, place, known }): ForeignDoc => {
    const iod = ids.get(order)
    const sha256 = createHash('sha256').update(raw).digest('hex')
    const isInEvent = place?.format === 'misp'
    return {
      _id: new Types.ObjectId(),
      campaign_id,
      import_id,
      format: place?.format ?? format,
      // An attribute without an id also needs a key, by which exports omit it.
      key: known.key || (isInEvent && iod ? sha256 : ''),
      version: known.version,
      type: known.type,
      raw,
      bytes: raw.length,
      sha256,
      tlp: known.tlp && rankOfTlp(known.tlp),
      ...(known.refs.length > 0 && { refs: known.refs }),
      iod_id: iod === undefined ? null : new Types.ObjectId(iod),
      order,
      ...(isInEvent && { place }),
    }
  })
  if (docs.length === 0) return counts
  // The driver inserts: the documents are complete, and Mongoose would cast each.
  // The unique index rejects objects that an earlier run of this part has stored.
  await foreign.collection.insertMany(docs, { ordered: false }).catch((error: unknown) => {
    if (!isDuplicateKey(error)) throw error
  })
  if (subscription_id && format === 'stix')
    await keepLatestVersions(
      store,
      doc,
      objects.map(({ known }) => known.key),
    )
  return counts
}

/** Returns whether an import neither keeps objects nor sets a level: it expires once it is done or has stopped. */
const leavesNothing = ({ format, tlp }: ImportDoc): boolean => !isStoredFormat(format) && tlp === null

/**
 * Completes an import. The bytes of a file in our own format no longer count, and without a level its import expires.
 */
const endImport = async (store: Store, doc: ImportDoc, at: QueryFilter<ImportDoc>): Promise<void> => {
  const { foreign, imports, quotas } = store
  const isKept = isStoredFormat(doc.format)
  const expires_at = leavesNothing(doc) ? new Date(Date.now() + LIMITS.importPlanMs) : null
  const kept = await keptBy(foreign, doc)
  const change = { $set: { state: 'done', kept, expires_at, ...(!isKept && { bytes: 0 }) } } as const
  await quotas.settle(async (session, take) => {
    const before = await imports.findOneAndUpdate(at, change, { session }).lean<ImportDoc>()
    if (!before) return
    if (!isKept) await take(before.user_id, { import_bytes: -before.bytes })
    await changeCampaign(store, actorOf(doc), { _id: doc.campaign_id }, {}, session)
  })
}

/**
 * Plans or applies the next part of an import. Each part counts once, also if its step is repeated: one update, with
 * the part's cursor as its condition, changes the counts and the cursor.
 * @param doc with the fields that are not read by default
 * @returns milliseconds until the next step
 */
export const stepImport = async (context: ImportContext, doc: ImportDoc): Promise<number> => {
  const { foreign, imports, importParts } = context.store
  const at = { _id: doc._id, state: doc.state, cursor: doc.cursor }
  if (doc.cursor === doc.parts) {
    if (doc.state === 'planning') {
      const expires_at = new Date(Date.now() + LIMITS.importPlanMs)
      await imports.updateOne(at, { $set: { state: 'planned', cursor: 0, done: 0, expires_at } })
    } else if (doc.subscription_id) await finishPull(context.store, doc)
    else await endImport(context.store, doc, at)
    return 0
  }
  const part = await importParts
    .findOne({ import_id: doc.batch ?? doc._id, n: doc.cursor })
    .lean<ImportPartDoc>()
  // The import is being removed.
  if (!part) return GONE_MS
  const objects = objectsOf(doc, part)
  try {
    let counts: Counts = {}
    if (doc.state === 'planning') counts = await planPart(context, doc, objects)
    else counts = await applyPart(context, doc, objects)
    await imports.updateOne(at, {
      ...counts,
      $inc: { ...counts.$inc, cursor: 1, done: objects.filter(({ place }) => isCounted(place)).length },
    })
    // The import was removed during this step: no later removal would find the objects that the step has stored.
    if (!(await imports.exists({ _id: doc._id })))
      await foreign.deleteMany({ campaign_id: doc.campaign_id, import_id: doc._id })
  } catch (error) {
    // A permanent error, such as a full quota or a deleted campaign, stops the import. A transient error is retried.
    if (!(error instanceof HttpError) || error.status >= 500) throw error
    context.log.warn({ err: error, import: doc._id.toHexString() }, 'import stopped')
    const later = { expires_at: new Date(Date.now() + LIMITS.importPlanMs) }
    const stopped =
      doc.state === 'planning'
        ? { cursor: 0, done: 0, ...later }
        : { kept: await keptBy(foreign, doc), ...(leavesNothing(doc) && later) }
    await stopImport(context.store, doc, String(error.detail), stopped)
  }
  return 0
}
