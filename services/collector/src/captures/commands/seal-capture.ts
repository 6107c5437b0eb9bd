import { DETAILS, LIMITS, naturalKey, RECORD_SCHEMAS, type RecordOf, type Source } from '@iodine/contracts'
import { checkPlainData, conflict, faults, hashOf, invalid } from '@iodine/service-kit'
import type { Types } from 'mongoose'
import type { CollectorModels } from '../../models.js'
import type { CollectorStore } from '../../store.js'
import { blobKey } from '../blobs/index.js'
import { expectedBlobs } from '../policies/manifest.js'
import { ownCapture, type ReadableCapture } from '../policies/read-capture.js'
import type { Appender } from './append-to-log.js'

const strict = new TextDecoder('utf-8', { fatal: true })
const textOf = (bytes: Uint8Array, role: string): string => {
  try {
    return strict.decode(bytes)
  } catch {
    throw invalid([`${role}: is not UTF-8`])
  }
}

/**
 * Validates the blobs that later requests parse, and finds the record of the same page.
 * @throws HttpError 409 for a missing blob, 422 for an invalid one
 */
const examine = async (
  { records, blobs }: CollectorStore,
  capture: ReadableCapture,
): Promise<Types.ObjectId | undefined> => {
  let recordId: Types.ObjectId | undefined
  for (const { role, sha256 } of expectedBlobs(capture.manifest)) {
    const bytes = await blobs.get(blobKey(capture._id.toHexString(), sha256))
    if (!bytes) throw conflict(DETAILS.captureIncomplete)
    if (role === 'dom') textOf(bytes, role)
    if (role === 'text' && textOf(bytes, role).length > LIMITS.captureTextMax)
      throw invalid([`text: must have at most ${LIMITS.captureTextMax} characters`])
    if (role === 'record') recordId = await findRecord(records, capture, textOf(bytes, role))
  }
  return recordId
}

const findRecord = async <S extends Source>(
  records: CollectorModels['records'],
  { user_id, source }: ReadableCapture & { source: S },
  text: string,
): Promise<Types.ObjectId | undefined> => {
  let record: unknown
  try {
    record = JSON.parse(text)
  } catch {
    throw invalid(['record: is not JSON'])
  }
  checkPlainData(record, 'record')
  const result = RECORD_SCHEMAS[source].safeParse(record)
  if (!result.success) throw invalid(faults(result.error, 'record'))
  const key = hashOf((naturalKey[source] as (record: RecordOf[S]) => string)(record as RecordOf[S]))
  const doc = await records.findOne({ user_id, source, key }, { _id: 1 }).lean<{ _id: Types.ObjectId }>()
  return doc?._id
}

/**
 * Seals the user's capture if its blobs are complete. Idempotent.
 * @throws HttpError 404 for another user's capture, 409 for missing blobs, 422 for blobs that do not match their role
 */
export const sealCapture = async (
  store: CollectorStore,
  append: Appender,
  userId: string,
  id: string,
): Promise<ReadableCapture> => {
  const capture = await ownCapture(store, userId, id)
  if (capture.state === 'sealed') return capture
  const missing = expectedBlobs(capture.manifest).filter(({ sha256 }) => !capture.received.includes(sha256))
  if (missing.length > 0)
    throw conflict(`${DETAILS.captureIncomplete}: ${missing.map(({ sha256 }) => sha256).join(', ')}`)
  const { _id: capture_id, manifest_hash, salt } = capture
  await append({ manifest_hash, salt, capture_id, record_id: await examine(store, capture) })
  return ownCapture(store, userId, id)
}
