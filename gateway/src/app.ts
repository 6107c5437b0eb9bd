import type { Server } from 'node:http'
import {
  addressOf,
  connectRedis,
  createHttpApp,
  createLogger,
  createPartMetrics,
  createPeers,
  createTokenVerifier,
  createTracing,
  listenForMetrics,
  type Part,
  remoteKeys,
  type ServiceDeps,
  startSettingsReport,
} from '@iodine/service-kit'
import { createApiTokenCheck } from './api-tokens.js'
import { BOUNDS, REFUSALS } from './bounds.js'
import type { GatewayConfig } from './config.js'
import { createFeedKeyCheck } from './feed-keys.js'
import { addHealth } from './health.js'
import { createLimits } from './limits.js'
import { addExtension } from './plugins/extension.js'
import { addPolicyReports } from './plugins/policy-reports.js'
import { addProxy } from './plugins/proxy.js'
import { addReference } from './plugins/reference.js'
import { addSecurity, securityHeaders } from './plugins/security.js'
import { addSecurityTxt } from './plugins/security-txt.js'
import { addWeb, shellPage } from './plugins/web.js'
import { ROUTES } from './routes.js'
import { createSessionStates } from './session-states.js'
import { createSessionCheck } from './sessions.js'
import { guardSockets } from './sockets.js'

export interface GatewayDeps extends ServiceDeps {
  /** Timeout of a session lookup in Redis, after which the gateway queries auth; 300 ms by default. */
  sessionLookMs?: number
}

/** Creates the only public entry point: it checks sessions, routes requests by path, and serves the web apps. */
export const createApp = async (config: GatewayConfig, deps: GatewayDeps = {}): Promise<Part> => {
  const log = deps.logger ?? createLogger('gateway', config.LOG_LEVEL)
  const redis = await connectRedis(config.REDIS_URL, deps.sessionLookMs ?? 300)
  const metrics = createPartMetrics('gateway')
  const tracing = await createTracing('gateway', config)
  const peers = createPeers(config, metrics)
  const limits = createLimits(config)
  const trusted = config.TRUST_PROXY
  const app = createHttpApp({
    logger: log,
    trustProxy: typeof trusted === 'number' ? (_address, hop) => hop < trusted : trusted,
    metrics,
    tracing,
    isPublic: true,
    headers: securityHeaders(),
    fallback: shellPage(config),
  })
  metrics.watchDependencies(async () => ({
    redis: await redis.ping().then(
      () => true,
      () => false,
    ),
  }))
  let metricsServer: Server | undefined
  let stopReport = () => {}
  app.addHook('onClose', async () => {
    stopReport()
    metricsServer?.close().closeAllConnections()
    await peers.close()
    metrics.close()
    await tracing?.close()
    redis.disconnect()
  })
  try {
    const keys = deps.tokenKeys ?? remoteKeys(config.AUTH_URL)
    const states = createSessionStates(redis, config.REDIS_PREFIX)
    await addSecurity(app, config, limits)
    await addReference(app)
    const { refused } = metrics.watchLoad(REFUSALS, () => load().pools)
    guardSockets(app, BOUNDS, config.TRUST_PROXY === false, refused)
    const load = addProxy(app, {
      routes: ROUTES,
      addressOf: name => addressOf(config, name),
      checkSession: createSessionCheck(createTokenVerifier(keys), states, peers),
      checkApiToken: createApiTokenCheck(states, peers),
      checkFeedKey: createFeedKeyCheck(peers),
      publicUrl: config.PUBLIC_URL === undefined ? undefined : new URL(config.PUBLIC_URL),
      limits,
      refused,
    })
    addHealth(app, config, load)
    addExtension(app, config)
    addSecurityTxt(app, config)
    await addPolicyReports(app, metrics)
    await addWeb(app, config)
  } catch (error) {
    await app.close()
    throw error
  }
  let closed: Promise<void> | undefined
  return {
    name: 'gateway',
    app,
    async listen() {
      if (config.METRICS_PORT !== undefined)
        metricsServer = await listenForMetrics(config.HOST, config.METRICS_PORT)
      const address = await app.listen({ host: config.HOST, port: config.PORT })
      stopReport = startSettingsReport({ part: 'gateway', config, peers })
      return address
    },
    drain: () => app.drain(config.DRAIN_MS),
    close: () => {
      closed ??= Promise.resolve(app.close()).then(() => {})
      return closed
    },
  }
}
