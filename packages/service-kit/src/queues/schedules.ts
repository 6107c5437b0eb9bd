import type { QueueName } from '@iodine/contracts'
import type { Queue } from 'bullmq'

/** Interval of the schedule check: a Redis that lost its data has no schedules. */
const HEARTBEAT_MS = 5_000

/**
 * Creates the schedules of this process, which are stored in Redis.
 * @param noteHeartbeat runs after each successful check
 */
export const createSchedules = (queue: (name: QueueName) => Queue, noteHeartbeat: () => void) => {
  const schedules: (() => Promise<void>)[] = []
  let heartbeat: NodeJS.Timeout | undefined
  /** Ensures that Redis has every schedule together with its next job. Rejects while Redis is down. */
  const assertAll = async () => {
    for (const assert of schedules) await assert()
    noteHeartbeat()
  }
  return {
    /** Schedules a job every `ms` milliseconds. */
    async repeat(name: QueueName, ms: number): Promise<void> {
      // Each run starts its own trace instead of joining the run that scheduled it.
      const opts = { removeOnComplete: true, removeOnFail: 10, telemetry: { omitContext: true } }
      const schedule = () => queue(name).upsertJobScheduler(name, { every: ms }, { name, data: {}, opts })
      await schedule()
      schedules.push(async () => {
        const next = (await queue(name).getJobScheduler(name))?.next
        // A schedule without its next job never runs again.
        const isThere = next !== undefined && (await queue(name).getJob(`repeat:${name}:${next}`))
        if (!isThere) await schedule()
      })
      noteHeartbeat()
      heartbeat ??= setInterval(() => void assertAll().catch(() => {}), HEARTBEAT_MS)
    },
    /** Stops the checks. */
    stop: () => clearInterval(heartbeat),
  }
}
