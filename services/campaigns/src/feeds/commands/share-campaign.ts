import {
  type BodyOf,
  type CampaignSharing,
  type campaignsApi,
  DEFAULT_TLP,
  DETAILS,
  rankOfTlp,
} from '@iodine/contracts'
import { collectionIdOf } from '@iodine/exchange'
import { forbidden, HttpError, inTransaction } from '@iodine/service-kit'
import { type ClientSession, Types } from 'mongoose'
import { type CampaignDoc, CHANGED } from '../../campaigns/models/campaign.js'
import { readLevels, readSharing } from '../../campaigns/queries/sharing.js'
import type { Store } from '../../models.js'
import { markUnderRevision } from '../../reports/commands/review.js'
import type { PublicationDoc } from '../models/publication.js'

/** Returns the update that makes a publication due. The same transaction adds its outbox entry. */
const dueUpdate = (changes: Partial<PublicationDoc>) => ({
  $set: { ...changes, state: 'due' as const, problem: null },
  $inc: { asked: 1 },
})

/** Enqueues the publication of a campaign, or of its new level. */
const enqueuePublication = async (
  { publications, work }: Store,
  userId: string,
  id: string,
  tlp: number,
  session: ClientSession,
) => {
  const begun = { collection_id: collectionIdOf(id.toLowerCase()), rows: 0, revoked: 0, bytes: 0 }
  await publications.updateOne(
    { _id: id },
    {
      ...dueUpdate({ wanted: true, user_id: new Types.ObjectId(userId), tlp }),
      $setOnInsert: begun as never,
    },
    { session, upsert: true },
  )
  await work.publications.add({ id: id.toLowerCase() }, { session })
}

/**
 * Enqueues the withdrawal of campaigns from feeds.
 * @param which selects publications: by their user, or by the campaign
 * @param session the transaction that ends their publication
 */
export const enqueueWithdrawal = async (
  { publications, work }: Store,
  which: { _id: string } | { user_id: Types.ObjectId },
  session: ClientSession,
  changes: { user_id?: null } = {},
): Promise<void> => {
  const docs = await publications
    .find(which, { _id: 1 })
    .session(session)
    .lean<Pick<PublicationDoc, '_id'>[]>()
  const _id = { $in: docs.map(doc => doc._id) }
  await publications.updateMany({ _id }, dueUpdate({ ...changes, wanted: false }), { session })
  await work.publications.addAll(
    docs.map(doc => ({ id: doc._id.toHexString() })),
    { session },
  )
}

/** Error: level or publication differ from the state before the change. */
export class SharingChanged extends HttpError {
  override name = 'SharingChanged'
  constructor() {
    super(409, DETAILS.busy)
  }
}

/**
 * Sets the level of a campaign's exports, and whether it is published.
 * @param before both before the change
 * @throws 404, 403 for another user's campaign, 409 for a level below the minimum or a published campaign at TLP:RED,
 *   SharingChanged if `before` is outdated
 */
export const shareCampaign = async (
  store: Store,
  userId: string,
  id: string,
  body: BodyOf<typeof campaignsApi.updateSharing>,
  before: Pick<CampaignSharing, 'tlp' | 'published'>,
): Promise<CampaignSharing> => {
  const now = await readLevels(store, id)
  const own = { _id: id, created_by: userId }
  if (!(await store.campaigns.exists(own))) throw forbidden()
  const tlp = body.tlp ?? now.tlp
  const published = body.published ?? now.published
  // An import that begins meanwhile still counts: its level is compared at each read.
  if (rankOfTlp(tlp) < rankOfTlp(now.least)) throw new HttpError(409, DETAILS.tlpTooLow)
  if (published && tlp === 'red') throw new HttpError(409, DETAILS.publishedRed)
  await inTransaction(
    store.mongo,
    async session => {
      const $set = { ...(body.tlp && { tlp: rankOfTlp(body.tlp) }), published }
      const was = await store.campaigns
        .findOneAndUpdate(own, { $set, ...CHANGED }, { session })
        .select(['+tlp', '+published'])
        .lean<CampaignDoc>()
      if (!was) throw forbidden()
      const level = Math.max(was.tlp ?? rankOfTlp(DEFAULT_TLP), rankOfTlp(now.least))
      if (level !== rankOfTlp(before.tlp) || (was.published ?? false) !== before.published)
        throw new SharingChanged()
      if (body.tlp && body.tlp !== 'clear')
        await markUnderRevision(store, { campaign_id: new Types.ObjectId(id) }, 'level', session)
      if (published) await enqueuePublication(store, userId, id, rankOfTlp(tlp), session)
      else if (before.published) await enqueueWithdrawal(store, { _id: id }, session)
    },
    { retriesDuplicates: true },
  )
  return readSharing(store, id)
}
