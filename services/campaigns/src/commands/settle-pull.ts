import { DETAILS } from '@iodine/contracts'
import { HttpError } from '@iodine/service-kit'
import type { QueryFilter, Types } from 'mongoose'
import { CHANGED } from '../models/campaign.js'
import type { ForeignDoc } from '../models/foreign.js'
import type { ImportDoc } from '../models/import.js'
import type { CampaignModels } from '../models/index.js'
import type { BroughtDoc, SubscriptionDoc } from '../models/subscription.js'
import { keptBy } from '../queries/kept-objects.js'
import { unknownTechniques } from '../queries/techniques.js'
import { isOlder } from '../queries/versions.js'
import { beginApplying } from './apply-import.js'
import { removeIod } from './change-members.js'
import { ended } from './claim-pull.js'

/** IODs in a query. */
const IODS = 2_000

type Version = Pick<ForeignDoc, '_id' | 'key' | 'version' | 'order' | 'iod_id'>

/** Notes the IODs that an import of a subscription is about to put into its campaign. May be repeated. */
export const noteBrought = async (
  { campaigns, brought }: CampaignModels,
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
  { campaigns, foreign, brought }: CampaignModels,
  { _id: import_id, campaign_id }: ImportDoc,
  these: QueryFilter<ForeignDoc>,
): Promise<void> => {
  const named = await foreign.distinct('iod_id', { ...these, campaign_id, iod_id: { $ne: null } })
  for (let at = 0; at < named.length; at += IODS) {
    const some = { import_id, iod_id: { $in: named.slice(at, at + IODS) } }
    for (const { iod_id } of await brought.find(some).lean<BroughtDoc[]>()) {
      if (await foreign.exists({ campaign_id, iod_id, $nor: [these] })) continue
      await removeIod(campaigns, campaign_id.toHexString(), iod_id.toHexString())
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
export const supersede = async (
  models: CampaignModels,
  doc: ImportDoc,
  keys: readonly string[],
): Promise<void> => {
  const { foreign } = models
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
  if (old.length > 0) await takeBack(models, doc, { _id: { $in: old.map(({ _id }) => _id) } })
}

/**
 * Keeps the latest version of each event that a subscription has brought, and none of those that the feed has no more.
 * May be repeated.
 * @returns places of the objects that the events begin with
 */
const settleEvents = async (
  models: CampaignModels,
  doc: ImportDoc,
  withdrawn: readonly string[],
): Promise<number[]> => {
  const { _id: import_id, campaign_id, events = [], new_events = [] } = doc
  const all = [...events, ...new_events].sort((a, b) => a - b)
  const begun = await models.foreign
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
    await takeBack(models, doc, { import_id, order: { $gte: order, $lt: end } })
  }
  return left
}

/** The import of a subscription is through: its cursor moves in the same transaction. */
export const finishPull = async (models: CampaignModels, doc: ImportDoc): Promise<void> => {
  const { campaigns, foreign, imports, importParts, subscriptions, quotas } = models
  const { _id, user_id, batch, bytes, state, cursor } = doc
  const staged = await subscriptions.findOne({ import_id: _id }).select('+withdrawn').lean<SubscriptionDoc>()
  const events = doc.format === 'misp' ? await settleEvents(models, doc, staged?.withdrawn ?? []) : undefined
  await campaigns.updateOne({ _id: doc.campaign_id }, CHANGED)
  const kept = await keptBy(foreign, doc)
  await quotas.settle(async (session, take) => {
    const at = { _id, state, cursor, batch }
    const set = { state: 'done', kept, bytes: kept.bytes, ...(events && { events, new_events: [] }) } as const
    const { matchedCount } = await imports.updateOne(at, { $set: set }, { session })
    if (matchedCount === 0) return
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

/** Notes that what a run has brought can't be imported: it is tried again when the next run would be. */
export const stopPull = async (
  { subscriptions }: CampaignModels,
  { _id, subscription_id }: ImportDoc,
  error: string,
): Promise<void> => {
  if (!subscription_id) return
  const doc = await subscriptions
    .findOne({ import_id: _id, state: 'importing' })
    .select('+skipped')
    .lean<SubscriptionDoc>()
  if (!doc) return
  const { last, next_at } = ended({ every: doc.every, skipped: doc.skipped }, { error })
  await subscriptions.updateOne(
    { _id: doc._id, state: 'importing' },
    { $set: { state: 'stopped', last, next_at } },
  )
}

/** Applies the plan of a subscription, or goes on with what has stopped. A campaign without room is noted as the reason. */
export const applyPull = async (models: CampaignModels, doc: ImportDoc): Promise<undefined> => {
  try {
    await beginApplying(models, doc, true)
  } catch (error) {
    if (!(error instanceof HttpError) || error.status >= 500) throw error
    // Somebody else has begun.
    if (error.status === 409) return
    const problem = String(error.detail)
    await models.imports.updateOne({ _id: doc._id, state: doc.state }, { $set: { state: 'failed', problem } })
    await stopPull(models, doc, problem)
  }
}

/** Goes on with imports of subscriptions that have stopped, and frees subscriptions whose import was removed. */
export const repairPulls = async (models: CampaignModels): Promise<number> => {
  const { subscriptions, imports } = models
  const now = new Date()
  const docs = await subscriptions
    .find({ $or: [{ state: 'importing' }, { state: 'stopped', paused: false, next_at: { $lte: now } }] })
    .lean<SubscriptionDoc[]>()
  let repaired = 0
  for (const doc of docs) {
    const at = await imports.findOne({ _id: doc.import_id }).select('+new_events').lean<ImportDoc>()
    if (!at || at.state === 'removing' || at.state === 'done') {
      // Done by the same transaction that ends the run: only a removal is left.
      if (at?.state === 'done') continue
      await subscriptions.updateOne(
        { _id: doc._id, state: doc.state, import_id: doc.import_id },
        {
          $set: {
            ...ended({ every: doc.every }, { error: DETAILS.pullRemoved }),
            import_id: null,
            cursor: null,
          },
        },
      )
      repaired++
    } else if (at.state === 'failed' && doc.state === 'stopped') {
      await subscriptions.updateOne({ _id: doc._id, state: doc.state }, { $set: { state: 'importing' } })
      await applyPull(models, at)
      repaired++
    } else if (at.state === 'failed') await stopPull(models, at, at.problem ?? '')
    // Somebody has let it go on.
    else if (doc.state === 'stopped')
      await subscriptions.updateOne({ _id: doc._id, state: 'stopped' }, { $set: { state: 'importing' } })
  }
  return repaired
}
