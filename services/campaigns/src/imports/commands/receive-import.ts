import { createHash } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import { DETAILS, type ImportFormat, LIMITS, rankOfTlp } from '@iodine/contracts'
import { type Span, UnreadableFile } from '@iodine/exchange'
import {
  isStoredFormat,
  type OpenedFile,
  openFile,
  openOwnBundle,
  type PiecePosition,
} from '@iodine/exchange/intake'
import { HttpError, inTransaction, notFound } from '@iodine/service-kit'
import { Types } from 'mongoose'
import { batchesOf } from '../../batches.js'
import type { Store } from '../../models.js'
import { type ImportDoc, NO_COUNTS, RECEIVING_MS } from '../models/import.js'

const BOUNDS = {
  objects: LIMITS.importObjects,
  objectBytes: LIMITS.importObjectBytes,
  depth: LIMITS.jsonDepthMax,
}

/** Runs a generator to its end, and yields to other work between its steps. */
const runToEnd = async <T>(opening: Generator<void, T>): Promise<T> => {
  let step = opening.next()
  for (; !step.done; step = opening.next()) await setImmediate()
  return step.value
}

/** Opens a file, and yields to other work in between. Throws UnreadableFile. */
export const openImport = async (format: ImportFormat, bytes: Uint8Array): Promise<OpenedFile> =>
  runToEnd(openFile(format, bytes, BOUNDS))

/** Opens a file like `openImport`. A bundle with only our own objects is split into entries, like our JSON. */
const openUpload = async (format: ImportFormat, bytes: Uint8Array): Promise<OpenedFile> => {
  const file = await openImport(format, bytes)
  return file.isOwn ? runToEnd(openOwnBundle(file)) : file
}

/** Returns the positions of the first objects of a file's events. */
export const eventsOf = ({ places = [] }: OpenedFile): number[] =>
  places.flatMap((place, n) => (place?.format === 'misp' && place.event === n ? n : []))

/** Returns whether a piece counts as an object: a packed piece, or one that continues another, does not. */
export const isCounted = (place: PiecePosition | null | undefined): boolean =>
  !place?.isPacked && !(place?.format === 'misp' && place.isText)

/** Stores the objects of a file in parts, without the bytes between them. */
export const storeParts = async (
  importParts: Store['importParts'],
  import_id: Types.ObjectId,
  { bytes, places }: Pick<OpenedFile, 'bytes' | 'places'>,
  parts: readonly (readonly Span[])[],
  start = 0,
): Promise<void> => {
  let first = 0
  for (const [n, part] of parts.entries()) {
    const raw = Buffer.concat(part.map(([from, to]) => bytes.subarray(from, to)))
    let end = 0
    const ends = part.map(([from, to]) => (end += to - from))
    const last = first + part.length
    // The driver inserts: a model would copy the bytes once more.
    await importParts.collection.insertOne({
      _id: new Types.ObjectId(),
      import_id,
      n,
      first: start + first,
      raw,
      ends,
      ...(places && { places: places.slice(first, last).map(place => place ?? null) }),
    })
    first = last
  }
}

/** Splits objects into parts, one for each step of an import. */
export const partsOf = (spans: readonly Span[]): Span[][] => [
  ...batchesOf(
    spans,
    { items: LIMITS.importBatch, size: LIMITS.importBatchBytes },
    ([start, end]) => end - start,
  ),
]

/**
 * Stores an uploaded file, and enqueues its plan.
 * @throws HttpError 422 for a file of another format, 404 without the campaign, or if the import was removed meanwhile,
 *   413 past the user's quota, 409 if the campaign has the file already, or the user too many unfinished imports
 */
export const receiveImport = async (
  { mongo, work, campaigns, imports, importParts, quotas }: Store,
  userId: string,
  { campaign_id, format, bytes }: { campaign_id: string; format: ImportFormat; bytes: Uint8Array },
): Promise<ImportDoc> => {
  if (!(await campaigns.exists({ _id: campaign_id }))) throw notFound()
  const sha256 = createHash('sha256').update(bytes).digest('hex')
  if (isStoredFormat(format) && (await imports.exists({ campaign_id, sha256, format, state: 'done' })))
    throw new HttpError(409, DETAILS.importedAlready)
  const file = await openUpload(format, bytes).catch(error => {
    throw error instanceof UnreadableFile ? new HttpError(422, [error.message]) : error
  })
  const { spans, skipped, places, markings, tlp } = file
  const events = eventsOf(file)
  if (events.length > LIMITS.keptEventsMax)
    throw new HttpError(422, [`A file has at most ${LIMITS.keptEventsMax} events.`])
  const user_id = new Types.ObjectId(userId)
  if (
    (await imports.countDocuments({ user_id, subscription_id: null, state: { $ne: 'done' } })) >=
    LIMITS.openImportsMax
  )
    throw new HttpError(409, DETAILS.openImports)
  const parts = partsOf(spans)
  const doc: ImportDoc = {
    _id: new Types.ObjectId(),
    campaign_id: new Types.ObjectId(campaign_id),
    user_id,
    format: file.isOwn ? 'json' : format,
    sha256,
    bytes: bytes.length,
    state: 'receiving',
    makes_iods: true,
    problem: null,
    parts: parts.length,
    cursor: 0,
    objects: places ? places.filter(isCounted).length : spans.length,
    ...NO_COUNTS,
    skipped: skipped.length,
    ...(skipped.length > 0 && { invalid: skipped.slice(0, LIMITS.invalidListed) }),
    kept: null,
    tlp: tlp && rankOfTlp(tlp),
    markings: [...markings].map(([id, level]) => ({ id, tlp: level && rankOfTlp(level) })),
    file_tlp: tlp && rankOfTlp(tlp),
    ...(file.techniques.length > 0 && { techniques: file.techniques.slice(0, LIMITS.techniquesMax) }),
    ...(events.length > 0 && { events }),
    created_at: new Date(),
    expires_at: null,
  }
  const { _id } = doc
  const id = _id.toHexString()
  await quotas.change(user_id, { import_bytes: bytes.length }, async session => {
    await imports.create([doc], { session })
    await work.imports.add({ id }, { dueIn: RECEIVING_MS, session })
  })
  await storeParts(importParts, _id, file, parts)
  const planning = { state: 'planning' } as const
  const isThere = await inTransaction(mongo, async session => {
    const receiving = { _id, state: 'receiving' } as const
    const { matchedCount } = await imports.updateOne(receiving, { $set: planning }, { session })
    if (matchedCount > 0) await work.imports.add({ id }, { session })
    return matchedCount > 0
  })
  if (!isThere) {
    // The removal of the import may have missed parts that were stored after it.
    await importParts.deleteMany({ import_id: _id })
    throw notFound()
  }
  return { ...doc, ...planning }
}
