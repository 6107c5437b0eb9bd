export { createApp } from './app.js'
export { type NotificationsConfig, notificationsConfigSchema } from './config.js'
