import { byId, type KindSpec, PEER_BACKOFF_MAX_MS } from '@iodine/service-kit'
import { AT_WORK, type ImportDoc, RECEIVING_MS } from '../models/import.js'
import type { Store } from '../models/index.js'
import { removeSome } from './remove-import.js'
import { applyPull } from './settle-pull.js'
import { type Stepping, stepImport } from './step-import.js'

/** Steps after which other imports have their turn. */
const STEPS = 10

/**
 * Has an import removed that was not received in whole, or whose plan has waited for too long. The import of a subscription
 * never expires.
 * @returns milliseconds until then, 0 once it is to be removed, undefined if it stays
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

/** Does the next part of an import's work. Resolves as a handler of the outbox does. */
const advance = async (stepping: Stepping, importId: string): Promise<number | undefined> => {
  const { store } = stepping
  const doc = await store.imports.findById(importId).select('+new_events').lean<ImportDoc>()
  if (!doc) return
  const { state } = doc
  if (state === 'removing') return (await removeSome(store, doc)) ? undefined : 0
  if (AT_WORK.some(each => each === state)) return stepImport(stepping, importId)
  if (state === 'planned' && doc.subscription_id) return applyPull(store, doc)
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
