import type { Connection } from '@iodine/service-kit'
import { type EdgeDoc, edgeSchema, type RunDoc, runSchema } from './coordination/models/run.js'
import {
  type CountDoc,
  type CountingDoc,
  countingSchema,
  countSchema,
  type SnapshotDoc,
  snapshotSchema,
} from './sightings/models/count.js'
import { type IndexDoc, indexSchema, type SightingDoc, sightingSchema } from './sightings/models/sighting.js'

export const createModels = (mongo: Connection) => ({
  mongo,
  sightings: mongo.model<SightingDoc>('Sighting', sightingSchema),
  index: mongo.model<IndexDoc>('Index', indexSchema),
  counting: mongo.model<CountingDoc>('Counting', countingSchema),
  counts: mongo.model<CountDoc>('Count', countSchema),
  runs: mongo.model<RunDoc>('Run', runSchema),
  edges: mongo.model<EdgeDoc>('Edge', edgeSchema),
  snapshots: mongo.model<SnapshotDoc>('Snapshot', snapshotSchema),
})
export type SightingModels = ReturnType<typeof createModels>
