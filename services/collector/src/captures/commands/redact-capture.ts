import { notFound } from '@iodine/service-kit'
import type { CollectorStore } from '../../store.js'
import type { CaptureDoc } from '../models/capture.js'
import { eraseCapture } from './erase-captures.js'

/**
 * Erases a capture of any owner on behalf of the operator. Resolves to its index in the log, or null if it was never
 * sealed. Idempotent; the first reason stays.
 * @throws HttpError 404 for an unknown capture
 */
export const redactCapture = async (
  store: CollectorStore,
  id: string,
  reason: string,
): Promise<number | null> => {
  const doc = await store.captures.findById(id).lean<CaptureDoc>()
  if (!doc) throw notFound()
  const { _id } = doc
  if (!(await eraseCapture(store, doc, { reason })))
    await store.captures.updateOne({ _id, reason: { $exists: false } }, { $set: { reason } })
  return doc.seq ?? null
}
