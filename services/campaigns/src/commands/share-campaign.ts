import {
  type BodyOf,
  type CampaignSharing,
  type campaignsApi,
  DETAILS,
  rankOfTlp,
  USUAL_TLP,
} from '@iodine/contracts'
import { collectionIdOf } from '@iodine/exchange'
import { forbidden, HttpError, inTransaction } from '@iodine/service-kit'
import { type ClientSession, Types } from 'mongoose'
import { type CampaignDoc, CHANGED } from '../models/campaign.js'
import type { Store } from '../models/index.js'
import type { PublicationDoc } from '../models/publication.js'
import { readLevels, readSharing } from '../queries/sharing.js'

/** Changes a publication that is to be brought in line with its campaign. Its entry of the outbox is stored with it. */
const due = (changes: Partial<PublicationDoc>) => ({
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
    { ...due({ wanted: true, user_id: new Types.ObjectId(userId), tlp }), $setOnInsert: begun as never },
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
  await publications.updateMany({ _id }, due({ ...changes, wanted: false }), { session })
  await work.publications.addAll(
    docs.map(doc => ({ id: doc._id.toHexString() })),
    { session },
  )
}

/** Level and publication are others than those that a change began with. */
export class SharingChanged extends HttpError {
  override name = 'SharingChanged'
  constructor() {
    super(409, DETAILS.busy)
  }
}

/**
 * Sets the level of a campaign's exports, and whether it is published.
 * @param before what both are so far
 * @throws 404, 403 for another user's campaign, 409 below what it keeps, or for one that would be published and red, and
 *   SharingChanged if `before` does not hold
 */
export const shareCampaign = async (
  store: Store,
  userId: string,
  id: string,
  body: BodyOf<typeof campaignsApi.updateSharing>,
  before: Pick<CampaignSharing, 'tlp' | 'published'>,
): Promise<CampaignSharing> => {
  const now = await readLevels(store, id)
  const mine = { _id: id, created_by: userId }
  if (!(await store.campaigns.exists(mine))) throw forbidden()
  const tlp = body.tlp ?? now.tlp
  const published = body.published ?? now.published
  // An import that begins meanwhile counts all the same: its level is compared at each reading.
  if (rankOfTlp(tlp) < rankOfTlp(now.least)) throw new HttpError(409, DETAILS.tlpTooLow)
  if (published && tlp === 'red') throw new HttpError(409, DETAILS.publishedRed)
  await inTransaction(
    store.mongo,
    async session => {
      const $set = { ...(body.tlp && { tlp: rankOfTlp(body.tlp) }), published }
      const was = await store.campaigns
        .findOneAndUpdate(mine, { $set, ...CHANGED }, { session })
        .select(['+tlp', '+published'])
        .lean<CampaignDoc>()
      if (!was) throw forbidden()
      const level = Math.max(was.tlp ?? rankOfTlp(USUAL_TLP), rankOfTlp(now.least))
      if (level !== rankOfTlp(before.tlp) || (was.published ?? false) !== before.published)
        throw new SharingChanged()
      if (published) await enqueuePublication(store, userId, id, rankOfTlp(tlp), session)
      else if (before.published) await enqueueWithdrawal(store, { _id: id }, session)
    },
    { retriesDuplicates: true },
  )
  return readSharing(store, id)
}
