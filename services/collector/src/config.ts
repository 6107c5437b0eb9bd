import {
  quotaSetting,
  signingKeySetting,
  storageSettings,
  storeConfigSchema,
  urlSetting,
} from '@iodine/service-kit'
import type { z } from 'zod'

export const collectorConfigSchema = storeConfigSchema.extend({
  ...storageSettings,
  /** Maximum number of records per user, and maximum bytes of their JSON in total. */
  QUOTA_RECORDS: quotaSetting.default(20_000),
  QUOTA_RECORD_BYTES: quotaSetting.default(1024 ** 3),
  /** Maximum bytes of the blobs of a user's captures. */
  QUOTA_CAPTURE_BYTES: quotaSetting.default(2 * 1024 ** 3),
  /** Signs checkpoints of the log of seals. */
  SEAL_PRIVATE_KEY: signingKeySetting,
  /** Where the blobs of captures are kept: `file:///FOLDER`, `s3://KEY:SECRET@HOST/BUCKET`, or the database. */
  BLOBS_URL: urlSetting('file', 's3', 'gridfs').default('gridfs:'),
})
export type CollectorConfig = z.output<typeof collectorConfigSchema>
