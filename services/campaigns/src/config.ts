import { quotaSetting, storageSettings, storeConfigSchema } from '@iodine/service-kit'
import type { z } from 'zod'

export const campaignsConfigSchema = storeConfigSchema.extend({
  ...storageSettings,
  /** Maximum campaigns per user, and maximum IODs per campaign. */
  QUOTA_CAMPAIGNS: quotaSetting.default(200),
  QUOTA_CAMPAIGN_IODS: quotaSetting.default(10_000),
  /** Maximum bytes of a user's imported files. */
  QUOTA_IMPORT_BYTES: quotaSetting.default(268_435_456),
  /** Maximum bytes of what a user publishes. */
  QUOTA_PUBLISHED_BYTES: quotaSetting.default(268_435_456),
})
export type CampaignsConfig = z.output<typeof campaignsConfigSchema>
