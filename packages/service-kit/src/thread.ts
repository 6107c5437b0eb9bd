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
