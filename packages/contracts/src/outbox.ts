import { z } from 'zod'
import { internalEndpoint } from './endpoint.js'
import { LIMITS } from './limits.js'
import { done, id, time } from './primitives.js'

/** Work of a service's outbox that was given up. */
export const failedWork = z.strictObject({
  id,
  kind: z.string(),
  error: z.string(),
  attempts: z.int(),
  created_at: time,
  failed_at: time,
})

export type FailedWork = z.output<typeof failedWork>

/** What is done with it: try it again now, or remove it. */
export const settleWork = z.strictObject({ action: z.enum(['retry', 'drop']) })

/** Served by every service with a database. */
export const outboxInternal = {
  listFailedWork: internalEndpoint('GET /internal/outbox', {
    summary: `Work of the outbox that was given up, newest first: at most ${LIMITS.failedWorkMax}`,
    response: z.array(failedWork),
  }),
  settleFailedWork: internalEndpoint('POST /internal/outbox/:id', {
    summary: 'Try work again that was given up, or remove it; 404 if there is none with this id',
    params: z.strictObject({ id }),
    body: settleWork,
    response: done,
  }),
} as const
