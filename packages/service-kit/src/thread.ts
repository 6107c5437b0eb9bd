import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { Worker } from 'node:worker_threads'

/** Heap limit of a thread, so that large work fails without the process. */
const HEAP_MB = 2_048

/**
 * Starts a thread that runs a file of the caller's package. Threads cannot run TypeScript: a caller in `src/` runs the
 * compiled file in `dist/`.
 * @param caller `import.meta.url` of the caller
 * @param file the compiled file, relative to the caller
 * @throws Error if the package is not built
 */
export const startThread = (caller: string, file: string, workerData?: unknown): Worker => {
  const compiled = caller.endsWith('.ts') ? caller.replace(/^(.*)\/src\//, '$1/dist/') : caller
  const path = fileURLToPath(new URL(file, compiled))
  if (!existsSync(path)) throw new Error(`${path} is missing. Build first: threads run compiled code.`)
  return new Worker(path, { workerData, execArgv: [], resourceLimits: { maxOldGenerationSizeMb: HEAP_MB } })
}

export interface ThreadOptions {
  /** Noun of the work, for errors, such as `the proposals`. */
  name: string
  /** Timeout: far above the duration of the largest work on a busy machine. */
  ms: number
}

/**
 * Runs a file of the caller's package in a thread of its own, which does not block the event loop. Resolves to the first
 * message of the thread.
 * @param caller as of `startThread`, as is `file`
 * @throws the error of the thread, or an Error after the timeout
 */
export const runThread = <R>(
  caller: string,
  file: string,
  input: unknown,
  { name, ms }: ThreadOptions,
): Promise<R> =>
  new Promise((resolve, reject) => {
    const thread = startThread(caller, file, input)
    const timer = setTimeout(() => end(() => reject(new Error(`${name} timed out`))), ms)
    const end = (settle: () => void) => {
      clearTimeout(timer)
      settle()
      void thread.terminate()
    }
    thread.once('message', (result: R) => end(() => resolve(result)))
    thread.once('error', error => end(() => reject(error)))
    thread.once('exit', code => end(() => reject(new Error(`${name} exited with code ${code}`))))
  })
