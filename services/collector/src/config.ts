import { type StoreConfig, storeConfigSchema } from '@iodine/service-kit'

export const collectorConfigSchema = storeConfigSchema
export type CollectorConfig = StoreConfig
