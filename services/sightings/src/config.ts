import { type StoreConfig, storeConfigSchema } from '@iodine/service-kit'

export const sightingsConfigSchema = storeConfigSchema
export type SightingsConfig = StoreConfig
