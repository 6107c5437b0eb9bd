export { createApp } from './app.js'
export { type AuthConfig, authConfigSchema } from './config.js'
