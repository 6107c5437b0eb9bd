import { quotaSetting, storageSettings, storeConfigSchema, urlSetting } from '@iodine/service-kit'
import { z } from 'zod'

export const campaignsConfigSchema = storeConfigSchema.extend({
  ...storageSettings,
  QUOTA_CAMPAIGNS: quotaSetting.default(200).describe('Campaigns of a user.'),
  QUOTA_CAMPAIGN_IODS: quotaSetting.default(10_000).describe('IODs in a campaign.'),
  QUOTA_IMPORT_BYTES: quotaSetting
    .default(268_435_456)
    .describe('Bytes of the files that a user imports into campaigns.'),
  QUOTA_PUBLISHED_BYTES: quotaSetting
    .default(268_435_456)
    .describe('Bytes of the objects that a user publishes in feeds, and of their reports.'),
  REPORTS: z
    .enum(['off', 'reviewed'])
    .default('off')
    .describe('Public reports of campaigns: none, or those that another administrator has approved.'),
  REPORTS_CONTACT: z.string().default('').describe('Address on public reports for objections and replies.'),
  REPORTS_LEGAL_NOTICE: z
    .string()
    .default('')
    .describe('Legal notice on public reports: who publishes them.'),
  PUBLIC_URL: urlSetting('http', 'https').default('http://localhost:3000').describe('URL of the web app.'),
})
export type CampaignsConfig = z.output<typeof campaignsConfigSchema>
