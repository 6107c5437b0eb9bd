import { type Connection, modelOf } from '@iodine/service-kit'
import { edgeSchema, runSchema } from './coordination/models/run.js'
import { countingSchema, countSchema, snapshotSchema } from './sightings/models/count.js'
import { indexSchema, sightingSchema } from './sightings/models/sighting.js'

export const createModels = (mongo: Connection) => ({
  mongo,
  sightings: modelOf(mongo, 'Sighting', sightingSchema),
  index: modelOf(mongo, 'Index', indexSchema),
  counting: modelOf(mongo, 'Counting', countingSchema),
  counts: modelOf(mongo, 'Count', countSchema),
  runs: modelOf(mongo, 'Run', runSchema),
  edges: modelOf(mongo, 'Edge', edgeSchema),
  snapshots: modelOf(mongo, 'Snapshot', snapshotSchema),
})
export type SightingModels = ReturnType<typeof createModels>
