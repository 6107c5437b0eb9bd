import type { StoreService } from '@iodine/service-kit'
import { AT_WORK, type ImportDoc, type ImportModel, STEP_MS } from '../models/import.js'

/** Imports that one repair queues. */
const REPEATED = 50

/** Has the workers do what an import is owed. Redis may be down: the repair adds the job again. */
export const queueImport = async (
  { queues, log }: Pick<StoreService, 'queues' | 'log'>,
  { _id }: Pick<ImportDoc, '_id'>,
): Promise<void> => {
  const import_id = _id.toHexString()
  await queues
    .add('imports', { import_id })
    .catch(error => log.warn({ err: error, import: import_id }, 'import not queued yet'))
}

/** Queues imports again of which no step has begun for a while. Resolves to their number. */
export const repeatImports = async (
  service: Pick<StoreService, 'queues' | 'log'>,
  imports: ImportModel,
): Promise<number> => {
  const due = await imports
    .find({ state: { $in: [...AT_WORK] }, check_at: { $lt: new Date() } }, { _id: 1 })
    .limit(REPEATED)
    .lean<Pick<ImportDoc, '_id'>[]>()
  for (const doc of due) {
    await imports.updateOne({ _id: doc._id }, { $set: { check_at: new Date(Date.now() + STEP_MS) } })
    await queueImport(service, doc)
  }
  return due.length
}
