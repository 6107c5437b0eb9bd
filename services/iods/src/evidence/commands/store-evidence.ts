import { DETAILS, LIMITS } from '@iodine/contracts'
import { conflict, HttpError } from '@iodine/service-kit'
import type { Types } from 'mongoose'
import type { IodModels } from '../../models.js'
import { type EvidenceDoc, evidenceBytes } from '../models/evidence.js'

/** Error: the IOD has the maximum number of pieces of evidence, in total or of this user. */
export class EvidenceFull extends HttpError {
  override name = 'EvidenceFull'
}

/** Returns the filter of evidence with the same quote. */
const sameQuote = ({ iod_id, manifest_hash, pointer, start, end, quote_key }: EvidenceDoc) =>
  manifest_hash === null ? { iod_id, quote_key } : { iod_id, manifest_hash, pointer, start, end }

/**
 * Inserts evidence of an existing IOD. Throws 409 for a quote that the IOD already has. Throws 413 past the maximum of
 * the IOD, of the user in this IOD, or of the user's quota: one member must not flood an IOD.
 */
export const storeEvidence = (
  { evidence, evidenceCounts, quotas }: Pick<IodModels, 'evidence' | 'evidenceCounts' | 'quotas'>,
  doc: EvidenceDoc & { created_by: Types.ObjectId },
): Promise<void> => {
  const { iod_id, created_by } = doc
  return quotas.settle(
    async (session, take) => {
      // Writing the count before any read serializes additions to an IOD.
      const { n } = await evidenceCounts
        .findOneAndUpdate(
          { _id: iod_id },
          { $inc: { n: 1 } },
          { session, upsert: true, returnDocument: 'after' },
        )
        .orFail()
        .lean()
      if (await evidence.exists(sameQuote(doc)).session(session)) throw conflict(DETAILS.alreadyQuoted)
      if (n > LIMITS.iodEvidenceMax) throw new EvidenceFull(413, DETAILS.iodEvidenceFull)
      const own = await evidence.countDocuments({ iod_id, created_by }, { session })
      if (own >= LIMITS.userEvidenceMax) throw new EvidenceFull(413, DETAILS.userEvidenceFull)
      await take(created_by, { evidence_bytes: evidenceBytes(doc) })
      await evidence.create([doc], { session })
    },
    // Two concurrent first additions to an IOD both insert its count.
    { retriesDuplicates: true },
  )
}
