export { createApp } from './app.js'
export { searchFields } from './campaigns/models/campaign.js'
export { type CampaignsConfig, campaignsConfigSchema } from './config.js'
