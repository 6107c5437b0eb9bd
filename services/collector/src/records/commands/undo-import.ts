import { byId, conflict, inTransaction, type Kind, type KindSpec } from '@iodine/service-kit'
import type { AnyBulkWriteOperation, Types } from 'mongoose'
import { type RecordImportDoc, undoUntil } from '../../imports/models/record-import.js'
import { findRecordImport } from '../../imports/queries/find-record-import.js'
import type { CollectorModels } from '../../models.js'
import { bytesOf, type RecordDoc, versionOf } from '../models/record.js'
import { withoutImport } from '../policies/layers.js'
import { factsOf } from '../presenters/facts.js'
import { unpackRecord } from '../presenters/record.js'
import { type DeletionContext, deleteRecords } from './delete-record.js'

/** Records, and their bytes, per run of the handler. The remaining ones are enqueued behind other users. */
const BATCH = 200
const BATCH_BYTES = 32 * 1024 * 1024

type UndoContext = DeletionContext & Pick<CollectorModels, 'imports'>

/**
 * Begins to undo an import.
 * @throws HttpError 404 if it is not the user's, 409 after the time in which it can be undone
 */
export const undoRecordImport = async (
  { mongo, imports, undoing }: Pick<CollectorModels, 'mongo' | 'imports'> & { undoing: Kind<{ id: string }> },
  user_id: Types.ObjectId,
  id: string,
): Promise<RecordImportDoc> => {
  const doc = await findRecordImport(imports, user_id, id)
  if (undoUntil(doc) <= new Date()) throw conflict('This import can no longer be undone')
  await inTransaction(mongo, async session => {
    await imports.updateOne({ _id: doc._id }, { $set: { state: 'undoing' } }, { session })
    await undoing.add({ id }, { session })
  })
  return { ...doc, state: 'undoing' }
}

/**
 * Removes an import from records that have other observations.
 * @throws Error after a concurrent change of one of them
 */
const removeImport = async (
  { records, quotas, recordsChanged }: UndoContext,
  user_id: Types.ObjectId,
  docs: RecordDoc[],
  import_id: Types.ObjectId,
): Promise<void> => {
  const changes = docs.flatMap(doc => {
    const rest = withoutImport(doc, import_id)
    return rest ? [{ doc, rest, bytes: bytesOf(rest) }] : []
  })
  const delta = changes.reduce((sum, { doc, bytes }) => sum + bytes - doc.bytes, 0)
  await quotas.change(user_id, { record_bytes: delta }, async session => {
    const { matchedCount } = await records.bulkWrite(
      changes.map(({ doc, rest: { data, seen, layers }, bytes }) => {
        const { fetch_timestamp } = unpackRecord({ data }).collector_metadata
        const $set = {
          data,
          facts: factsOf({ ...doc, data }),
          changed_at: new Date(),
          ...(seen && { seen }),
          ...(layers && { layers }),
          bytes,
          fetched_at: new Date(fetch_timestamp),
          revision: (doc.revision ?? 0) + 1,
          sighted: false,
        }
        const $unset = { ...(!seen && { seen: 1 as const }), ...(!layers && { layers: 1 as const }) }
        return { updateOne: { filter: versionOf(doc), update: { $set, $unset } } }
      }) as AnyBulkWriteOperation<RecordDoc>[],
      { session },
    )
    if (matchedCount !== changes.length) throw new Error('records changed while their import was undone')
    await recordsChanged(user_id, session)
  })
}

/** Outbox handler: removes an import from all records, then deletes it. */
export const importUndoing = (store: UndoContext): KindSpec<{ id: string }> => ({
  ...byId,
  async handle([undone]) {
    const { imports, records } = store
    const doc = await imports.findById(undone?.id).lean<RecordImportDoc>()
    if (!doc) return
    const { _id, user_id } = doc
    const ofImport = { user_id, 'layers.imports.id': _id }
    const alone = { ...ofImport, 'layers.base': { $exists: false }, 'layers.imports': { $size: 1 } }
    if ((await deleteRecords(store, user_id, alone, BATCH)) === BATCH) return 0
    const others = await records
      .find(ofImport, { bytes: 1 })
      .limit(BATCH)
      .lean<Pick<RecordDoc, '_id' | 'bytes'>[]>()
    if (others.length === 0) return imports.deleteOne({ _id }).then(() => {})
    let bytes = 0
    const part = others.filter((each, n) => {
      bytes += each.bytes
      return n === 0 || bytes <= BATCH_BYTES
    })
    const ids = part.map(each => each._id)
    await removeImport(
      store,
      user_id,
      await records.find({ ...ofImport, _id: { $in: ids } }).lean<RecordDoc[]>(),
      _id,
    )
    return 0
  },
})
