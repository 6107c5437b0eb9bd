import { quotaSetting, storageSettings, storeConfigSchema } from '@iodine/service-kit'
import type { z } from 'zod'

export const iodsConfigSchema = storeConfigSchema.extend({
  ...storageSettings,
  QUOTA_IODS_A_DAY: quotaSetting.default(500).describe('IODs that a user may create on a day (UTC).'),
  QUOTA_IODS: quotaSetting.default(20_000).describe('IODs that a user may create in total.'),
  QUOTA_IOD_BYTES: quotaSetting
    .default(16 * 1024 ** 2)
    .describe('Bytes of the values and descriptions of the IODs of a user.'),
  QUOTA_EVIDENCE_BYTES: quotaSetting
    .default(16 * 1024 ** 2)
    .describe('Bytes of the quotes, contexts and URLs of the evidence of a user.'),
})
export type IodsConfig = z.output<typeof iodsConfigSchema>
