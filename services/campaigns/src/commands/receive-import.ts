import { createHash } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import { DETAILS, highestTlp, type ImportFormat, LIMITS, rankOfTlp, type Tlp } from '@iodine/contracts'
import { markingOf, nameOf, parseObject, type Span, sliceObjects, UnreadableFile } from '@iodine/exchange'
import { HttpError, notFound } from '@iodine/service-kit'
import { Types } from 'mongoose'
import { FIRST_MS, type ImportDoc } from '../models/import.js'
import type { CampaignModels } from '../models/index.js'
import { batchesOf } from './batches.js'

const BOUNDS = {
  objects: LIMITS.importObjects,
  objectBytes: LIMITS.importObjectBytes,
  depth: LIMITS.jsonDepthMax,
}
/** Markings that a file may define. */
export const MARKINGS_MAX = 1_000
/** How long a file may take to be stored before it counts as given up. */
const RECEIVING_MS = 10 * 60_000

/** Where the objects of a file stand, which they are, and the markings that it defines. */
export interface Examined {
  spans: Span[]
  objects: { key: string; version: string }[]
  markings: Map<string, Tlp | null>
}

/** What a file is made of. Lets other work come in between. Throws UnreadableFile. */
export const examine = async (bytes: Uint8Array): Promise<Examined> => {
  const slicing = sliceObjects(bytes, BOUNDS)
  let sliced = slicing.next()
  for (; !sliced.done; sliced = slicing.next()) await setImmediate()
  const { spans, envelope } = sliced.value
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  const markings = new Map<string, Tlp | null>()
  const objects: Examined['objects'] = []
  let seen = 0
  for (const [n, [start, end]] of spans.entries()) {
    let text: string
    try {
      text = decoder.decode(bytes.subarray(start, end))
    } catch {
      throw new UnreadableFile('The file is not UTF-8.')
    }
    const object = parseObject(text, n + 1)
    if (
      spans.length === 1 &&
      envelope === '[]' &&
      (typeof object.type !== 'string' || object.type === 'bundle')
    )
      throw new UnreadableFile('The file is neither a STIX bundle nor a STIX object.')
    objects.push(nameOf(object))
    const marking = markingOf(object)
    if (marking) {
      // Of an id that is defined twice, the strictest counts.
      const [id, level] = marking
      markings.set(id, highestTlp([markings.get(id), level]))
    }
    if (markings.size > MARKINGS_MAX) throw new UnreadableFile('The file defines too many markings.')
    seen += end - start
    if (seen > 250_000) {
      seen = 0
      await setImmediate()
    }
  }
  if (spans.length === 0) throw new UnreadableFile('The file has no objects.')
  return { spans, objects, markings }
}

/**
 * Stores the objects of a file in parts, without what stands between two, which belongs to none.
 * @param first the place of the first one
 */
export const storeParts = async (
  importParts: CampaignModels['importParts'],
  import_id: Types.ObjectId,
  parts: readonly (readonly Span[])[],
  bytes: Uint8Array,
  first = 0,
): Promise<void> => {
  for (const [n, part] of parts.entries()) {
    const raw = Buffer.concat(part.map(([from, to]) => bytes.subarray(from, to)))
    let end = 0
    const ends = part.map(([from, to]) => (end += to - from))
    await importParts.create({ _id: new Types.ObjectId(), import_id, n, first, raw, ends })
    first += part.length
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
  { campaigns, imports, importParts, quotas }: CampaignModels,
  userId: string,
  { campaign_id, format, bytes }: { campaign_id: string; format: ImportFormat; bytes: Uint8Array },
): Promise<ImportDoc> => {
  if (!(await campaigns.exists({ _id: campaign_id }))) throw notFound()
  const sha256 = createHash('sha256').update(bytes).digest('hex')
  if (await imports.exists({ campaign_id, sha256, state: 'done' }))
    throw new HttpError(409, DETAILS.importedAlready)
  const { spans, markings } = await examine(bytes).catch(error => {
    throw error instanceof UnreadableFile ? new HttpError(422, [error.message]) : error
  })
  const user_id = new Types.ObjectId(userId)
  if (
    (await imports.countDocuments({ user_id, subscription_id: null, state: { $ne: 'done' } })) >=
    LIMITS.openImportsMax
  )
    throw new HttpError(409, DETAILS.openImports)
  const created_at = new Date()
  const parts = partsOf(spans)
  const doc: ImportDoc = {
    _id: new Types.ObjectId(),
    campaign_id: new Types.ObjectId(campaign_id),
    user_id,
    format,
    sha256,
    bytes: bytes.length,
    state: 'receiving',
    makes_iods: true,
    problem: null,
    parts: parts.length,
    cursor: 0,
    objects: spans.length,
    done: 0,
    iods: 0,
    known_iods: 0,
    refused: 0,
    kept: null,
    tlp: null,
    markings: [...markings].map(([id, level]) => ({ id, tlp: level && rankOfTlp(level) })),
    created_at,
    expires_at: null,
    check_at: new Date(created_at.getTime() + RECEIVING_MS),
  }
  await quotas.change(user_id, { import_bytes: bytes.length }, session => imports.create([doc], { session }))
  await storeParts(importParts, doc._id, parts, bytes)
  const planning = { state: 'planning', check_at: new Date(Date.now() + FIRST_MS) } as const
  await imports.updateOne({ _id: doc._id, state: 'receiving' }, { $set: planning })
  return { ...doc, ...planning }
}
