export { createApp, type GatewayDeps } from './app.js'
export { BOUNDS } from './bounds.js'
export { type GatewayConfig, gatewayConfigSchema } from './config.js'
export type { Load } from './proxy/forward.js'
