export { createApp } from './app.js'
export { type GatewayConfig, gatewayConfigSchema } from './config.js'
