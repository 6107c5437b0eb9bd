import { setTimeout as sleep } from 'node:timers/promises'
import { type Context, ROOT_CONTEXT, SpanKind, trace } from '@opentelemetry/api'
import { createJobRunner } from '../observe/job-runs.js'
import type { Logger } from '../observe/logging.js'
import type { PartMetrics } from '../observe/metrics.js'
import { createSharedReads } from '../single-flight.js'

/** Work of one task: idempotent, and safe beside the same work in other replicas. */
export type TaskWork = (signal: AbortSignal) => Promise<unknown>

/** Recurring work of a service that no change of the data triggers, such as expiry. */
export interface Tasks {
  /** Defines a task. It runs at start, then `ms` milliseconds (± 10 %) after each run. A failed run is logged and repeated within a minute. */
  every(name: string, ms: number, work: TaskWork): void
  /** Begins to run tasks. */
  start(): void
  /** Reports in the metrics that some process must run the tasks. */
  expect(): void
  /** Runs one task, or all one after another. Resolves after a run that began after the call. Rejects with its error. */
  run(name?: string): Promise<void>
  /** Aborts running tasks and waits for them. Idempotent. */
  close(): Promise<void>
}

interface TasksOptions {
  log: Logger
  metrics: Pick<PartMetrics, 'observeJob' | 'expectTask'>
  /** Root context of the service's traces. */
  root?: Context | undefined
}

/** Maximum delay after a failed run: the database or another service was unreachable. */
const RETRY_MS = 60_000
/** Grace in which a first run, or a slow one, is not reported as overdue. */
const GRACE_MS = 120_000
const LONGEST_TIMER_MS = 2 ** 31 - 1
/** Timeout of a running task at shutdown. */
const CLOSING_MS = 8_000

/** Creates a service's recurring tasks. They are kept in memory: every process runs them, unless its role is `api`. */
export const createTasks = ({ log, metrics, root = ROOT_CONTEXT }: TasksOptions): Tasks => {
  const runJob = createJobRunner(log, metrics)
  const tasks = new Map<string, { ms: number; run: () => Promise<void> }>()
  const shared = createSharedReads<string, void>(LONGEST_TIMER_MS)
  const closing = new AbortController()
  const { signal } = closing
  let loops: Promise<unknown> | undefined

  const repeat = async (name: string, { ms, run }: { ms: number; run: () => Promise<void> }) => {
    while (!signal.aborted) {
      let delay = ms
      await run().catch(error => {
        if (!signal.aborted) log.warn({ err: error, task: name }, 'task failed')
        delay = Math.min(ms, RETRY_MS)
      })
      await sleep(delay * (0.9 + Math.random() / 5), undefined, { signal, ref: false }).catch(() => {})
    }
  }

  return {
    every(name, ms, work) {
      if (tasks.has(name)) throw new Error(`two tasks are named ${name}`)
      const once = async () => {
        await trace
          .getTracer('iodine')
          .startActiveSpan(`process ${name}`, { kind: SpanKind.CONSUMER }, root, span =>
            runJob({ queue: name, id: undefined, attempt: 1, isScheduled: true }, () => work(signal)).finally(
              () => span.end(),
            ),
          )
        metrics.expectTask(name, 2 * ms + GRACE_MS)
      }
      tasks.set(name, { ms, run: () => shared(name, once) })
    },
    start() {
      loops ??= Promise.all([...tasks].map(([name, task]) => repeat(name, task)))
    },
    expect() {
      for (const [name, { ms }] of tasks) metrics.expectTask(name, ms + GRACE_MS)
    },
    async run(name) {
      for (const [each, task] of tasks) if (name === undefined || name === each) await task.run()
    },
    async close() {
      closing.abort()
      await Promise.race([loops, sleep(CLOSING_MS, undefined, { ref: false })])
    },
  }
}
