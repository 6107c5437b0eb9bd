import type { StoreService } from '@iodine/service-kit'
import type { Context } from './context.js'
import { createRunWork, type RunWork } from './coordination/commands/work-on-run.js'
import { createModels } from './models.js'
import { createSecrets } from './sightings/commands/create-secrets.js'
import { createRecordRequests } from './sightings/commands/request-records.js'
import { isSnapshotDue, snapshotWork } from './sightings/commands/take-snapshot.js'

/** The context with its outbox kind of runs. */
export interface SightingStore extends Context {
  runWork: RunWork
}

const INDEX_MS = 60_000
const SNAPSHOT_MS = 10 * 60_000

export const createStore = (service: StoreService): SightingStore => {
  const { mongo, outbox, tasks, peers, users, log } = service
  const models = createModels(mongo)
  const secrets = createSecrets(models, createRecordRequests(service))
  // Creates the secrets at the first start, which requests all records.
  tasks.every('index', INDEX_MS, secrets)
  const snapshots = outbox.kind('snapshot', snapshotWork(models))
  tasks.every('daily-snapshot', SNAPSHOT_MS, async () => (await isSnapshotDue(models)) && snapshots.add({}))
  const context = { models, secrets, peers, users, log }
  return { ...context, runWork: createRunWork(outbox, context) }
}
