export { EvidenceCountsContext, useEvidenceCount, useEvidenceCounts, useListedCount } from './counts'
export { SealedMark, type SealedMarkProps } from './SealedMark'
export { type SealedCaptures, useSealedCaptures } from './sealed'
export { EvidenceMark, type IodEvidence, useIodEvidence } from './use-iod-evidence'
