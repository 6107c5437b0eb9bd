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
export const startThread = (caller: string, file: string): Worker => {
  const compiled = caller.endsWith('.ts') ? caller.replace(/^(.*)\/src\//, '$1/dist/') : caller
  const path = fileURLToPath(new URL(file, compiled))
  if (!existsSync(path)) throw new Error(`${path} is missing. Build first: threads run compiled code.`)
  return new Worker(path, { execArgv: [], resourceLimits: { maxOldGenerationSizeMb: HEAP_MB } })
}

export interface ThreadOptions {
  /** Noun of the work, for errors, such as `the proposals`. */
  name: string
  /** Timeout: far above the duration of the largest work on a busy machine. */
  ms: number
}

/** Time after which a thread without work ends: a later call need not start one, whose code must be compiled first. */
const IDLE_MS = 60_000

interface Started<O> {
  thread: Worker
  /** Settles the running call; undefined while there is none. */
  settle?: ((error: Error | null, output?: O) => void) | undefined
  /** The timeout of the call, or the end of the wait. */
  timer?: NodeJS.Timeout
}

/**
 * Creates a function that runs a file of the caller's package in a thread, which does not block the event loop. The file
 * answers each message with one. One thread waits a minute for a further call, and does not keep the process running.
 * @param caller as of `startThread`, as is `file`
 * @returns a function of the input, which resolves to the output. It rejects with the error of the thread, which ends,
 *   and after the timeout.
 */
export const createThreads = <I, O>(
  caller: string,
  file: string,
  { name, ms }: ThreadOptions,
): ((input: I) => Promise<O>) => {
  let waiting: Started<O> | undefined
  const end = (started: Started<O>, error: Error) => {
    if (waiting === started) waiting = undefined
    clearTimeout(started.timer)
    void started.thread.terminate()
    started.settle?.(error)
    started.settle = undefined
  }
  const rest = (started: Started<O>) => {
    if (waiting) return end(started, new Error('not used'))
    waiting = started
    started.thread.unref()
    started.timer = setTimeout(() => end(started, new Error('not used')), IDLE_MS).unref()
  }
  const start = (): Started<O> => {
    const started: Started<O> = { thread: startThread(caller, file) }
    started.thread.on('message', (output: O) => {
      // The call may have timed out before.
      if (!started.settle) return
      clearTimeout(started.timer)
      started.settle(null, output)
      started.settle = undefined
      rest(started)
    })
    started.thread.on('error', error => end(started, error as Error))
    started.thread.on('exit', code => end(started, new Error(`${name} exited with code ${code}`)))
    return started
  }
  return input =>
    new Promise((resolve, reject) => {
      const started = waiting ?? start()
      waiting = undefined
      clearTimeout(started.timer)
      started.timer = setTimeout(() => end(started, new Error(`${name} timed out`)), ms)
      started.settle = (error, output) => (error ? reject(error) : resolve(output as O))
      started.thread.ref()
      started.thread.postMessage(input)
    })
}
