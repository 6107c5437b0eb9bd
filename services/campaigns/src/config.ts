import { quotaSetting, storageSettings, storeConfigSchema } from '@iodine/service-kit'
import type { z } from 'zod'

export const campaignsConfigSchema = storeConfigSchema.extend({
  ...storageSettings,
  QUOTA_CAMPAIGNS: quotaSetting.default(200).describe('Campaigns of a user.'),
  QUOTA_CAMPAIGN_IODS: quotaSetting.default(10_000).describe('IODs in a campaign.'),
  QUOTA_IMPORT_BYTES: quotaSetting
    .default(268_435_456)
    .describe('Bytes of the files that a user imports into campaigns.'),
  QUOTA_PUBLISHED_BYTES: quotaSetting
    .default(268_435_456)
    .describe('Bytes of the objects that a user publishes in feeds.'),
})
export type CampaignsConfig = z.output<typeof campaignsConfigSchema>
