export { createApp } from './app.js'
export { type WorkersConfig, workersConfigSchema } from './config.js'
