export { createApp } from './app.js'
export { type CampaignsConfig, campaignsConfigSchema } from './config.js'
export { searchFields } from './models/campaign.js'
