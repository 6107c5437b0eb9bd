import type { ListPosition } from '@iodine/service-kit'
import { type QueryFilter, Types } from 'mongoose'
import type { IodModels } from '../../models.js'
import { BY_IOD, type EvidenceDoc, type EvidenceModel } from '../models/evidence.js'

/** Reads an IOD's evidence, oldest first, from the start or after a position. */
export const findEvidence = (
  evidence: EvidenceModel,
  iodId: string,
  after: ListPosition | undefined,
  size: number,
): Promise<EvidenceDoc[]> => {
  const filter: QueryFilter<EvidenceDoc> = { iod_id: new Types.ObjectId(iodId) }
  if (after) {
    const { created_at, _id } = after
    filter.$or = [{ created_at: { $gt: created_at } }, { created_at, _id: { $gt: _id } }]
  }
  return evidence.find(filter).sort(BY_IOD).limit(size).lean<EvidenceDoc[]>()
}

/** Counts the evidence of IODs, by id. IODs without evidence are omitted. */
export const countEvidence = async (
  { evidenceCounts }: Pick<IodModels, 'evidenceCounts'>,
  ids: readonly string[],
): Promise<Record<string, number>> => {
  const counts = await evidenceCounts.find({ _id: { $in: ids }, n: { $gt: 0 } }).lean()
  return Object.fromEntries(counts.map(({ _id, n }) => [_id.toHexString(), n]))
}
