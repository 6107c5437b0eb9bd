import { createHash } from 'node:crypto'
import { iodsInternal, LIMITS, type NewIod, type Tlp } from '@iodine/contracts'
import { highestTlp } from '@iodine/exchange'
import { HttpError, isDuplicateKey, type Peers, type Service } from '@iodine/service-kit'
import { Types } from 'mongoose'
import { CHANGED } from '../models/campaign.js'
import type { ForeignDoc } from '../models/foreign.js'
import { AT_WORK, type ImportDoc, type ImportPartDoc, STEP_MS } from '../models/import.js'
import type { CampaignModels } from '../models/index.js'
import { rankOf } from '../policies/levels.js'
import { type ImportedObject, objectsOf } from '../queries/import-objects.js'
import { keptBy } from '../queries/kept-objects.js'
import { addIods } from './change-members.js'

/** For a batch of IODs that are brought in. */
const BRING_MS = 20_000

interface Stepping {
  models: CampaignModels
  peers: Peers
  log: Service['log']
  /** Maximum IODs of a campaign. */
  memberMax: number
}

interface Brought {
  iod: NewIod
  tlp: Tlp | null
}

/** IODs in batches that one call takes. */
function* batchesOf<T extends { iod: NewIod }>(all: readonly T[]): Generator<T[]> {
  let batch: T[] = []
  let characters = 0
  for (const each of all) {
    const length = each.iod.value.length + (each.iod.description?.length ?? 0)
    if (
      batch.length === LIMITS.broughtIodsMax ||
      (batch.length > 0 && characters + length > LIMITS.broughtChars)
    ) {
      yield batch
      batch = []
      characters = 0
    }
    batch.push(each)
    characters += length
  }
  if (batch.length > 0) yield batch
}

const withIod = (objects: readonly ImportedObject[]) =>
  objects.flatMap(({ known }) => (known.iod ? [{ iod: known.iod, tlp: known.tlp }] : []))

/** Counts what a part would bring in. */
const planPart = async ({ peers }: Stepping, objects: readonly ImportedObject[]) => {
  const iods: Brought[] = withIod(objects)
  let known_iods = 0
  for (const batch of batchesOf(iods)) {
    const body = { iods: batch.map(({ iod: { category, value } }) => ({ category, value })) }
    const ids = await peers.call('iods', iodsInternal.findIods, { body, ms: BRING_MS })
    known_iods += ids.filter(id => id !== null).length
  }
  const highest = rankOf(highestTlp(objects.map(({ known }) => known.tlp)))
  return {
    $inc: {
      iods: iods.length,
      known_iods,
      refused: objects.filter(({ known }) => known.reason !== undefined).length,
    },
    ...(highest !== null && { $max: { tlp: highest } }),
  }
}

/** Makes IODs of a part's objects, puts them into the campaign, and keeps the objects. May be repeated. */
const applyPart = async (
  { models: { campaigns, foreign }, peers, memberMax }: Stepping,
  { _id: import_id, campaign_id, format, user_id, makes_iods }: ImportDoc,
  objects: readonly ImportedObject[],
): Promise<void> => {
  const ids = new Map<number, string>()
  if (makes_iods && user_id) {
    const standing = objects.flatMap(({ order, known: { iod, tlp } }) => (iod ? [{ order, iod, tlp }] : []))
    for (const batch of batchesOf(standing)) {
      const body = { user_id: user_id.toHexString(), iods: batch.map(({ iod, tlp }) => ({ iod, tlp })) }
      const found = await peers.call('iods', iodsInternal.bringIods, { body, ms: BRING_MS })
      for (const [n, { id }] of found.entries()) ids.set(batch[n]?.order as number, id)
    }
    const members = [...new Set(ids.values())]
    for (let at = 0; at < members.length; at += LIMITS.addedIodsMax) {
      const some = members.slice(at, at + LIMITS.addedIodsMax)
      await addIods(campaigns, peers, campaign_id.toHexString(), some, memberMax)
    }
  }
  const docs = objects.map(({ raw, order, known }): ForeignDoc => {
    const iod = ids.get(order)
    return {
      _id: new Types.ObjectId(),
      campaign_id,
      import_id,
      format,
      key: known.key,
      version: known.version,
      type: known.type,
      raw,
      bytes: raw.length,
      sha256: createHash('sha256').update(raw).digest('hex'),
      tlp: rankOf(known.tlp),
      ...(known.refs.length > 0 && { refs: known.refs }),
      iod_id: iod === undefined ? null : new Types.ObjectId(iod),
      order,
    }
  })
  // One that the campaign has, byte for byte, is refused by the index alone.
  await foreign.collection.insertMany(docs, { ordered: false }).catch((error: unknown) => {
    if (!isDuplicateKey(error)) throw error
  })
}

/**
 * Does one part of what an import is owed, planning or applying. Each part counts once, whoever does it and however
 * often: the counts change together with the cursor, and only from where the part begins.
 * @returns whether there is more to do
 */
export const stepImport = async (stepping: Stepping, id: string): Promise<boolean> => {
  const { campaigns, foreign, imports, importParts } = stepping.models
  const doc = await imports
    .findOneAndUpdate(
      { _id: id, state: { $in: [...AT_WORK] } },
      { $set: { check_at: new Date(Date.now() + STEP_MS) } },
    )
    .select('+markings')
    .lean<ImportDoc>()
  if (!doc) return false
  const at = { _id: doc._id, state: doc.state, cursor: doc.cursor }
  if (doc.cursor === doc.parts) {
    if (doc.state === 'planning') {
      const expires_at = new Date(Date.now() + LIMITS.importPlanMs)
      await imports.updateOne(at, { $set: { state: 'planned', cursor: 0, done: 0, expires_at } })
    } else {
      await campaigns.updateOne({ _id: doc.campaign_id }, CHANGED)
      await imports.updateOne(at, { $set: { state: 'done', kept: await keptBy(foreign, doc) } })
      await importParts.deleteMany({ import_id: doc._id })
    }
    return false
  }
  const part = await importParts.findOne({ import_id: doc._id, n: doc.cursor }).lean<ImportPartDoc>()
  // Removed meanwhile.
  if (!part) return false
  const raw = Buffer.isBuffer(part.raw) ? part.raw : Buffer.from((part.raw as { buffer: Uint8Array }).buffer)
  const objects = objectsOf(doc, { ...part, raw })
  try {
    const counts = doc.state === 'planning' ? await planPart(stepping, objects) : {}
    if (doc.state === 'applying') await applyPart(stepping, doc, objects)
    const { $inc = {}, ...rest } = counts as { $inc?: Record<string, number> }
    await imports.updateOne(at, { ...rest, $inc: { ...$inc, cursor: 1, done: objects.length } })
    return true
  } catch (error) {
    // A full quota, a campaign that is gone: the user is told. Anything else is tried again.
    if (!(error instanceof HttpError) || error.status >= 500) throw error
    stepping.log.warn({ err: error, import: id }, 'import stopped')
    const stopped =
      doc.state === 'planning'
        ? { cursor: 0, done: 0, expires_at: new Date(Date.now() + LIMITS.importPlanMs) }
        : { kept: await keptBy(foreign, doc) }
    await imports.updateOne(at, {
      $set: { state: 'failed', problem: String(error.detail), ...stopped },
    })
    return false
  }
}
