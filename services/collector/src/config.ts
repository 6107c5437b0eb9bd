import { quotaSetting, storageSettings, storeConfigSchema } from '@iodine/service-kit'
import type { z } from 'zod'

export const collectorConfigSchema = storeConfigSchema.extend({
  ...storageSettings,
  /** Maximum number of records per user, and maximum bytes of their JSON in total. */
  QUOTA_RECORDS: quotaSetting.default(20_000),
  QUOTA_RECORD_BYTES: quotaSetting.default(1024 ** 3),
})
export type CollectorConfig = z.output<typeof collectorConfigSchema>
