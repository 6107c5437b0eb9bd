import type { StoreService } from '@iodine/service-kit'
import { createRunWork, type RunWork } from './coordination/commands/work-on-run.js'
import { createModels, type SightingModels } from './models.js'
import { createSecrets } from './sightings/commands/create-secrets.js'
import { createRecordRequests } from './sightings/commands/request-records.js'
import { isSnapshotDue, snapshotWork } from './sightings/commands/take-snapshot.js'
import type { Secrets } from './sightings/policies/signed.js'

/** The service's models, with its work that is done after a change. */
export interface SightingStore {
  models: SightingModels
  secrets(): Promise<Secrets>
  runWork: RunWork
}

const INDEX_MS = 60_000
const SNAPSHOT_MS = 10 * 60_000

export const createStore = (service: StoreService): SightingStore => {
  const { mongo, outbox, tasks, peers, log } = service
  const models = createModels(mongo)
  const secrets = createSecrets(models, createRecordRequests(service))
  // Requests records at the first start, before anything else needs the secrets.
  tasks.every('index', INDEX_MS, secrets)
  const snapshots = outbox.kind('snapshot', snapshotWork(models))
  tasks.every('daily-snapshot', SNAPSHOT_MS, async () => (await isSnapshotDue(models)) && snapshots.add({}))
  return { models, secrets, runWork: createRunWork(outbox, { models, peers, secrets, log }) }
}
