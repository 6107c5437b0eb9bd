import { type KindSpec, PEER_BACKOFF_MAX_MS, type Peers, publishToWatchers } from '@iodine/service-kit'
import type { Store } from '../../models.js'
import { type CampaignChange, campaignChange } from '../models/campaign-change.js'
import { watchedCampaign } from '../queries/watched-campaign.js'

/** Creates the outbox kind that publishes changes of campaigns to those who watch them, one event per user. */
export const changesWork = (of: () => { store: Store; peers: Peers }): KindSpec<CampaignChange> => ({
  payload: campaignChange,
  keyOf: ({ id, user_id }) => `${id} ${user_id}`,
  backoffMaxMs: PEER_BACKOFF_MAX_MS,
  async handle([changed]) {
    const { store, peers } = of()
    const campaign = changed && (await watchedCampaign(store, changed.id))
    if (!campaign) return
    const { title: name, tlp, changed_at } = campaign
    const at = changed_at.toISOString()
    await publishToWatchers(peers, [
      { type: 'campaign.changed', id: changed.id, name, user_id: changed.user_id, tlp, at },
    ])
  },
})
