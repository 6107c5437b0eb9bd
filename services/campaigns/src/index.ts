export { createApp } from './app.js'
export { type CampaignsConfig, campaignsConfigSchema } from './config.js'
