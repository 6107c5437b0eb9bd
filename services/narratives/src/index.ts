export { createApp } from './app.js'
export { type NarrativesConfig, narrativesConfigSchema } from './config.js'
