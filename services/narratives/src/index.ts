export { createApp } from './app.js'
export { rebuildGraph } from './commands/rebuild-graph.js'
export { type NarrativesConfig, narrativesConfigSchema } from './config.js'
export { createModels } from './models/index.js'
