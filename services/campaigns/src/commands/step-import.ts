import { createHash } from 'node:crypto'
import {
  evidenceInternal,
  highestTlp,
  type ImportedQuote,
  iodsInternal,
  LIMITS,
  type NewIod,
  rankOfTlp,
  tlpOfRank,
} from '@iodine/contracts'
import { isTechnique } from '@iodine/exchange/disarm'
import { isKeptFormat } from '@iodine/exchange/intake'
import { HttpError, isDuplicateKey, type StoreService } from '@iodine/service-kit'
import { type QueryFilter, Types } from 'mongoose'
import type { CampaignDoc } from '../models/campaign.js'
import type { ForeignDoc } from '../models/foreign.js'
import { AT_WORK, type ImportDoc, type ImportPartDoc } from '../models/import.js'
import type { Store } from '../models/index.js'
import { type ImportedObject, objectsOf } from '../queries/import-objects.js'
import { keptBy } from '../queries/kept-objects.js'
import { batchesOf } from './batches.js'
import { changeCampaign } from './change-campaign.js'
import { addIods } from './change-members.js'
import { addTechniques } from './change-techniques.js'
import { isCounted } from './receive-import.js'
import { finishPull, noteBrought, stopImport, supersede } from './settle-pull.js'

/** For a batch of IODs that are brought in. */
const BRING_MS = 20_000
/** Wait for the removal of an import whose parts are removed. */
const GONE_MS = 1_000

export interface Stepping extends Pick<StoreService, 'peers' | 'log'> {
  store: Store
  /** Maximum IODs of a campaign, unless its creator has a limit of their own. */
  memberMax: number
}

/** Objects that stand for an IOD. */
interface Standing extends ImportedObject {
  known: ImportedObject['known'] & { iod: NewIod }
}
const isStanding = (object: ImportedObject): object is Standing => object.known.iod !== undefined

/** Objects that stand for IODs, as many as one call takes. */
const callsOf = (objects: readonly Standing[]) =>
  batchesOf(
    objects,
    { items: LIMITS.broughtIodsMax, size: LIMITS.broughtChars },
    ({ known: { iod } }) => iod.value.length + (iod.description?.length ?? 0),
  )

type Invalid = NonNullable<ImportDoc['invalid']>[number]

/** Characters of a refused entry's value that a plan has. */
const INVALID_CHARS = 200

/** What a plan says of the objects of a part that no IOD can be made of. */
const invalidOf = (objects: readonly ImportedObject[]): Invalid[] =>
  objects.flatMap(({ order, known: { reason, place = `Object ${order + 1}`, value = '' } }) =>
    reason === undefined ? [] : { place, value: value.slice(0, INVALID_CHARS), reason },
  )

/** What a part adds to its import's counts. */
interface Counts {
  $inc?: Record<string, number>
  $max?: { tlp: number }
  $addToSet?: { named: { $each: string[] }; unnamed: { $each: string[] } }
  $push?: { invalid: { $each: Invalid[]; $slice: number } }
}

/** Ids of techniques that objects name. */
const techniquesOf = (objects: readonly ImportedObject[]): string[] => [
  ...new Set(objects.flatMap(({ known }) => known.techniques)),
]

/** Adds the quotes of a part's entries to their IODs. May be repeated. Resolves to what became of them. */
const bringEvidence = async (
  peers: Stepping['peers'],
  user_id: string,
  objects: readonly Standing[],
  ids: ReadonlyMap<number, string>,
): Promise<Counts> => {
  const sums = { added: 0, known: 0, left_out: 0 }
  const quoted = objects.flatMap(({ order, known: { evidence } }) => {
    const id = ids.get(order)
    return id && evidence?.quotes.length ? [{ id, quotes: evidence.quotes }] : []
  })
  const sizeOf = ({ quotes }: { quotes: ImportedQuote[] }) =>
    quotes.reduce(
      (sum, { exact, prefix, suffix }) => sum + exact.length + prefix.length + suffix.length + 500,
      0,
    )
  const limits = { items: LIMITS.broughtIodsMax, size: LIMITS.broughtChars }
  for (const iods of batchesOf(quoted, limits, sizeOf)) {
    const counts = await peers.call('iods', evidenceInternal.bringEvidence, {
      body: { user_id, iods },
      ms: BRING_MS,
    })
    for (const name of ['added', 'known', 'left_out'] as const) sums[name] += counts[name]
  }
  return {
    $inc: { 'evidence.added': sums.added, 'evidence.known': sums.known, 'evidence.left_out': sums.left_out },
  }
}

/** Counts what a part would bring in. */
const planPart = async (
  { peers, store }: Stepping,
  { campaign_id, file_tlp, unnamed = [] }: Pick<ImportDoc, 'campaign_id' | 'file_tlp' | 'unnamed'>,
  objects: readonly ImportedObject[],
): Promise<Counts> => {
  const standing = objects.filter(isStanding)
  let known_iods = 0
  let member_iods = 0
  const campaign = await store.campaigns.findById(campaign_id, { iod_ids: 1 }).lean<CampaignDoc>()
  const members = new Set(campaign?.iod_ids?.map(member => member.toHexString()))
  for (const batch of callsOf(standing)) {
    const body = { iods: batch.map(({ known: { iod } }) => ({ category: iod.category, value: iod.value })) }
    const ids = await peers.call('iods', iodsInternal.findIods, { body, ms: BRING_MS })
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
  for (const { known } of standing) {
    quotes += known.evidence?.quotes.length ?? 0
    refused_quotes += known.evidence?.refused ?? 0
  }
  return {
    $inc: {
      iods: standing.length,
      known_iods,
      member_iods,
      refused: invalid.length,
      quotes,
      refused_quotes,
    },
    ...(invalid.length > 0 && { $push: { invalid: { $each: invalid, $slice: LIMITS.invalidListed } } }),
    ...(tlp && { $max: { tlp: rankOfTlp(tlp) } }),
    ...(all.length > 0 && { $addToSet: { named: { $each: named }, unnamed: { $each: unknown } } }),
  }
}

/** Makes IODs of a part's objects, puts them into the campaign, and keeps the objects. May be repeated. Resolves to what became of evidence. */
const applyPart = async (
  { store, peers, memberMax }: Stepping,
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
    const standing = objects.filter(isStanding)
    for (const batch of callsOf(standing)) {
      const iods = batch.map(({ known: { iod, tlp } }) => ({ iod, tlp }))
      const body = { user_id: userId, import_id: import_id.toHexString(), iods }
      const found = await peers.call('iods', iodsInternal.bringIods, { body, ms: BRING_MS })
      for (const [n, { order }] of batch.entries()) ids.set(order, found[n]?.id ?? '')
    }
    const members = [...new Set(ids.values())]
    const campaign = campaign_id.toHexString()
    if (subscription_id)
      await noteBrought(
        store,
        doc,
        members.map(member => new Types.ObjectId(member)),
      )
    for (let at = 0; at < members.length; at += LIMITS.addedIodsMax) {
      const some = members.slice(at, at + LIMITS.addedIodsMax)
      await addIods(store, peers, campaign, some, memberMax)
    }
    const named = [...(cursor === 0 ? techniques : []), ...techniquesOf(objects)]
    await addTechniques(store, userId, campaign, named)
    counts = await bringEvidence(peers, userId, standing, ids)
  }
  if (!isKeptFormat(format)) return counts
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
      // An attribute without an id can be left out, too.
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
  // What an earlier run of this part has kept is refused by the index alone.
  await foreign.collection.insertMany(docs, { ordered: false }).catch((error: unknown) => {
    if (!isDuplicateKey(error)) throw error
  })
  if (subscription_id && format === 'stix')
    await supersede(
      store,
      doc,
      objects.map(({ known }) => known.key),
    )
  return counts
}

/** Whether an import neither keeps objects nor sets a level: it is forgotten after a while, also one that has stopped. */
const leavesNothing = ({ format, tlp }: ImportDoc): boolean => !isKeptFormat(format) && tlp === null

/**
 * Notes that an import is done. Of a file that is not kept, no bytes count any more. Unless its level counts, the import is
 * removed after a while.
 */
const endImport = async (store: Store, doc: ImportDoc, at: QueryFilter<ImportDoc>): Promise<void> => {
  const { foreign, imports, quotas } = store
  const isKept = isKeptFormat(doc.format)
  const expires_at = leavesNothing(doc) ? new Date(Date.now() + LIMITS.importPlanMs) : null
  const kept = await keptBy(foreign, doc)
  const change = { $set: { state: 'done', kept, expires_at, ...(!isKept && { bytes: 0 }) } } as const
  await quotas.settle(async (session, take) => {
    const { matchedCount } = await imports.updateOne(at, change, { session })
    if (matchedCount === 0) return
    if (!isKept) await take(doc.user_id, { import_bytes: -doc.bytes })
    await changeCampaign(store, { _id: doc.campaign_id }, {}, session)
  })
}

/**
 * Does one part of what an import is owed, planning or applying. Each part counts once, whoever does it and however
 * often: the counts change together with the cursor, and only from where the part begins.
 * @returns milliseconds until the next step
 */
export const stepImport = async (stepping: Stepping, id: string): Promise<number> => {
  const { foreign, imports, importParts } = stepping.store
  const doc = await imports
    .findOne({ _id: id, state: { $in: [...AT_WORK] } })
    .select(['+markings', '+file_tlp', '+techniques', '+events', '+new_events', '+invalid', '+unnamed'])
    .lean<ImportDoc>()
  if (!doc) return 0
  const at = { _id: doc._id, state: doc.state, cursor: doc.cursor }
  if (doc.cursor === doc.parts) {
    if (doc.state === 'planning') {
      const expires_at = new Date(Date.now() + LIMITS.importPlanMs)
      await imports.updateOne(at, { $set: { state: 'planned', cursor: 0, done: 0, expires_at } })
    } else if (doc.subscription_id) await finishPull(stepping.store, doc)
    else {
      await endImport(stepping.store, doc, { ...at })
      await importParts.deleteMany({ import_id: doc._id })
    }
    return 0
  }
  const part = await importParts
    .findOne({ import_id: doc.batch ?? doc._id, n: doc.cursor })
    .lean<ImportPartDoc>()
  // Removed meanwhile: the import is gone soon.
  if (!part) return GONE_MS
  const objects = objectsOf(doc, part)
  try {
    let counts: Counts = {}
    if (doc.state === 'planning') counts = await planPart(stepping, doc, objects)
    else counts = await applyPart(stepping, doc, objects)
    await imports.updateOne(at, {
      ...counts,
      $inc: { ...counts.$inc, cursor: 1, done: objects.filter(({ place }) => isCounted(place)).length },
    })
    // Removed while this step was slow: its objects have nobody else who would remove them.
    if (!(await imports.exists({ _id: doc._id })))
      await foreign.deleteMany({ campaign_id: doc.campaign_id, import_id: doc._id })
  } catch (error) {
    // A full quota, a campaign that is gone: the user is told. Anything else is tried again.
    if (!(error instanceof HttpError) || error.status >= 500) throw error
    stepping.log.warn({ err: error, import: id }, 'import stopped')
    const later = { expires_at: new Date(Date.now() + LIMITS.importPlanMs) }
    const stopped =
      doc.state === 'planning'
        ? { cursor: 0, done: 0, ...later }
        : { kept: await keptBy(foreign, doc), ...(leavesNothing(doc) && later) }
    await stopImport(stepping.store, doc, String(error.detail), stopped)
  }
  return 0
}
