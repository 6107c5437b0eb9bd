import { notFound } from '@iodine/service-kit'
import type { CaptureDoc } from '../models/capture.js'
import type { CollectorStore } from '../store.js'
import { eraseCapture } from './erase-captures.js'

/**
 * Erases a capture for the team, of any owner. Resolves to its place in the log, null if it was never sealed.
 * May be repeated after a crash; the first reason stays. Throws 404 for a capture that never was.
 */
export const redactCapture = async (
  store: CollectorStore,
  id: string,
  reason: string,
): Promise<number | null> => {
  const doc = await store.captures.findById(id).lean<CaptureDoc>()
  if (!doc) throw notFound()
  const { _id } = doc
  if (!(await eraseCapture(store, doc, reason)))
    await store.captures.updateOne({ _id, reason: { $exists: false } }, { $set: { reason } })
  return doc.seq ?? null
}
