import { storageSettings, storeConfigSchema } from '@iodine/service-kit'
import type { z } from 'zod'

export const sightingsConfigSchema = storeConfigSchema.extend(storageSettings)
export type SightingsConfig = z.output<typeof sightingsConfigSchema>
