import { notFound, type Peers } from '@iodine/service-kit'
import { Types } from 'mongoose'
import type { CampaignModels } from '../../models.js'
import type { ProposalDoc, ProposalModel } from '../models/proposal.js'
import { readTexts, type SourceText } from './source-texts.js'

/** Returns a run of a user in a campaign. @throws HttpError 404 for another user's, an unknown and an expired one */
export const findProposals = async (
  proposals: ProposalModel,
  userId: string,
  campaignId: string,
  id: string,
): Promise<ProposalDoc> => {
  const run = await proposals
    .findOne({ _id: id, campaign_id: new Types.ObjectId(campaignId), user_id: new Types.ObjectId(userId) })
    .lean<ProposalDoc>()
  if (!run) throw notFound()
  return run
}

/** Returns the texts of a run. @throws HttpError 404 for a deleted narrative, 503 */
export const textsOf = (
  models: Pick<CampaignModels, 'campaigns'>,
  peers: Peers,
  { campaign_id, user_id, source, text }: ProposalDoc,
): Promise<SourceText[]> =>
  readTexts(models, peers, {
    campaignId: campaign_id.toHexString(),
    userId: user_id.toHexString(),
    kind: source.kind,
    narrativeId: source.id ?? undefined,
    text,
  })

/** Returns the techniques that the user has rejected for the same texts. */
export const findRejected = async (
  proposals: ProposalModel,
  { user_id, campaign_id, text_hash }: ProposalDoc,
): Promise<ReadonlySet<string>> =>
  new Set(await proposals.distinct('rejected', { user_id, campaign_id, text_hash }))
