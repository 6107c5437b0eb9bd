import type { TechniqueProposal } from '@iodine/exchange/disarm'
import { runThread } from '@iodine/service-kit'
import type { ProposalInput } from './propose-thread.js'

/** Timeout: far above the duration of the largest run on a busy machine. */
const TIMEOUT_MS = 60_000

/**
 * Runs `proposeTechniques` in a separate thread, which does not block the event loop. Rejects with its error, and after
 * a minute.
 */
export const proposeInThread = (input: ProposalInput): Promise<TechniqueProposal[]> =>
  runThread(import.meta.url, './propose-thread.js', input, { name: 'the proposals', ms: TIMEOUT_MS })
