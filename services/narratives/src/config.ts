import { LIMITS } from '@iodine/contracts'
import { quotaSetting, storageSettings, storeConfigSchema } from '@iodine/service-kit'
import { z } from 'zod'

export const narrativesConfigSchema = storeConfigSchema.extend({
  ...storageSettings,
  /** Milliseconds that POST /narratives/ waits for triplets before it answers 504. */
  EXTRACTION_WAIT_MS: z.coerce.number().int().min(1).default(LIMITS.extractionWaitMs),
  /** Narratives that a user may keep, including open ones. */
  QUOTA_NARRATIVES: quotaSetting.default(5_000),
  /** Rules that a user's merges and splits of canonical narratives may make. */
  QUOTA_CANON_RULES: quotaSetting.default(5_000),
})
export type NarrativesConfig = z.output<typeof narrativesConfigSchema>
