export { createApp } from './app.js'
export { type IodsConfig, iodsConfigSchema } from './config.js'
