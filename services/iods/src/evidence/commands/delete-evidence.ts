import { forbidden, notFound } from '@iodine/service-kit'
import { type QueryFilter, Types } from 'mongoose'
import type { IodModels } from '../../models.js'
import { type EvidenceDoc, evidenceBytes } from '../models/evidence.js'

type Models = Pick<IodModels, 'evidence' | 'evidenceCounts' | 'quotas'>

/** Deletes one matching piece of evidence. Resolves to whether one matched. */
const deleteOne = (
  { evidence, evidenceCounts, quotas }: Models,
  filter: QueryFilter<EvidenceDoc>,
): Promise<boolean> =>
  quotas.settle(async (session, take) => {
    const doc = await evidence.findOneAndDelete(filter, { session }).lean<EvidenceDoc>()
    if (!doc) return false
    await evidenceCounts.updateOne({ _id: doc.iod_id }, { $inc: { n: -1 } }, { session })
    await take(doc.created_by, { evidence_bytes: -evidenceBytes(doc) })
    return true
  })

/** Deletes evidence that the user has added. Throws 404, or 403 for another user's, also to admins. */
export const deleteEvidence = async (
  models: Models,
  userId: string,
  iodId: string,
  id: string,
): Promise<void> => {
  const wanted = { _id: id, iod_id: iodId }
  if (await deleteOne(models, { ...wanted, created_by: new Types.ObjectId(userId) })) return
  throw (await models.evidence.exists(wanted)) ? forbidden() : notFound()
}

/**
 * Deletes a piece of evidence for the team, or all evidence of a capture, regardless of the author. Resolves to the
 * number of deleted pieces.
 * @param id of the evidence or the capture
 */
export const redactEvidence = async (models: Models, id: string): Promise<number> => {
  let deleted = 0
  while (await deleteOne(models, { _id: id })) deleted++
  while (await deleteOne(models, { kind: 'capture', capture_id: new Types.ObjectId(id) })) deleted++
  return deleted
}
