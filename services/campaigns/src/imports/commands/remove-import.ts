import { DETAILS } from '@iodine/contracts'
import { forbidden, inTransaction, notFound } from '@iodine/service-kit'
import { type ClientSession, type QueryFilter, Types } from 'mongoose'
import { changeCampaign } from '../../campaigns/commands/change-campaign.js'
import type { Store } from '../../models.js'
import { endOfRun, type SubscriptionDoc } from '../../subscriptions/models/subscription.js'
import { actorOf, type ImportDoc } from '../models/import.js'
import { importNotPlanned } from '../queries/find-import.js'

/** Objects deleted per command. */
const BATCH = 2_000
/** Delay of the outbox entry, during which the request removes the import. */
const GRACE_MS = 60_000

/**
 * Removes a batch of an import's objects, and after the last one the import. IODs remain. Idempotent.
 * @returns whether the import is removed
 */
export const removeSome = async (store: Store, doc: ImportDoc): Promise<boolean> => {
  const { _id, campaign_id, batch } = doc
  const { imports, importParts, foreign, brought, quotas } = store
  const some = await foreign
    .find({ campaign_id, import_id: _id }, { _id: 1 })
    .limit(BATCH)
    .lean<{ _id: Types.ObjectId }[]>()
  if (some.length > 0) await foreign.deleteMany({ _id: { $in: some.map(each => each._id) } })
  if (some.length === BATCH) return false
  await importParts.deleteMany({ import_id: { $in: [_id, ...(batch ? [batch] : [])] } })
  await brought.deleteMany({ import_id: _id })
  await quotas.settle(async (session, take) => {
    const gone = await imports.findOneAndDelete({ _id }, { session }).lean<ImportDoc>()
    if (!gone) return
    await take(gone.user_id, { import_bytes: -gone.bytes })
    await changeCampaign(store, actorOf(doc), { _id: campaign_id }, {}, session)
  })
  return true
}

/**
 * Enqueues the removal of imports. A subscription whose run is being imported is due again, and pulls its feed from the
 * start.
 * @returns their number
 */
export const enqueueRemoval = async (
  { imports, subscriptions, work }: Store,
  which: QueryFilter<ImportDoc>,
  session: ClientSession,
  dueIn = 0,
): Promise<number> => {
  const docs = await imports.find(which, { _id: 1 }).session(session).lean<Pick<ImportDoc, '_id'>[]>()
  const ids = { $in: docs.map(doc => doc._id) }
  await imports.updateMany({ _id: ids }, { $set: { state: 'removing' } }, { session })
  const pulled = { import_id: ids, state: { $in: ['importing' as const, 'stopped' as const] } }
  for (const { _id, every } of await subscriptions.find(pulled).session(session).lean<SubscriptionDoc[]>()) {
    const over = { ...endOfRun({ every }, { error: DETAILS.pullRemoved }), import_id: null, cursor: null }
    await subscriptions.updateOne({ _id }, { $set: over }, { session })
  }
  const removals = docs.map(doc => ({ id: doc._id.toHexString() }))
  await work.imports.addAll(removals, { dueIn, session })
  return docs.length
}

/**
 * Discards a plan, or removes an import's objects. IODs remain.
 * @returns the import before its removal
 * @throws 404, 403 unless the user has imported it or created the campaign, 409 while it is being applied
 */
export const removeImport = async (store: Store, userId: string, id: string): Promise<ImportDoc> => {
  const doc = await store.imports.findOne({ _id: id, state: { $ne: 'removing' } }).lean<ImportDoc>()
  if (!doc) throw notFound()
  if (!doc.user_id?.equals(userId)) {
    // Only its user sees a plan.
    if (!['applying', 'done', 'failed'].includes(doc.state)) throw notFound()
    const ownCampaign = { _id: doc.campaign_id, created_by: new Types.ObjectId(userId) }
    if (!(await store.campaigns.exists(ownCampaign))) throw forbidden()
  }
  // Excludes an import that is being applied, also if that has begun since the read.
  const idle = { _id: doc._id, state: { $eq: doc.state, $ne: 'applying' as const } }
  const marked = await inTransaction(store.mongo, session => enqueueRemoval(store, idle, session, GRACE_MS))
  if (marked === 0) throw importNotPlanned()
  while (!(await removeSome(store, doc)));
  await store.work.imports.complete(doc._id.toHexString())
  return doc
}
