import { quotaSetting, storageSettings, storeConfigSchema } from '@iodine/service-kit'
import type { z } from 'zod'

export const iodsConfigSchema = storeConfigSchema.extend({
  ...storageSettings,
  /** Per user: maximum IODs per day (UTC), maximum IODs in total, maximum bytes of their texts and of quotes. */
  QUOTA_IODS_A_DAY: quotaSetting.default(500),
  QUOTA_IODS: quotaSetting.default(20_000),
  QUOTA_IOD_BYTES: quotaSetting.default(16 * 1024 ** 2),
  QUOTA_EVIDENCE_BYTES: quotaSetting.default(16 * 1024 ** 2),
})
export type IodsConfig = z.output<typeof iodsConfigSchema>
