import { forbidden, notFound } from '@iodine/service-kit'
import { Types } from 'mongoose'
import { type EvidenceDoc, evidenceBytes } from '../models/evidence.js'
import type { IodModels } from '../models/index.js'

/** Deletes evidence that the user has added. Throws 404, or 403 for another's; admins are no exception. */
export const deleteEvidence = async (
  { evidence, evidenceCounts, quotas }: Pick<IodModels, 'evidence' | 'evidenceCounts' | 'quotas'>,
  userId: string,
  iodId: string,
  id: string,
): Promise<void> => {
  const created_by = new Types.ObjectId(userId)
  const wanted = { _id: id, iod_id: iodId }
  const isDeleted = await quotas.settle(async (session, take) => {
    const doc = await evidence.findOneAndDelete({ ...wanted, created_by }, { session }).lean<EvidenceDoc>()
    if (!doc) return false
    await evidenceCounts.updateOne({ _id: doc.iod_id }, { $inc: { n: -1 } }, { session })
    await take(created_by, { evidence_bytes: -evidenceBytes(doc) })
    return true
  })
  if (!isDeleted) throw (await evidence.exists(wanted)) ? forbidden() : notFound()
}
