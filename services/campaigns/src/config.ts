import { quotaSetting, storageSettings, storeConfigSchema } from '@iodine/service-kit'
import type { z } from 'zod'

export const campaignsConfigSchema = storeConfigSchema.extend({
  ...storageSettings,
  /** Maximum campaigns per user, and maximum IODs per campaign. */
  QUOTA_CAMPAIGNS: quotaSetting.default(200),
  QUOTA_CAMPAIGN_IODS: quotaSetting.default(10_000),
})
export type CampaignsConfig = z.output<typeof campaignsConfigSchema>
