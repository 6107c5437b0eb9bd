import { byId, type KindSpec, PEER_BACKOFF_MAX_MS } from '@iodine/service-kit'
import type { Store } from '../../models.js'
import { type ImportDoc, RECEIVING_MS } from '../models/import.js'
import { removeSome } from './remove-import.js'
import { applyPull } from './settle-pull.js'
import { type Stepping, stepImport } from './step-import.js'

/** Steps per run of the handler. The rest is enqueued again, behind other imports. */
const STEPS = 10

/**
 * Marks an expired import for removal: its file was not received completely, or its plan was not applied in time. The import
 * of a subscription never expires.
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
const advance = async (stepping: Stepping, importId: string): Promise<number | undefined> => {
  const { store } = stepping
  const doc = await store.imports
    .findById(importId)
    .select('+markings +file_tlp +techniques +events +new_events +invalid +unnamed')
    .lean<ImportDoc>()
  if (!doc) return
  const { state } = doc
  if (state === 'removing') return (await removeSome(store, doc)) ? undefined : 0
  if (state === 'planning' || state === 'applying') return stepImport(stepping, doc)
  if (state === 'planned' && doc.subscription_id) return applyPull(store, doc)
  // A subscription's next run may begin meanwhile: it has a batch of its own.
  if (state === 'done') await store.importParts.deleteMany({ import_id: doc.batch ?? doc._id })
  return expire(store, doc)
}

/** Work of the outbox: plans, applies and removes an imported file. Its key is the import's id. */
export const importWork = (of: () => Stepping): KindSpec<{ id: string }> => ({
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
