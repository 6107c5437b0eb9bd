export { createApp } from './app.js'
export { type CollectorConfig, collectorConfigSchema } from './config.js'
export { evidenceUsage, runEvidence } from './redact.js'
