import { EVIDENCE } from '../add-quote'
import { listedValues } from '../listed-values'

/** Ids per request, equal to the rows of a page of the list. */
const PAGE = 50

const counts = listedValues<number>([...EVIDENCE, 'counts'], PAGE, (api, ids, signal) =>
  api.call('POST /iods/evidence/counts', { body: { ids }, signal }),
)

/** Reads the number of pieces of evidence of the IODs in view; those without evidence are missing. */
export const useEvidenceCounts = counts.useList

/** The evidence counts of a list's IODs. */
export const EvidenceCountsContext = counts.Context

/** Returns the evidence count of an IOD from its list's context; 0 while it loads. */
export const useListedCount = (id: string): number => counts.useListed(id) ?? 0

/** Reads the evidence count of an IOD; 0 while it loads. `enabled`: whether to send the request. */
export const useEvidenceCount = (id: string, enabled: boolean): number => counts.useOne(id, enabled) ?? 0
