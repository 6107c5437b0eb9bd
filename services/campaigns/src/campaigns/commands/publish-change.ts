import { byId, type KindSpec, PEER_BACKOFF_MAX_MS, type Peers, publishToWatchers } from '@iodine/service-kit'
import type { Store } from '../../models.js'
import type { CampaignDoc } from '../models/campaign.js'
import { readLevels } from '../queries/sharing.js'

/** Creates the outbox kind that publishes changes of campaigns to those who watch. A TLP:RED campaign is not published. */
export const changesWork = (of: () => { store: Store; peers: Peers }): KindSpec<{ id: string }> => ({
  ...byId,
  backoffMaxMs: PEER_BACKOFF_MAX_MS,
  async handle([changed]) {
    const { store, peers } = of()
    const doc =
      changed && (await store.campaigns.findById(changed.id).select('+changed_at').lean<CampaignDoc>())
    if (!doc) return
    const id = doc._id.toHexString()
    const { tlp } = await readLevels(store, id)
    if (tlp === 'red') return
    const at = doc.changed_at.toISOString()
    await publishToWatchers(peers, [{ type: 'campaign.changed', id, name: doc.name, user_id: null, tlp, at }])
  },
})
