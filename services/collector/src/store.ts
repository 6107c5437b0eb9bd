import type { Kind, StoreService } from '@iodine/service-kit'
import { type Blobs, createBlobs } from './captures/blobs/index.js'
import {
  blobDeletion,
  type Erasure,
  eraseOpenCaptures,
  uncitedErasure,
} from './captures/commands/erase-captures.js'
import type { CollectorConfig } from './config.js'
import { createRunningImports, type RunningImports } from './imports/commands/running-imports.js'
import { type CollectorModels, createModels } from './models.js'
import type { DeletedRecords } from './records/commands/delete-record.js'
import { createRecordsChanged, type RecordsChanged } from './records/commands/sight-records.js'
import { importUndoing } from './records/commands/undo-import.js'

/** The service's models, blobs and outbox kinds. */
export interface CollectorStore extends CollectorModels {
  blobs: Blobs
  recordsChanged: RecordsChanged
  /** Erased captures whose blobs have to be deleted. */
  erasures: Kind<Erasure>
  /** Deleted records whose captures have to be erased, unless evidence cites them. */
  deletedRecords: Kind<DeletedRecords>
  /** Imports that have to be removed from their records. */
  undoing: Kind<{ id: string }>
  /** Number of batches that this process is storing. */
  ingesting: { count: number }
  running: RunningImports
}

const HOUR_MS = 3_600_000

export const createStore = (service: StoreService, config: CollectorConfig): CollectorStore => {
  const models = createModels(service.mongo, config)
  const { outbox, tasks, peers } = service
  const blobs = createBlobs(config.BLOBS_URL, service.mongo)
  const ingesting = { count: 0 }
  const running = createRunningImports()
  const erasing = { ...models, erasures: outbox.kind('capture.erased', blobDeletion(blobs)) }
  tasks.every('open-captures', HOUR_MS, signal => eraseOpenCaptures(erasing, signal))
  const store = {
    ...erasing,
    blobs,
    ingesting,
    running,
    recordsChanged: createRecordsChanged(service, models, { ingesting, running }),
    deletedRecords: outbox.kind('record.deleted', uncitedErasure(erasing, peers)),
  }
  return { ...store, undoing: outbox.kind('import.undone', importUndoing(store)) }
}
