import { HttpError, inTransaction } from '@iodine/service-kit'
import type { QueryFilter, Types } from 'mongoose'
import type { ForeignDoc } from '../models/foreign.js'
import type { ImportDoc } from '../models/import.js'
import type { Store } from '../models/index.js'
import type { BroughtDoc, SubscriptionDoc } from '../models/subscription.js'
import { keptBy } from '../queries/kept-objects.js'
import { unknownTechniques } from '../queries/techniques.js'
import { isOlder } from '../queries/versions.js'
import { beginApplying } from './apply-import.js'
import { changeCampaign } from './change-campaign.js'
import { removeIod } from './change-members.js'
import { ended } from './claim-pull.js'

/** IODs in a query. */
const IODS = 2_000

type Version = Pick<ForeignDoc, '_id' | 'key' | 'version' | 'order' | 'iod_id'>

/** Notes the IODs that an import of a subscription is about to put into its campaign. May be repeated. */
export const noteBrought = async (
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
 * Removes objects that a subscription has brought. An IOD that it alone has brought leaves the campaign if no other object
 * there names it. May be repeated.
 */
const takeBack = async (
  store: Store,
  { _id: import_id, campaign_id }: ImportDoc,
  these: QueryFilter<ForeignDoc>,
): Promise<void> => {
  const { foreign, brought } = store
  const named = await foreign.distinct('iod_id', { ...these, campaign_id, iod_id: { $ne: null } })
  for (let at = 0; at < named.length; at += IODS) {
    const some = { import_id, iod_id: { $in: named.slice(at, at + IODS) } }
    for (const { iod_id } of await brought.find(some).lean<BroughtDoc[]>()) {
      if (await foreign.exists({ campaign_id, iod_id, $nor: [these] })) continue
      await removeIod(store, campaign_id.toHexString(), iod_id.toHexString())
      await brought.deleteOne({ import_id, iod_id })
    }
  }
  await foreign.deleteMany({ ...these, campaign_id })
}

/**
 * Of each of the objects, keeps the latest version that a subscription has brought, as TAXII gives by default. An IOD that
 * it alone has brought leaves the campaign once no object there names it: its object was revoked, or says something
 * else now. May be repeated.
 */
export const supersede = async (store: Store, doc: ImportDoc, keys: readonly string[]): Promise<void> => {
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
  if (old.length > 0) await takeBack(store, doc, { _id: { $in: old.map(({ _id }) => _id) } })
}

/**
 * Keeps the latest version of each event that a subscription has brought, and none of those that the feed has no more.
 * May be repeated.
 * @returns places of the objects that the events begin with
 */
const settleEvents = async (
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
    await takeBack(store, doc, { import_id, order: { $gte: order, $lt: end } })
  }
  return left
}

/** The import of a subscription is through: its cursor moves in the same transaction. */
export const finishPull = async (store: Store, doc: ImportDoc): Promise<void> => {
  const { foreign, imports, importParts, subscriptions, quotas } = store
  const { _id, user_id, batch, bytes, state, cursor } = doc
  const staged = await subscriptions.findOne({ import_id: _id }).select('+withdrawn').lean<SubscriptionDoc>()
  const events = doc.format === 'misp' ? await settleEvents(store, doc, staged?.withdrawn ?? []) : undefined
  const kept = await keptBy(foreign, doc)
  await quotas.settle(async (session, take) => {
    const at = { _id, state, cursor, batch }
    const set = { state: 'done', kept, bytes: kept.bytes, ...(events && { events, new_events: [] }) } as const
    const { matchedCount } = await imports.updateOne(at, { $set: set }, { session })
    if (matchedCount === 0) return
    await changeCampaign(store, { _id: doc.campaign_id }, {}, session)
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
            ...ended(pulled, {
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
    await take(user_id, { import_bytes: kept.bytes - bytes })
  })
  if (batch) await importParts.deleteMany({ import_id: batch })
}

/**
 * Stops an import with the reason. The import of a subscription goes on when its next run would be due.
 * @param changes what else changes with it
 */
export const stopImport = async (
  { mongo, imports, subscriptions }: Store,
  { _id, state, cursor }: ImportDoc,
  problem: string,
  changes: Partial<ImportDoc> = {},
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
    const { last, next_at } = ended({ every: pull.every, skipped: pull.skipped }, { error: problem })
    await subscriptions.updateOne(
      { _id: pull._id },
      { $set: { state: 'stopped', last, next_at } },
      { session },
    )
  })

/** Applies the plan of a subscription, or continues an import that stopped. Stops it if the campaign has no room. */
export const applyPull = async (store: Store, doc: ImportDoc): Promise<undefined> => {
  try {
    await beginApplying(store, doc, true)
  } catch (error) {
    if (!(error instanceof HttpError) || error.status >= 500) throw error
    // Another request has begun.
    if (error.status !== 409) await stopImport(store, doc, String(error.detail))
  }
}

/** Continues stopped imports of subscriptions that are due. */
export const resumePulls = async (store: Store): Promise<void> => {
  const { subscriptions, imports } = store
  const due = { state: 'stopped', paused: false, next_at: { $lte: new Date() } } as const
  for (const _id of await subscriptions.distinct('import_id', due)) {
    const doc = await imports.findOne({ _id, state: 'failed' }).select('+new_events').lean<ImportDoc>()
    if (doc) await applyPull(store, doc)
  }
}
