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
  QUOTA_RECORDS: quotaSetting.default(20_000).describe('Records of a user.'),
  QUOTA_RECORD_BYTES: quotaSetting.default(1024 ** 3).describe('Bytes of the records of a user as JSON.'),
  QUOTA_CAPTURE_BYTES: quotaSetting.default(2 * 1024 ** 3).describe('Bytes of the captures of a user.'),
  SEAL_PRIVATE_KEY: signingKeySetting.describe(
    'Ed25519 key, PKCS 8 in PEM. Signs the checkpoints of the evidence log. `npm start` creates one in `DATA_DIR`.',
  ),
  BLOBS_URL: urlSetting('file', 's3', 'gridfs')
    .default('gridfs:')
    .describe(
      'Store of the captures: `file:///FOLDER`, `s3://KEY:SECRET@HOST/BUCKET`, or `gridfs:` for the database. With `npm start`: `DATA_DIR/blobs`.',
    ),
})
export type CollectorConfig = z.output<typeof collectorConfigSchema>
