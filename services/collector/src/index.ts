export { createApp } from './app.js'
export { type CollectorConfig, collectorConfigSchema } from './config.js'
