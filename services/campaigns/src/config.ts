import { type StoreConfig, storeConfigSchema } from '@iodine/service-kit'

export const campaignsConfigSchema = storeConfigSchema
export type CampaignsConfig = StoreConfig
