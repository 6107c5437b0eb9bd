import { LIMITS } from '@iodine/contracts'
import { quotaSetting, storageSettings, storeConfigSchema } from '@iodine/service-kit'
import { z } from 'zod'

export const narrativesConfigSchema = storeConfigSchema.extend({
  ...storageSettings,
  EXTRACTION_WAIT_MS: z.coerce
    .number()
    .int()
    .min(1)
    .default(LIMITS.extractionWaitMs)
    .describe('Milliseconds that POST /narratives/ waits for triplets before it answers 504.'),
  QUOTA_NARRATIVES: quotaSetting
    .default(5_000)
    .describe('Narratives of a user, including those in extraction.'),
  QUOTA_CANON_RULES: quotaSetting.default(5_000).describe('Rules of the merges and splits of a user.'),
})
export type NarrativesConfig = z.output<typeof narrativesConfigSchema>
