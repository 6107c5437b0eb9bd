import type { Job, Queue } from 'bullmq'

const IDLE_STATES = ['completed', 'failed', 'delayed', 'prioritized', 'wait'] as const
const PAGE = 200

/** Removes a queue's jobs whose id or data contain `text`, except active ones. */
export const removeJobs = async (queue: Queue, text: string): Promise<void> => {
  const found: Job[] = []
  for (let start = 0; ; start += PAGE) {
    const jobs = await queue.getJobs([...IDLE_STATES], start, start + PAGE - 1)
    found.push(...jobs.filter(job => JSON.stringify([job?.id, job?.data]).includes(text)))
    if (jobs.length < PAGE) break
  }
  // An active job cannot be removed.
  for (const job of found) await job.remove().catch(() => {})
}
