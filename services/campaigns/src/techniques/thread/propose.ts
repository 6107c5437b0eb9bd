import type { TechniqueProposal } from '@iodine/exchange/disarm'
import { startThread } from '@iodine/service-kit'
import type { ProposalInput } from './propose-thread.js'

/** Timeout: far above the duration of the largest run on a busy machine. */
const TIMEOUT_MS = 60_000

/**
 * Runs `proposeTechniques` in a separate thread, which does not block the event loop. Rejects with its error, and after
 * a minute.
 */
export const proposeInThread = (input: ProposalInput): Promise<TechniqueProposal[]> =>
  new Promise((resolve, reject) => {
    const thread = startThread(import.meta.url, './propose-thread.js', input)
    const timer = setTimeout(() => end(() => reject(new Error('the proposals timed out'))), TIMEOUT_MS)
    const end = (settle: () => void) => {
      clearTimeout(timer)
      settle()
      void thread.terminate()
    }
    thread.once('message', (proposals: TechniqueProposal[]) => end(() => resolve(proposals)))
    thread.once('error', error => end(() => reject(error)))
    thread.once('exit', code => end(() => reject(new Error(`the proposals exited with code ${code}`))))
  })
