import { z } from 'zod'
import { internalEndpoint } from './endpoint.js'
import { LIMITS } from './limits.js'
import { done, id, time } from './primitives.js'

/** Permanently failed entry of a service's outbox. */
export const failedWork = z.strictObject({
  id,
  kind: z.string(),
  error: z.string(),
  attempts: z.int(),
  created_at: time,
  failed_at: time,
})

export type FailedWork = z.output<typeof failedWork>

/** Action on a failed entry: retry it now, or remove it. */
export const settleWork = z.strictObject({ action: z.enum(['retry', 'drop']) })

/** Served by every service with a database. */
export const outboxInternal = {
  listFailedWork: internalEndpoint('GET /internal/outbox', {
    summary: `Failed work of the outbox, newest first: at most ${LIMITS.failedWorkMax}`,
    response: z.array(failedWork),
  }),
  resolveFailedEntry: internalEndpoint('POST /internal/outbox/:id', {
    summary: 'Retry failed work, or remove it; 404 for an unknown id',
    params: z.strictObject({ id }),
    body: settleWork,
    response: done,
  }),
} as const
