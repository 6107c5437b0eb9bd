import { everyMs, QUEUES, type QueueName, systemApi } from '@iodine/contracts'
import type { AuthContext } from '../context.js'
import { requireAdmin } from '../policies/admin.js'
import { readParts } from '../queries/parts.js'

/** What administrators see of the parts and queues. */
export const addSystemRoutes = (context: AuthContext): void => {
  const { config, service } = context

  service.route(systemApi.listParts, async ({ user }) => {
    await requireAdmin(context, user)
    return readParts(config)
  })

  service.route(systemApi.listQueues, async ({ user }) => {
    await requireAdmin(context, user)
    const [states, failures] = await Promise.all([service.queues.states(), service.queues.failures()])
    return (Object.keys(QUEUES) as QueueName[]).map(name => {
      const { waiting = 0, active = 0, delayed = 0, failed = 0 } = states[name]?.jobs ?? {}
      return {
        name,
        jobs: states[name] ? { waiting, active, delayed, failed } : null,
        oldest_seconds: states[name]?.oldestSeconds ?? 0,
        every_ms: everyMs(name) ?? null,
        last_failure: failures[name] ?? null,
      }
    })
  })
}
