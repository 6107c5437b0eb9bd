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
import type { CampaignModels } from '../models/index.js'
import { readLevels, readSharing } from '../queries/sharing.js'
import { addPublication, askedFor, askPublications } from './ask-publication.js'

/** Has a campaign published, or what was published of it brought to a level. */
const askToPublish = async (
  models: CampaignModels,
  userId: string,
  id: string,
  tlp: number,
  session: ClientSession,
) => {
  const { $set, $inc } = askedFor({ wanted: true, user_id: new Types.ObjectId(userId), tlp, problem: null })
  const begun = { collection_id: collectionIdOf(id.toLowerCase()), rows: 0, revoked: 0, bytes: 0 }
  const _id = new Types.ObjectId(id)
  await models.publications.updateOne(
    { _id },
    { $set, $inc, $setOnInsert: begun as never },
    { session, upsert: true },
  )
  await addPublication(models, _id, session)
}

/**
 * Has a campaign withdrawn from feeds, in the transaction that ends its publication.
 * @param which selects publications: by their user, or by the campaign
 */
export const askToWithdraw = (
  models: CampaignModels,
  which: { _id: string } | { user_id: Types.ObjectId },
  session: ClientSession,
  changes: { user_id?: null } = {},
): Promise<void> => askPublications(models, which, session, { ...changes, wanted: false, problem: null })

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
  models: CampaignModels,
  userId: string,
  id: string,
  body: BodyOf<typeof campaignsApi.updateSharing>,
  before: Pick<CampaignSharing, 'tlp' | 'published'>,
): Promise<CampaignSharing> => {
  const now = await readLevels(models, id)
  const mine = { _id: id, created_by: userId }
  if (!(await models.campaigns.exists(mine))) throw forbidden()
  const tlp = body.tlp ?? now.tlp
  const published = body.published ?? now.published
  // An import that begins meanwhile counts all the same: its level is compared at each reading.
  if (rankOfTlp(tlp) < rankOfTlp(now.least)) throw new HttpError(409, DETAILS.tlpTooLow)
  if (published && tlp === 'red') throw new HttpError(409, DETAILS.publishedRed)
  await inTransaction(
    models.mongo,
    async session => {
      const $set = { ...(body.tlp && { tlp: rankOfTlp(body.tlp) }), published }
      const was = await models.campaigns
        .findOneAndUpdate(mine, { $set, ...CHANGED }, { session })
        .select(['+tlp', '+published'])
        .lean<CampaignDoc>()
      if (!was) throw forbidden()
      const level = Math.max(was.tlp ?? rankOfTlp(USUAL_TLP), rankOfTlp(now.least))
      if (level !== rankOfTlp(before.tlp) || (was.published ?? false) !== before.published)
        throw new SharingChanged()
      if (published) await askToPublish(models, userId, id, rankOfTlp(tlp), session)
      else if (before.published) await askToWithdraw(models, { _id: id }, session)
    },
    { retriesDuplicates: true },
  )
  return readSharing(models, id)
}
