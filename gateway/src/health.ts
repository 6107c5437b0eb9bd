import { SERVICE_NAMES } from '@iodine/contracts'
import { addressOf, timeoutSignal, VERSION } from '@iodine/service-kit'
import type { FastifyInstance } from 'fastify'
import { fetch } from 'undici'
import type { GatewayConfig } from './config.js'
import type { Load } from './proxy/forward.js'

const TIMEOUT_MS = 2_000

/**
 * Adds `/healthz`, which reports this process, and `/readyz`, which reports every part behind it and this process's
 * load.
 */
export const addHealth = (app: FastifyInstance, config: GatewayConfig, load: () => Load): void => {
  const parts = ([...SERVICE_NAMES, 'workers'] as const).flatMap(name => {
    const url = addressOf(config, name)
    return url ? [{ name, url }] : []
  })
  app.get('/healthz', async () => ({ status: 'up', version: VERSION }))
  app.get('/readyz', async (_request, reply) => {
    if (app.isDraining) return reply.code(503).send({ status: 'draining' })
    const states = await Promise.all(
      parts.map(async ({ name, url }) => {
        const answer = await fetch(new URL('/readyz', url), {
          signal: timeoutSignal(TIMEOUT_MS),
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
