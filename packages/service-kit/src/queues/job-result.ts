import type { EventEmitter } from 'node:events'
import type { Queue, QueueEvents } from 'bullmq'

/**
 * A job's end. BullMQ's own `waitUntilFinished` leaves a rejection unhandled, the end of the process, when Redis goes away
 * at the wrong moment.
 */
export const jobResult = (listener: QueueEvents, queue: Queue, id: string, ms: number): Promise<unknown> =>
  new Promise((resolve, reject) => {
    // Events of one job carry its id in their name, which the listener's own type leaves out.
    const events = listener as unknown as EventEmitter
    const [completed, failed] = [`completed:${id}`, `failed:${id}`]
    let again: NodeJS.Timeout | undefined
    let ended = false
    const end = (settle: () => void) => {
      ended = true
      clearTimeout(timer)
      clearTimeout(again)
      events.off(completed, onCompleted)
      events.off(failed, onFailed)
      settle()
    }
    const onCompleted = ({ returnvalue }: { returnvalue: unknown }) => end(() => resolve(returnvalue))
    const onFailed = ({ failedReason }: { failedReason: string }) =>
      end(() => reject(new Error(failedReason)))
    const timer = setTimeout(() => end(() => reject(new Error('timed out'))), ms)
    events.on(completed, onCompleted)
    events.on(failed, onFailed)
    // It may have ended before anybody listened.
    const look = async () => {
      await listener.waitUntilReady()
      // The job alone doesn't tell: one that was completed at a later attempt keeps the earlier one's failure.
      const state = await queue.getJobState(id)
      if (state !== 'completed' && state !== 'failed' && state !== 'unknown') return
      const job = await queue.getJob(id)
      if (!job) onFailed({ failedReason: 'the job is gone' })
      else if (state === 'failed') onFailed({ failedReason: job.failedReason })
      else onCompleted({ returnvalue: job.returnvalue })
    }
    const lookUntilSeen = (): Promise<unknown> =>
      look().catch(() => {
        if (!ended) again = setTimeout(lookUntilSeen, 500)
      })
    void lookUntilSeen()
  })
