import { DETAILS } from '@iodine/contracts'
import { HttpError, inTransaction, isNotFound, type StoreService } from '@iodine/service-kit'
import type { QueryFilter, Types } from 'mongoose'
import { changeCampaign } from '../../campaigns/commands/change-campaign.js'
import { removeIod } from '../../campaigns/commands/change-members.js'
import type { Store } from '../../models.js'
import { type BroughtDoc, endOfRun, type SubscriptionDoc } from '../../subscriptions/models/subscription.js'
import { unknownTechniques } from '../../techniques/queries/techniques.js'
import { isOlder } from '../../versions.js'
import type { ForeignDoc } from '../models/foreign.js'
import type { ImportDoc } from '../models/import.js'
import { keptBy } from '../queries/kept-objects.js'
import { beginApplying } from './apply-import.js'

/** IODs per query. */
const IODS = 2_000

type Version = Pick<ForeignDoc, '_id' | 'key' | 'version' | 'order' | 'iod_id'>

/** Records the IODs that the import of a subscription is about to add to its campaign. Idempotent. */
export const recordBrought = async (
  { campaigns, brought }: Store,
  { _id: import_id, campaign_id }: ImportDoc,
  ids: readonly Types.ObjectId[],
): Promise<void> => {
  const campaign = await campaigns
    .findOne({ _id: campaign_id }, { iod_ids: 1 })
    .lean<{ iod_ids?: Types.ObjectId[] }>()
  const members = new Set(campaign?.iod_ids?.map(String))
  const fresh = ids.filter(iod => !members.has(String(iod)))
  if (fresh.length === 0) return
  await brought.bulkWrite(
    fresh.map(iod_id => ({
      updateOne: { filter: { import_id, iod_id }, update: { $setOnInsert: { iod_id } }, upsert: true },
    })),
  )
}

/**
 * Removes objects that a subscription has imported. An IOD that only this subscription has added leaves the campaign if
 * no other object there names it. Idempotent.
 */
const retract = async (
  store: Store,
  { _id: import_id, campaign_id }: ImportDoc,
  selected: QueryFilter<ForeignDoc>,
): Promise<void> => {
  const { foreign, brought } = store
  const named = await foreign.distinct('iod_id', { ...selected, campaign_id, iod_id: { $ne: null } })
  for (let at = 0; at < named.length; at += IODS) {
    const some = { import_id, iod_id: { $in: named.slice(at, at + IODS) } }
    for (const { iod_id } of await brought.find(some).lean<BroughtDoc[]>()) {
      if (await foreign.exists({ campaign_id, iod_id, $nor: [selected] })) continue
      await removeIod(store, null, campaign_id.toHexString(), iod_id.toHexString())
      await brought.deleteOne({ import_id, iod_id })
    }
  }
  await foreign.deleteMany({ ...selected, campaign_id })
}

/**
 * Removes all but the latest version of each object that a subscription has imported, like the default of TAXII. An IOD
 * that only this subscription has added leaves the campaign once no object there names it: its object was revoked, or
 * names another IOD. Idempotent.
 */
export const keepLatestVersions = async (
  store: Store,
  doc: ImportDoc,
  keys: readonly string[],
): Promise<void> => {
  const { foreign } = store
  const { _id: import_id, campaign_id } = doc
  const versions = await foreign
    .find(
      { campaign_id, import_id, key: { $in: [...new Set(keys)].filter(Boolean) } },
      { key: 1, version: 1, order: 1, iod_id: 1 },
    )
    .lean<Version[]>()
  const latest = new Map<string, Version>()
  for (const each of versions) {
    const before = latest.get(each.key)
    const isLater =
      before &&
      (isOlder(before.version, each.version) ||
        (!isOlder(each.version, before.version) && before.order < each.order))
    if (!before || isLater) latest.set(each.key, each)
  }
  const old = versions.filter(each => latest.get(each.key) !== each)
  if (old.length > 0) await retract(store, doc, { _id: { $in: old.map(({ _id }) => _id) } })
}

/**
 * Removes all but the latest version of each event that a subscription has imported, and the withdrawn events.
 * Idempotent.
 * @returns positions of the first objects of the remaining events
 */
const keepLatestEvents = async (
  store: Store,
  doc: ImportDoc,
  withdrawn: readonly string[],
): Promise<number[]> => {
  const { _id: import_id, campaign_id, events = [], new_events = [] } = doc
  const all = [...events, ...new_events].sort((a, b) => a - b)
  const begun = await store.foreign
    .find({ campaign_id, import_id, order: { $in: all } }, { key: 1, order: 1 })
    .sort({ order: 1 })
    .lean<Pick<ForeignDoc, 'key' | 'order'>[]>()
  const latest = new Map(begun.map(({ key, order }) => [key, order]))
  const gone = new Set(withdrawn)
  const fresh = new Set(new_events)
  const left: number[] = []
  for (const { key, order } of begun) {
    const isLatest = key === '' || latest.get(key) === order
    if (isLatest && (fresh.has(order) || !gone.has(key))) {
      left.push(order)
      continue
    }
    const end = all[all.indexOf(order) + 1] ?? Number.MAX_SAFE_INTEGER
    await retract(store, doc, { import_id, order: { $gte: order, $lt: end } })
  }
  return left
}

/** Completes the import of a subscription, and moves its cursor in the same transaction. */
export const finishPull = async (store: Store, doc: ImportDoc): Promise<void> => {
  const { foreign, imports, subscriptions, quotas } = store
  const { _id, batch, state, cursor } = doc
  const staged = await subscriptions.findOne({ import_id: _id }).select('+withdrawn').lean<SubscriptionDoc>()
  const events =
    doc.format === 'misp' ? await keepLatestEvents(store, doc, staged?.withdrawn ?? []) : undefined
  const kept = await keptBy(foreign, doc)
  await quotas.settle(async (session, take) => {
    const at = { _id, state, cursor, batch }
    const set = { state: 'done', kept, bytes: kept.bytes, ...(events && { events, new_events: [] }) } as const
    const before = await imports.findOneAndUpdate(at, { $set: set }, { session }).lean<ImportDoc>()
    if (!before) return
    await changeCampaign(store, null, { _id: doc.campaign_id }, {}, session)
    const pulled = await subscriptions
      .findOne({ import_id: _id, state: { $in: ['importing', 'stopped'] } })
      .select('+next_cursor +skipped')
      .session(session)
      .lean<SubscriptionDoc>()
    if (pulled)
      await subscriptions.updateOne(
        { _id: pulled._id },
        {
          $set: {
            ...endOfRun(pulled, {
              objects: doc.objects,
              iods: doc.iods,
              refused: doc.refused,
              invalid: doc.invalid ?? [],
              unknown_techniques: unknownTechniques(doc),
            }),
            cursor: pulled.next_cursor,
          },
        },
        { session },
      )
    await take(before.user_id, { import_bytes: kept.bytes - before.bytes })
  })
}

/**
 * Stops an import with the reason. The import of a subscription continues when its next run is due.
 * @param changes further changes of the import
 * @param pulling further changes of the subscription
 */
export const stopImport = async (
  { mongo, imports, subscriptions }: Store,
  { _id, state, cursor }: ImportDoc,
  problem: string,
  changes: Partial<ImportDoc> = {},
  pulling: Partial<SubscriptionDoc> = {},
): Promise<void> =>
  inTransaction(mongo, async session => {
    const stopped = { ...changes, state: 'failed' as const, problem }
    const { matchedCount } = await imports.updateOne({ _id, state, cursor }, { $set: stopped }, { session })
    if (matchedCount === 0) return
    const pull = await subscriptions
      .findOne({ import_id: _id, state: { $in: ['importing', 'stopped'] } })
      .select('+skipped')
      .session(session)
      .lean<SubscriptionDoc>()
    if (!pull) return
    const { last, next_at } = endOfRun({ every: pull.every, skipped: pull.skipped }, { error: problem })
    await subscriptions.updateOne(
      { _id: pull._id },
      { $set: { state: 'stopped', last, next_at, ...pulling } },
      { session },
    )
  })

/**
 * Applies the plan of a subscription, or continues an import that stopped. Stops it if the campaign has no room. Pauses
 * the subscription if the campaign was deleted.
 */
export const applyPull = async (store: Store, doc: ImportDoc): Promise<undefined> => {
  try {
    await beginApplying(store, doc, true)
  } catch (error) {
    if (!(error instanceof HttpError) || error.status >= 500) throw error
    if (isNotFound(error)) await stopImport(store, doc, DETAILS.subscriptionHomeless, {}, { paused: true })
    // 409: another request has begun to apply it.
    else if (error.status !== 409) await stopImport(store, doc, String(error.detail))
  }
}

/** Continues stopped imports of due subscriptions. Logs an import that fails; the next call retries it. */
export const resumePulls = async (store: Store, log: StoreService['log']): Promise<void> => {
  const { subscriptions, imports } = store
  const due = { state: 'stopped', paused: false, next_at: { $lte: new Date() } } as const
  for (const _id of await subscriptions.distinct('import_id', due)) {
    const doc = await imports.findOne({ _id, state: 'failed' }).select('+new_events').lean<ImportDoc>()
    if (doc)
      await applyPull(store, doc).catch(error =>
        log.warn({ err: error, import: doc._id.toHexString() }, 'import not resumed'),
      )
  }
}
