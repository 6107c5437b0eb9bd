import { DETAILS } from '@iodine/contracts'
import { HttpError, type StoreService } from '@iodine/service-kit'
import type { Types } from 'mongoose'
import { CHANGED } from '../models/campaign.js'
import type { ForeignDoc } from '../models/foreign.js'
import type { ImportDoc } from '../models/import.js'
import type { CampaignModels } from '../models/index.js'
import type { SubscriptionDoc } from '../models/subscription.js'
import { keptBy } from '../queries/kept-objects.js'
import { isOlder } from '../queries/versions.js'
import { beginApplying } from './apply-import.js'
import { removeIod } from './change-members.js'
import { ended } from './claim-pull.js'
import { queueImport } from './queue-import.js'

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
 * Of each of the objects, keeps the latest version that a subscription has brought, as TAXII gives by default. An IOD that
 * it alone has brought leaves the campaign once no object there names it: its object was revoked, or says something
 * else now. May be repeated.
 */
export const supersede = async (
  { campaigns, foreign, brought }: CampaignModels,
  { _id: import_id, campaign_id }: ImportDoc,
  keys: readonly string[],
): Promise<void> => {
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
  if (old.length === 0) return
  const ids = old.map(({ _id }) => _id)
  const named = [
    ...new Map(old.flatMap(({ iod_id }) => (iod_id ? [[String(iod_id), iod_id] as const] : []))).values(),
  ]
  const candidates = await brought
    .find({ import_id, iod_id: { $in: named } })
    .lean<{ iod_id: Types.ObjectId }[]>()
  for (const { iod_id } of candidates) {
    if (await foreign.exists({ campaign_id, iod_id, _id: { $nin: ids } })) continue
    await removeIod(campaigns, campaign_id.toHexString(), iod_id.toHexString())
    await brought.deleteOne({ import_id, iod_id })
  }
  await foreign.deleteMany({ _id: { $in: ids } })
}

/** The import of a subscription is through: its cursor moves in the same transaction. */
export const finishPull = async (models: CampaignModels, doc: ImportDoc): Promise<void> => {
  const { campaigns, foreign, imports, importParts, subscriptions, quotas } = models
  const { _id, user_id, batch, bytes, state, cursor } = doc
  await campaigns.updateOne({ _id: doc.campaign_id }, CHANGED)
  const kept = await keptBy(foreign, doc)
  await quotas.settle(async (session, take) => {
    const at = { _id, state, cursor, batch }
    const set = { state: 'done', kept, bytes: kept.bytes } as const
    const { matchedCount } = await imports.updateOne(at, { $set: set }, { session })
    if (matchedCount === 0) return
    const pulled = await subscriptions
      .findOne({ import_id: _id, state: { $in: ['importing', 'stopped'] } })
      .select('+next_cursor')
      .session(session)
      .lean<SubscriptionDoc>()
    if (pulled)
      await subscriptions.updateOne(
        { _id: pulled._id },
        {
          $set: {
            ...ended(pulled, { objects: doc.objects, iods: doc.iods }),
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
  const doc = await subscriptions.findOne({ import_id: _id, state: 'importing' }).lean<SubscriptionDoc>()
  if (!doc) return
  const { last, next_at } = ended({ every: doc.every }, { error })
  await subscriptions.updateOne(
    { _id: doc._id, state: 'importing' },
    { $set: { state: 'stopped', last, next_at } },
  )
}

/** Applies the plan of a subscription, or goes on with what has stopped. A campaign without room is noted as the reason. */
export const applyPull = async (
  service: Pick<StoreService, 'queues' | 'log'>,
  models: CampaignModels,
  doc: ImportDoc,
): Promise<void> => {
  try {
    await queueImport(service, await beginApplying(models, doc, true))
  } catch (error) {
    if (!(error instanceof HttpError) || error.status >= 500) throw error
    // Somebody else has begun.
    if (error.status === 409) return
    const problem = String(error.detail)
    await models.imports.updateOne({ _id: doc._id, state: doc.state }, { $set: { state: 'failed', problem } })
    await stopPull(models, doc, problem)
  }
}

/** Goes on with imports of subscriptions that wait for it, and frees subscriptions whose import was removed. */
export const repairPulls = async (
  service: Pick<StoreService, 'queues' | 'log'>,
  models: CampaignModels,
): Promise<number> => {
  const { subscriptions, imports } = models
  const now = new Date()
  const docs = await subscriptions
    .find({ $or: [{ state: 'importing' }, { state: 'stopped', paused: false, next_at: { $lte: now } }] })
    .lean<SubscriptionDoc[]>()
  let repaired = 0
  const planned = await imports.find({ state: 'planned', subscription_id: { $ne: null } }).lean<ImportDoc[]>()
  for (const each of planned) {
    await applyPull(service, models, each)
    repaired++
  }
  for (const doc of docs) {
    const at = await imports.findOne({ _id: doc.import_id }).lean<ImportDoc>()
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
      await applyPull(service, models, at)
      repaired++
    } else if (at.state === 'failed') await stopPull(models, at, at.problem ?? '')
    // Somebody has let it go on.
    else if (doc.state === 'stopped')
      await subscriptions.updateOne({ _id: doc._id, state: 'stopped' }, { $set: { state: 'importing' } })
  }
  return repaired
}
