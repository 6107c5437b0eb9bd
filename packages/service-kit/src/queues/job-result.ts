import type { EventEmitter } from 'node:events'
import type { Queue, QueueEvents } from 'bullmq'

/**
 * Waits for a job's result. BullMQ's own `waitUntilFinished` leaves an unhandled rejection, which ends the
 * process, if Redis disconnects at the wrong moment.
 */
export const jobResult = (listener: QueueEvents, queue: Queue, id: string, ms: number): Promise<unknown> =>
  new Promise((resolve, reject) => {
    // Job events have the job's id in their name, which the listener's type lacks.
    const events = listener as unknown as EventEmitter
    const [completed, failed] = [`completed:${id}`, `failed:${id}`]
    let retry: NodeJS.Timeout | undefined
    let ended = false
    const end = (complete: () => void) => {
      ended = true
      clearTimeout(timer)
      clearTimeout(retry)
      events.off(completed, onCompleted)
      events.off(failed, onFailed)
      complete()
    }
    const onCompleted = ({ returnvalue }: { returnvalue: unknown }) => end(() => resolve(returnvalue))
    const onFailed = ({ failedReason }: { failedReason: string }) =>
      end(() => reject(new Error(failedReason)))
    const timer = setTimeout(() => end(() => reject(new Error('timed out'))), ms)
    events.on(completed, onCompleted)
    events.on(failed, onFailed)
    // The job may have finished before the listener was added.
    const look = async () => {
      await listener.waitUntilReady()
      // The state is needed: a job completed at a later attempt keeps the earlier attempt's failure.
      const state = await queue.getJobState(id)
      if (state !== 'completed' && state !== 'failed' && state !== 'unknown') return
      const job = await queue.getJob(id)
      if (!job) onFailed({ failedReason: 'the job no longer exists' })
      else if (state === 'failed') onFailed({ failedReason: job.failedReason })
      else onCompleted({ returnvalue: job.returnvalue })
    }
    const lookUntilSeen = (): Promise<unknown> =>
      look().catch(() => {
        if (!ended) retry = setTimeout(lookUntilSeen, 500)
      })
    void lookUntilSeen()
  })
