import { byId, type KindSpec, PEER_BACKOFF_MAX_MS } from '@iodine/service-kit'
import type { Store } from '../../models.js'
import { type ImportDoc, RECEIVING_MS } from '../models/import.js'
import { applyPull } from './finish-pull.js'
import { removeSome } from './remove-import.js'
import { type ImportContext, stepImport } from './step-import.js'

/** Steps per run of the handler. The rest is enqueued again, behind other imports. */
const STEPS = 10

/**
 * Marks an expired import for removal: its file was not received completely, or its plan was not applied in time. The
 * import of a subscription never expires.
 * @returns milliseconds until it expires, 0 if it has expired, undefined if it never does
 */
const expire = async (
  { imports }: Store,
  { _id, state, subscription_id, created_at, expires_at }: ImportDoc,
): Promise<number | undefined> => {
  const end = state === 'receiving' ? created_at.getTime() + RECEIVING_MS : expires_at?.getTime()
  if (subscription_id || end === undefined) return
  const left = end - Date.now()
  if (left > 0) return left
  await imports.updateOne({ _id, state, expires_at }, { $set: { state: 'removing' } })
  return 0
}

/** Runs an import's next step. Returns the result of the outbox handler, 0 if there may be another step. */
const advance = async (context: ImportContext, importId: string): Promise<number | undefined> => {
  const { store } = context
  const doc = await store.imports
    .findById(importId)
    .select('+markings +file_tlp +techniques +events +new_events +invalid +unnamed')
    .lean<ImportDoc>()
  if (!doc) return
  const { state } = doc
  if (state === 'removing') return (await removeSome(store, doc)) ? undefined : 0
  if (state === 'planning' || state === 'applying') return stepImport(context, doc)
  if (state === 'planned' && doc.subscription_id) return applyPull(store, doc)
  // A subscription's next run may begin meanwhile, with another batch.
  if (state === 'done') await store.importParts.deleteMany({ import_id: doc.batch ?? doc._id })
  return expire(store, doc)
}

/** Returns the outbox kind that plans, applies and removes an imported file. Its key is the import's id. */
export const importWork = (of: () => ImportContext): KindSpec<{ id: string }> => ({
  ...byId,
  isHeavy: true,
  concurrency: 2,
  backoffMaxMs: PEER_BACKOFF_MAX_MS,
  async handle([work], { signal }) {
    for (let step = 0; step < STEPS && !signal.aborted; step++) {
      const next = await advance(of(), work?.id ?? '')
      if (next !== 0) return next
    }
    return 0
  },
})
