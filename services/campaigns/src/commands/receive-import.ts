import { createHash } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import { DETAILS, type ImportFormat, LIMITS, rankOfTlp } from '@iodine/contracts'
import { type Span, UnreadableFile } from '@iodine/exchange'
import { isKeptFormat, type OpenedFile, openFile, openOwnBundle, type Place } from '@iodine/exchange/intake'
import { HttpError, inTransaction, notFound } from '@iodine/service-kit'
import { Types } from 'mongoose'
import { type ImportDoc, NO_COUNTS, RECEIVING_MS } from '../models/import.js'
import type { Store } from '../models/index.js'
import { batchesOf } from './batches.js'

const BOUNDS = {
  objects: LIMITS.importObjects,
  objectBytes: LIMITS.importObjectBytes,
  depth: LIMITS.jsonDepthMax,
}

/** Runs to the end, and lets other work come in between. */
const finish = async <T>(opening: Generator<void, T>): Promise<T> => {
  let step = opening.next()
  for (; !step.done; step = opening.next()) await setImmediate()
  return step.value
}

/** Opens a file. Lets other work come in between. Throws UnreadableFile. */
export const openImport = async (format: ImportFormat, bytes: Uint8Array): Promise<OpenedFile> =>
  finish(openFile(format, bytes, BOUNDS))

/** As `openImport`; of a bundle that says nothing but our own, the pieces are entries, as those of our JSON. */
const openOurs = async (format: ImportFormat, bytes: Uint8Array): Promise<OpenedFile> => {
  const file = await openImport(format, bytes)
  return file.isOwn ? finish(openOwnBundle(file)) : file
}

/** Places of the objects that a file's events begin with. */
export const eventsOf = ({ places = [] }: OpenedFile): number[] =>
  places.flatMap((place, n) => (place?.format === 'misp' && place.event === n ? n : []))

/** Whether an object counts as one: not the text that goes on with another one. */
export const isCounted = (place: Place | null | undefined): boolean =>
  !place?.isPacked && !(place?.format === 'misp' && place.isText)

/** Stores the objects of a file in parts, without what stands between two, which belongs to none. */
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
    // By the driver: a model would copy the bytes once more.
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

/** Objects in parts, as many as are worked on at once. */
export const partsOf = (spans: readonly Span[]): Span[][] => [
  ...batchesOf(
    spans,
    { items: LIMITS.importBatch, size: LIMITS.importBatchBytes },
    ([start, end]) => end - start,
  ),
]

/**
 * Stores a file that is to be imported, and leaves it to be planned.
 * @throws 422 for a file that is none of the format, 404 without the campaign, 413 past the user's quota, 409 where the
 *   campaign has the file already, or the user too many imports that are not done
 */
export const receiveImport = async (
  { mongo, work, campaigns, imports, importParts, quotas }: Store,
  userId: string,
  { campaign_id, format, bytes }: { campaign_id: string; format: ImportFormat; bytes: Uint8Array },
): Promise<ImportDoc> => {
  if (!(await campaigns.exists({ _id: campaign_id }))) throw notFound()
  const sha256 = createHash('sha256').update(bytes).digest('hex')
  if (isKeptFormat(format) && (await imports.exists({ campaign_id, sha256, format, state: 'done' })))
    throw new HttpError(409, DETAILS.importedAlready)
  const file = await openOurs(format, bytes).catch(error => {
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
  await inTransaction(mongo, async session => {
    await imports.updateOne({ _id, state: 'receiving' }, { $set: planning }, { session })
    await work.imports.add({ id }, { session })
  })
  return { ...doc, ...planning }
}
