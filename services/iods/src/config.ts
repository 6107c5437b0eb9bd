import { quotaSetting, storageSettings, storeConfigSchema } from '@iodine/service-kit'
import type { z } from 'zod'

export const iodsConfigSchema = storeConfigSchema.extend({
  ...storageSettings,
  /** IODs a user may create on a day (UTC) and in all, and the bytes that their texts may take. */
  QUOTA_IODS_A_DAY: quotaSetting.default(500),
  QUOTA_IODS: quotaSetting.default(20_000),
  QUOTA_IOD_BYTES: quotaSetting.default(16 * 1024 ** 2),
  /** The same of all users together, and of deleted accounts: what the catalog has to hold in memory. */
  QUOTA_ALL_IODS: quotaSetting.default(300_000),
  QUOTA_ALL_IOD_BYTES: quotaSetting.default(128 * 1024 ** 2),
})
export type IodsConfig = z.output<typeof iodsConfigSchema>
