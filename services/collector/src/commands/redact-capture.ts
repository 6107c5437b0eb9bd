import { notFound } from '@iodine/service-kit'
import type { Blobs } from '../blobs/index.js'
import type { CaptureDoc } from '../models/capture.js'
import type { CollectorModels } from '../models/index.js'
import { eraseCapture, finishErasures } from './erase-captures.js'

/**
 * Erases a capture for the team, whoever's it is. Resolves to its place in the log, null if it was never sealed.
 * May be repeated after a crash; the first reason stays. Throws 404 for a capture that never was.
 */
export const redactCapture = async (
  models: CollectorModels,
  blobs: Blobs,
  id: string,
  reason: string,
): Promise<number | null> => {
  const doc = await models.captures.findById(id).lean<CaptureDoc>()
  if (!doc) throw notFound()
  const { _id } = doc
  if (!(await eraseCapture(models, blobs, doc, reason))) {
    await models.captures.updateOne({ _id, reason: { $exists: false } }, { $set: { reason } })
    await finishErasures(models, blobs, { _id })
  }
  return doc.seq ?? null
}
