export { createApp } from './app.js'
export { rebuildGraphOnce } from './commands/rebuild-graph.js'
export { type NarrativesConfig, narrativesConfigSchema } from './config.js'
