export { createApp } from './app.js'
export { type CommunityConfig, communityConfigSchema } from './config.js'
