import { type StoreConfig, storeConfigSchema } from '@iodine/service-kit'

export const iodsConfigSchema = storeConfigSchema
export type IodsConfig = StoreConfig
