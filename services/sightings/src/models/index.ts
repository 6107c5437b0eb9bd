import type { Connection } from '@iodine/service-kit'
import { type IndexDoc, indexSchema, type SightingDoc, sightingSchema } from './sighting.js'

export const createModels = (mongo: Connection) => ({
  mongo,
  sightings: mongo.model<SightingDoc>('Sighting', sightingSchema),
  index: mongo.model<IndexDoc>('Index', indexSchema),
})
export type SightingModels = ReturnType<typeof createModels>
