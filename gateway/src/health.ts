import type { FastifyInstance } from 'fastify'
import { fetch } from 'undici'
import type { Load } from './plugins/proxy.js'

const PATIENCE_MS = 2_000

/** `/healthz`: this process is up. `/readyz`: so is every part behind it, with a status for each, and how much this process has to do. */
export const addHealth = (app: FastifyInstance, parts: Record<string, string>, load: () => Load): void => {
  app.get('/healthz', async () => ({ status: 'up' }))
  app.get('/readyz', async (_request, reply) => {
    if (app.isDraining) return reply.code(503).send({ status: 'draining' })
    const states = await Promise.all(
      Object.entries(parts).map(async ([name, url]) => {
        const answer = await fetch(new URL('/readyz', url), {
          signal: AbortSignal.timeout(PATIENCE_MS),
        }).catch(() => undefined)
        await answer?.body?.cancel()
        return [name, answer?.ok ? 'up' : 'down'] as const
      }),
    )
    const ready = states.every(([, state]) => state === 'up')
    return reply
      .code(ready ? 200 : 503)
      .send({ status: ready ? 'up' : 'down', parts: Object.fromEntries(states), load: load() })
  })
}
