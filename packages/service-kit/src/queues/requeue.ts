import { DelayedError, type Job } from 'bullmq'

const REQUEUED = Symbol('requeued')

/** Creates the means to requeue the active jobs of a process that shuts down. */
export const createRequeue = () => {
  /** One per active job. */
  const interruptions = new Set<() => void>()
  return {
    /**
     * Resolves to the job's result. If the job is interrupted before, this requeues it and rejects as a postponement; the
     * work continues, but its result is ignored.
     */
    async orRequeue(job: Job, working: Promise<unknown>): Promise<unknown> {
      let interrupt = () => {}
      const interrupted = new Promise<typeof REQUEUED>(resolve => {
        interrupt = () => resolve(REQUEUED)
        interruptions.add(interrupt)
      })
      const result = await Promise.race([working, interrupted]).finally(() => interruptions.delete(interrupt))
      if (result !== REQUEUED) return result
      // The result is ignored: every job is idempotent.
      working.catch(() => {})
      await job.moveToDelayed(Date.now(), job.token)
      throw new DelayedError()
    },
    /** Interrupts all active jobs. */
    interrupt(): void {
      for (const interrupt of interruptions) interrupt()
    },
  }
}
