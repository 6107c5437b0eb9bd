import { AsyncLocalStorage } from 'node:async_hooks'
import type { Span } from './span.js'

/** What stays with the work of one request through every service and job that it leads to. */
export interface WorkContext {
  /** In every log line, in the answer's `X-Request-Id`, in internal calls and in jobs. */
  requestId: string
  /** Its present place in a trace; absent where nothing is traced. */
  span?: Span | undefined
}

const storage = new AsyncLocalStorage<WorkContext>()

/** The work under way; undefined at start-up and in timers. */
export const currentWork = (): WorkContext | undefined => storage.getStore()

/** Runs something as a part of that work. */
export const runWork = <T>(work: WorkContext, run: () => T): T => storage.run(work, run)

/** Runs something that outlives the work under way, such as opening a connection that others will use, as a part of none. */
export const runOutsideWork = <T>(run: () => T): T => storage.exit(run)
