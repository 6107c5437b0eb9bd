import { type StoreConfig, storeConfigSchema } from '@iodine/service-kit'

export const notificationsConfigSchema = storeConfigSchema
export type NotificationsConfig = StoreConfig
