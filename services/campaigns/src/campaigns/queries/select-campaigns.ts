import { type campaignsApi, foldText, type QueryOf, timesOf } from '@iodine/contracts'
import { containing, gramsOfTerm } from '@iodine/service-kit'
import { type QueryFilter, Types } from 'mongoose'
import { BY_GRAM, BY_IOD, BY_TECHNIQUE, type CampaignDoc, GRAM_LENGTHS } from '../models/campaign.js'

interface Selection {
  filter: QueryFilter<CampaignDoc>
  /** The index that bounds the selection; absent for all campaigns. */
  hint?: typeof BY_IOD | typeof BY_GRAM | typeof BY_TECHNIQUE
}

type Filters = Omit<QueryOf<typeof campaignsApi.listCampaigns>, 'limit' | 'cursor' | 'mine'> & {
  /** The only creator. */
  creator?: Types.ObjectId | undefined
}

/** Selects the campaigns with an IOD, those with a technique, those whose name contains a text, or all. */
export const selectCampaigns = ({ iod_id, technique, q, creator, ...days }: Filters): Selection => {
  const created_at = timesOf(days)
  const term = q && foldText(q)
  const named: QueryFilter<CampaignDoc> = {
    ...(term && { search: containing(term) }),
    ...(technique && { 'techniques.id': technique }),
    ...(created_at && { created_at }),
    ...(creator && { created_by: creator }),
  }
  // An IOD is in few campaigns.
  if (iod_id) return { filter: { iod_ids: new Types.ObjectId(iod_id), ...named }, hint: BY_IOD }
  if (!term) return technique ? { filter: named, hint: BY_TECHNIQUE } : { filter: named }
  // The first gram is the longest and rare enough: names are short, and only candidates are read.
  return { filter: { ngrams: gramsOfTerm(term, GRAM_LENGTHS)[0] as number, ...named }, hint: BY_GRAM }
}
