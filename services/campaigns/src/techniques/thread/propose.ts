import type { TechniqueProposal } from '@iodine/exchange/disarm'
import { createThreads } from '@iodine/service-kit'
import type { ProposalInput } from './propose-thread.js'

/** Timeout: far above the duration of the largest run on a busy machine. */
const TIMEOUT_MS = 60_000

/**
 * Runs `proposeTechniques` in a separate thread, which does not block the event loop. Rejects with its error, and after
 * a minute.
 */
export const proposeInThread = createThreads<ProposalInput, TechniqueProposal[]>(
  import.meta.url,
  './propose-thread.js',
  { name: 'the proposals', ms: TIMEOUT_MS },
)
