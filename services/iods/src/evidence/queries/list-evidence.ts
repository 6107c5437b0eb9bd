import type { ListPosition } from '@iodine/service-kit'
import { type QueryFilter, Types } from 'mongoose'
import type { IodDoc } from '../../iods/models/iod.js'
import type { IodModels } from '../../models.js'
import { BY_IOD, type EvidenceDoc, type EvidenceModel } from '../models/evidence.js'

/** Maximum pieces of evidence in the WACZ of a capture. */
const CAPTURE_EVIDENCE_MAX = 1_000

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

/** Reads a capture's evidence, oldest first, and the values of its IODs by id. */
export const findCaptureEvidence = async (
  { iods, evidence }: Pick<IodModels, 'iods' | 'evidence'>,
  captureId: string,
): Promise<{ docs: EvidenceDoc[]; values: Map<string, string> }> => {
  const docs = await evidence
    .find({ kind: 'capture', capture_id: new Types.ObjectId(captureId) })
    .sort({ created_at: 1, _id: 1 })
    .limit(CAPTURE_EVIDENCE_MAX)
    .lean<EvidenceDoc[]>()
  const found = await iods
    .find({ _id: { $in: docs.map(({ iod_id }) => iod_id) } }, { value: 1 })
    .lean<IodDoc[]>()
  return { docs, values: new Map(found.map(({ _id, value }) => [_id.toHexString(), value])) }
}
