import type { Connection } from '@iodine/service-kit'
import {
  type CountDoc,
  type CountingDoc,
  countingSchema,
  countSchema,
  type SnapshotDoc,
  snapshotSchema,
} from './count.js'
import { type IndexDoc, indexSchema, type SightingDoc, sightingSchema } from './sighting.js'

export const createModels = (mongo: Connection) => ({
  mongo,
  sightings: mongo.model<SightingDoc>('Sighting', sightingSchema),
  index: mongo.model<IndexDoc>('Index', indexSchema),
  counting: mongo.model<CountingDoc>('Counting', countingSchema),
  counts: mongo.model<CountDoc>('Count', countSchema),
  snapshots: mongo.model<SnapshotDoc>('Snapshot', snapshotSchema),
})
export type SightingModels = ReturnType<typeof createModels>
