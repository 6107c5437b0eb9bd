import { type StoreConfig, storeConfigSchema } from '@iodine/service-kit'

export const communityConfigSchema = storeConfigSchema
export type CommunityConfig = StoreConfig
