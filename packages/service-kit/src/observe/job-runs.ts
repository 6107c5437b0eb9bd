import { randomUUID } from 'node:crypto'
import { context, trace } from '@opentelemetry/api'
import { DelayedError } from 'bullmq'
import type { Logger } from './logging.js'
import type { JobOutcome, PartMetrics } from './metrics.js'
import { markFailed } from './tracing.js'
import { requestIdOf, withRequestId } from './work-context.js'

export interface JobRun {
  /** Name of the queue, or of the outbox's kind. */
  queue: string
  id: string | undefined
  /** Counts from 1. */
  attempt: number
  /** Scheduled jobs run every few seconds: at level info their lines would hide the others. */
  isScheduled?: boolean
}

/** Runs a job in the context of the request that added it, else in a new one. Writes its log line and metrics. */
export type JobRunner = <T>(
  job: JobRun,
  run: () => Promise<T>,
  outcomeOf?: (result: T) => JobOutcome,
) => Promise<T>

export const createJobRunner =
  (log: Logger, metrics: Pick<PartMetrics, 'observeJob'>): JobRunner =>
  async ({ isScheduled = false, ...job }, run, outcomeOf = () => 'completed') => {
    const requestId = requestIdOf() ?? randomUUID()
    const span = trace.getActiveSpan()?.setAttribute('request.id', requestId)
    const started = performance.now()
    let outcome: JobOutcome = 'failed'
    return context.with(withRequestId(context.active(), requestId), async () => {
      try {
        const result = await run()
        outcome = outcomeOf(result)
        return result
      } catch (error) {
        if (error instanceof DelayedError) outcome = 'postponed'
        else markFailed(error)
        throw error
      } finally {
        const ms = performance.now() - started
        metrics.observeJob(job.queue, outcome, ms)
        span?.setAttribute('job.outcome', outcome)
        log[isScheduled ? 'debug' : 'info']({ ...job, outcome, ms: Math.round(ms) }, 'job')
      }
    })
  }
