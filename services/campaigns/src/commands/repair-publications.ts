import { LIMITS } from '@iodine/contracts'
import { inTransaction } from '@iodine/service-kit'
import type { QueryFilter, Types } from 'mongoose'
import type { CampaignDoc } from '../models/campaign.js'
import type { CampaignModels } from '../models/index.js'
import type { PublicationDoc, PublishedDoc } from '../models/publication.js'
import { askPublications } from './ask-publication.js'
import { ROW, type Row } from './publish-batch.js'

/** Changed campaigns that one repair looks at, and old publications. */
const REPEATED = 100
/** Changes of campaigns are noticed for so long: more than the repair is late while a version is replaced. */
const LOOKED_AT_MS = 10 * 60_000
/** When a campaign's feed is compared with what members say of its IODs. */
const SWEEP_MS = 3_600_000
/** Revoked rows that one repair removes. */
const REMOVED = 500

/** Has published campaigns compared that have changed since then, and from time to time all. */
const followChanges = async (models: CampaignModels): Promise<void> => {
  const { mongo, campaigns, publications } = models
  const ask = (which: QueryFilter<PublicationDoc>, changes?: Partial<PublicationDoc>) =>
    inTransaction(mongo, session => askPublications(models, which, session, changes))
  const since = { $gt: new Date(Date.now() - LOOKED_AT_MS) }
  const changed = await campaigns
    .find({ published: true, changed_at: since }, { _id: 1, changed_at: 1 })
    .sort({ changed_at: -1 })
    .limit(REPEATED)
    .lean<Pick<CampaignDoc, '_id' | 'changed_at'>[]>()
  for (const { _id, changed_at } of changed) {
    const old = { _id, state: 'published' as const, stated_at: { $lt: changed_at as Date } }
    if (await publications.exists(old)) await ask(old, { wanted: true })
  }
  // What members say of its IODs is no change of a campaign: compared from time to time.
  const unswept = { state: 'published' as const, at: { $lt: new Date(Date.now() - SWEEP_MS) } }
  const some = await publications.find(unswept, { _id: 1 }).limit(REPEATED).lean<{ _id: Types.ObjectId }[]>()
  for (const { _id } of some) await ask({ ...unswept, _id })
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

/** Follows campaigns whose feeds are behind, and removes what was revoked long ago. Resolves to the number of what is gone. */
export const repairPublications = async (models: CampaignModels): Promise<number> => {
  await followChanges(models)
  return removeRevoked(models)
}
