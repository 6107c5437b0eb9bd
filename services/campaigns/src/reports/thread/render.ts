import type { ReportContent } from '@iodine/contracts'
import type { ReportFile } from '@iodine/reports'
import { startThread } from '@iodine/service-kit'

/** Timeout: far above the duration of the largest report on a busy machine. */
const TIMEOUT_MS = 120_000

/** A file with its compressed bytes. */
export type RenderedFile = ReportFile & { gzip: Uint8Array }

/** Makes the files of a report in a separate thread. Rejects with its error, and after two minutes. */
export const renderInThread = (content: ReportContent): Promise<RenderedFile[]> =>
  new Promise((resolve, reject) => {
    const thread = startThread(import.meta.url, './render-thread.js', content)
    const timer = setTimeout(() => end(() => reject(new Error('the report timed out'))), TIMEOUT_MS)
    const end = (settle: () => void) => {
      clearTimeout(timer)
      settle()
      void thread.terminate()
    }
    thread.once('message', (files: RenderedFile[]) => end(() => resolve(files)))
    thread.once('error', error => end(() => reject(error)))
    thread.once('exit', code => end(() => reject(new Error(`the report exited with code ${code}`))))
  })
