import type { Evidence } from '@iodine/contracts'

/** Evidence of IODs by the IOD's id. */
export type EvidenceById = ReadonlyMap<string, readonly Evidence[]>

/** Returns evidence for export files, without the properties that depend on the requesting user. */
export const toFileEvidence = ({ iod_id: _iod, open: _open, shared: _shared, ...evidence }: Evidence) =>
  evidence
