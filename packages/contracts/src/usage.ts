import { z } from 'zod'
import { internalEndpoint } from './endpoint.js'
import { done, id } from './primitives.js'
import { QUOTAS, type Quota } from './quotas.js'

export const quotaUsage = z.strictObject({ used: z.int(), limit: z.int() })

/** Null: the owning service is down. */
export const usage = z.strictObject(
  Object.fromEntries(QUOTAS.map(name => [name, quotaUsage.nullable()])) as Record<
    Quota,
    z.ZodNullable<typeof quotaUsage>
  >,
)
export type Usage = z.output<typeof usage>

export const usageInternal = {
  getUsage: internalEndpoint('GET /internal/users/:id/usage', {
    summary: "A user's usage of the quotas that this service keeps",
    params: z.strictObject({ id }),
    response: z.partialRecord(z.enum(QUOTAS), quotaUsage),
  }),
  setLimits: internalEndpoint('PUT /internal/users/:id/limits', {
    summary:
      'Limits of a user that replace the deployment’s; a revision older than the stored one is ignored',
    params: z.strictObject({ id }),
    body: z.strictObject({
      revision: z.int().min(1),
      limits: z.partialRecord(z.enum(QUOTAS), z.int().min(1)),
    }),
    response: done,
  }),
} as const
