import { LIMITS } from '@iodine/contracts'
import type { StoreService } from '@iodine/service-kit'
import type { Types } from 'mongoose'
import type { CampaignDoc } from '../models/campaign.js'
import type { CampaignModels } from '../models/index.js'
import { askedFor, LEASE_MS, type PublicationDoc, type PublishedDoc } from '../models/publication.js'
import { ROW, type Row } from './publish-batch.js'

/** Publications that one repair queues, and changed campaigns that it looks at. */
const REPEATED = 100
/** Changes of campaigns are noticed for so long: more than the repair is late while a version is replaced. */
const LOOKED_AT_MS = 10 * 60_000
/** Revoked rows that one repair removes. */
const REMOVED = 500

/** Has the workers bring a publication in line. Redis may be down: the repair adds the job again. */
export const queuePublication = async (
  { queues, log }: Pick<StoreService, 'queues' | 'log'>,
  campaign_id: string,
): Promise<void> => {
  // One that waits already will do.
  const options = { jobId: `publication-${campaign_id}`, removeOnComplete: true, removeOnFail: true }
  await queues
    .add('publications', { campaign_id }, options)
    .catch(error => log.warn({ err: error, campaign: campaign_id }, 'publication not queued yet'))
}

/** Notes which published campaigns have changed since they were published. */
const noteChanges = async ({ campaigns, publications }: CampaignModels): Promise<void> => {
  const since = { $gt: new Date(Date.now() - LOOKED_AT_MS) }
  const changed = await campaigns
    .find({ published: true, changed_at: since }, { _id: 1, changed_at: 1 })
    .sort({ changed_at: -1 })
    .limit(REPEATED)
    .lean<Pick<CampaignDoc, '_id' | 'changed_at'>[]>()
  for (const { _id, changed_at } of changed)
    await publications.updateOne(
      { _id, state: 'published', stated_at: { $lt: changed_at as Date } },
      askedFor({ wanted: true }),
    )
  // What members say of its IODs is no change of a campaign: compared from time to time.
  const past = { $lt: new Date() }
  const old = await publications
    .find({ state: 'published', check_at: past }, { _id: 1 })
    .limit(REPEATED)
    .lean<Pick<PublicationDoc, '_id'>[]>()
  for (const { _id } of old) await publications.updateOne({ _id, state: 'published' }, askedFor())
}

/** Removes what was revoked long ago, and feeds of which nothing is left. */
const removeRevoked = async (models: CampaignModels): Promise<number> => {
  const { feedEvents, feedEventParts, publications, published, quotas } = models
  const before = { $lt: new Date(Date.now() - LIMITS.revokedMs) }
  const old = await published
    .find({ revoked: true, added: before }, { ...ROW, campaign_id: 1 })
    .limit(REMOVED)
    .lean<(Row & Pick<PublishedDoc, 'campaign_id'>)[]>()
  const byCampaign = new Map<string, typeof old>()
  for (const row of old) {
    const key = String(row.campaign_id)
    byCampaign.set(key, [...(byCampaign.get(key) ?? []), row])
  }
  for (const rows of byCampaign.values()) {
    const _id = (rows[0] as (typeof rows)[number]).campaign_id
    await quotas.settle(async (session, take) => {
      const owner = await publications.findById(_id).session(session).lean<PublicationDoc>()
      const which = { _id: { $in: rows.map(row => row._id) } }
      // Another process may have removed some.
      const there = await published.find(which, { bytes: 1 }).session(session).lean<Row[]>()
      await published.deleteMany(which, { session })
      const bytes = -there.reduce((total, row) => total + row.bytes, 0)
      await publications.updateOne(
        { _id },
        { $inc: { rows: -there.length, revoked: -there.length, bytes } },
        { session },
      )
      if (owner) await take(owner.user_id, { published_bytes: bytes })
    })
  }
  const ended = { state: 'withdrawn' as const, wanted: false, rows: { $lte: 0 }, at: before }
  const over = await publications.find(ended).limit(REPEATED).lean<PublicationDoc[]>()
  for (const { _id } of over) {
    await quotas.settle(async (session, take) => {
      const gone = await publications.findOneAndDelete({ ...ended, _id }, { session }).lean<PublicationDoc>()
      if (!gone) return
      // What is left of it is its event.
      await feedEvents.deleteMany({ campaign_id: _id }, { session })
      await take(gone.user_id, { published_bytes: -gone.bytes })
    })
    await feedEventParts.deleteMany({ campaign_id: _id })
  }
  return old.length + over.length
}

/**
 * Queues publications that are due and that no step has begun with for a while, and notes those that have become due.
 * Resolves to the number of what was found.
 */
export const repeatPublications = async (
  service: Pick<StoreService, 'queues' | 'log'>,
  models: CampaignModels,
): Promise<number> => {
  const { publications } = models
  await noteChanges(models)
  const due = await publications
    .find({ state: 'due', check_at: { $lt: new Date() } }, { _id: 1 })
    .sort({ check_at: 1 })
    .limit(REPEATED)
    .lean<{ _id: Types.ObjectId }[]>()
  for (const { _id } of due) {
    await publications.updateOne({ _id }, { $set: { check_at: new Date(Date.now() + LEASE_MS) } })
    await queuePublication(service, _id.toHexString())
  }
  return due.length + (await removeRevoked(models))
}
