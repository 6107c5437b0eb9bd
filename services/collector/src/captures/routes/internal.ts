import { capturesInternal, recordsInternal } from '@iodine/contracts'
import {
  personalSource,
  type StoreService,
  servePersonalData,
  serveUsage,
  watchStorage,
} from '@iodine/service-kit'
import type { CollectorConfig } from '../../config.js'
import { presentRecordImport } from '../../imports/presenters/record-import.js'
import { redeliverRecords } from '../../records/commands/sight-records.js'
import { presentRecords } from '../../records/presenters/record.js'
import { openRecords } from '../../records/queries/open-records.js'
import type { CollectorStore } from '../../store.js'
import { eraseUser } from '../commands/forget-user.js'
import { redactCapture } from '../commands/redact-capture.js'
import { dueAnchor, storeAnchor } from '../commands/store-anchor.js'
import type { CaptureDoc } from '../models/capture.js'
import { presentSummaries, sealOf } from '../presenters/capture.js'
import { checkQuote } from '../queries/check-quote.js'

export const addInternalRoutes = (
  service: StoreService,
  store: CollectorStore,
  { STORAGE_ALARM_BYTES }: Pick<CollectorConfig, 'STORAGE_ALARM_BYTES'>,
): void => {
  const { captures, quotas } = store
  service.internal(capturesInternal.checkQuote, ({ body }) => checkQuote(store, body))
  service.internal(capturesInternal.getSeals, async ({ body }) => {
    const docs = await captures.find({ _id: { $in: body.ids }, state: 'sealed' }).lean<CaptureDoc[]>()
    return docs.flatMap(doc => {
      const seal = sealOf(doc)
      const open = doc.shared || doc.user_id?.toHexString() === body.user_id
      return seal ? [{ id: doc._id.toHexString(), seal, shared: doc.shared, open }] : []
    })
  })
  service.internal(capturesInternal.getCollectors, async ({ body }) => {
    const found = { _id: { $in: body.ids }, state: 'sealed', shared: true } as const
    const docs = await captures.find(found, { 'manifest.collector': 1 }).lean<CaptureDoc[]>()
    return docs.map(({ _id, manifest }) => ({ id: _id.toHexString(), collector: manifest?.collector ?? '' }))
  })
  service.internal(capturesInternal.getDueAnchor, async () => ({ due: await dueAnchor(store.log) }))
  service.internal(capturesInternal.storeAnchor, async ({ body }) => {
    await storeAnchor(store.log, body)
    return { size: body.size }
  })
  service.internal(capturesInternal.redactCapture, async ({ params: { id }, body: { reason } }) => {
    // The audit entry excludes the reason, which is free text. The capture stores it.
    const seq = await service.audit.during(
      'operator',
      { action: 'capture.redacted', subject: { kind: 'capture', id } },
      () => redactCapture(store, id, reason),
    )
    service.log.info({ capture: id, seq, reason }, 'capture redacted')
    return { seq }
  })

  service.internal(recordsInternal.redeliverRecords, async ({ body }) => ({
    next: await redeliverRecords(store, body.after),
  }))
  service.internal(recordsInternal.openRecords, ({ body }) => openRecords(store, body))

  servePersonalData(service, {
    sources: [
      personalSource(
        'collected_record',
        store.records,
        user_id => ({ user_id }),
        doc => ({
          source: doc.source,
          collected_at: doc.created_at,
          shared: doc.shared ?? null,
          record: presentRecords([doc])[0],
        }),
      ),
      personalSource('import', store.imports, user_id => ({ user_id }), presentRecordImport),
      personalSource(
        'capture',
        captures,
        user_id => ({ user_id }),
        doc => ({ ...presentSummaries([doc])[0], manifest: doc.manifest }),
      ),
    ],
    forget: userId => eraseUser(store, userId),
  })

  serveUsage(service, quotas)
  watchStorage(service, async () => {
    const { records: documents = 0, record_bytes = 0, capture_bytes = 0 } = await quotas.totals()
    const bytes = record_bytes + capture_bytes
    return { documents, bytes, share: bytes / STORAGE_ALARM_BYTES }
  })
}
