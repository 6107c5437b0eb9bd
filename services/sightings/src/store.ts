import { createHmac, randomBytes } from 'node:crypto'
import { inTransaction, type Kind, type StoreService } from '@iodine/service-kit'
import { createRecordRequests, type RecordPage } from './commands/request-records.js'
import { isSnapshotDue, snapshotWork } from './commands/take-snapshot.js'
import { createRunWork, type RunWork } from './commands/work-on-run.js'
import { createModels, type SightingModels } from './models/index.js'

/** Names that others see in the place of ids, and signatures of texts, of this deployment. */
export interface Secrets {
  /** Seed of the signatures. */
  seed: string
  /** An id in the place of a record's, which tells nothing about when and by whom it was collected. */
  opaqueId(recordId: string): string
}

/** The service's models, with its work that is done after a change. */
export interface SightingStore {
  models: SightingModels
  secrets(): Promise<Secrets>
  runWork: RunWork
}

/**
 * The secret of this index: created once and kept beside the signatures that it makes, which are of no use without it.
 * Other keys of the deployment change without it. The transaction that creates it requests all records.
 */
const createSecrets = (
  { mongo, index }: SightingModels,
  requests: Kind<RecordPage>,
): (() => Promise<Secrets>) => {
  let known: Promise<Secrets> | undefined
  const read = async (): Promise<Secrets> => {
    const fresh = { seed: randomBytes(32).toString('base64') }
    await inTransaction(
      mongo,
      async session => {
        const options = { upsert: true, session }
        const { upsertedCount } = await index.updateOne({ _id: 'index' }, { $setOnInsert: fresh }, options)
        if (upsertedCount > 0) await requests.add({ after: null }, { session })
      },
      { retriesDuplicates: true },
    )
    const { seed } = await index.findById('index').orFail().lean()
    return {
      seed,
      opaqueId: recordId =>
        createHmac('sha256', Buffer.from(seed, 'base64')).update(recordId).digest('hex').slice(0, 24),
    }
  }
  return () => {
    known ??= read().catch(error => {
      known = undefined
      throw error
    })
    return known
  }
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
