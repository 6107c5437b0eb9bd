import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import { type PartMetrics, readMetrics } from './metrics.js'
import { processState } from './process-state.js'
import { VERSION } from './version.js'

/** Timeout of a readiness check. */
const CHECK_MS = 2_000

export type Checks = ReadonlyMap<string, () => Promise<unknown>>

const isUp = (check: () => Promise<unknown>): Promise<boolean> => {
  const answered = check().then(
    () => true,
    () => false,
  )
  return Promise.race([answered, sleep(CHECK_MS, false, { ref: false })])
}

/** Serves liveness, readiness and metrics. The part is ready while all checks resolve. */
export const serveHealth = (
  app: FastifyInstance,
  metrics: Pick<PartMetrics, 'watchDependencies'>,
  checks: Checks,
): void => {
  const dependencies = async (): Promise<Record<string, boolean>> =>
    Object.fromEntries(
      await Promise.all([...checks].map(async ([part, check]) => [part, await isUp(check)] as const)),
    )
  metrics.watchDependencies(dependencies)
  app.get('/healthz', async () => ({ status: 'up', version: VERSION }))
  app.get('/metrics', async (_request, reply) => {
    const { type, text } = await readMetrics()
    return reply.type(type).send(text)
  })
  app.get('/readyz', async (_request, reply) => {
    if (app.isDraining) return reply.code(503).send({ status: 'draining' })
    const states = Object.entries(await dependencies())
    const ready = states.every(([, isUp]) => isUp)
    const parts = Object.fromEntries(states.map(([part, isUp]) => [part, isUp ? 'up' : 'down']))
    return reply
      .code(ready ? 200 : 503)
      .send({ status: ready ? 'up' : 'down', parts, process: processState() })
  })
}
