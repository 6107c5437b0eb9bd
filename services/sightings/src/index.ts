export { createApp } from './app.js'
export { type SightingsConfig, sightingsConfigSchema } from './config.js'
