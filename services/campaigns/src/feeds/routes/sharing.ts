import { type CampaignSharing, campaignsApi } from '@iodine/contracts'
import type { StoreService } from '@iodine/service-kit'
import { readLevels, readSharing } from '../../campaigns/queries/sharing.js'
import type { Store } from '../../models.js'
import { SharingChanged, shareCampaign } from '../commands/share-campaign.js'

/** Maximum attempts of a change of sharing among concurrent changes, before it fails with 409. */
const SHARING_ATTEMPTS = 100

/** Adds the routes of the level of a campaign, and whether feeds contain it. */
export const addSharingRoutes = (service: StoreService, store: Store): void => {
  service.route(campaignsApi.getSharing, async ({ params }) => readSharing(store, params.id))
  /** Returns the audit action of a change of sharing. */
  const sharingAction = (before: { published: boolean }, published = before.published) => {
    if (published === before.published) return 'campaign.level-changed'
    return published ? 'campaign.published' : 'campaign.withdrawn'
  }
  service.route(campaignsApi.updateSharing, async call => {
    const { params, body, user } = call
    const change = async (): Promise<CampaignSharing> => {
      const before = await readLevels(store, params.id)
      const tlp = body.tlp ?? before.tlp
      const action = sharingAction(before, body.published)
      return service.audit.during(
        call,
        { action, subject: { kind: 'campaign', id: params.id }, detail: tlp },
        async note => {
          const after = await shareCampaign(store, user.id, params.id, body, before)
          note({ isNothing: action === 'campaign.level-changed' && tlp === before.tlp })
          return after
        },
      )
    }
    let sharing: CampaignSharing | undefined
    // A concurrent change would make the audit entry wrong: retry after it.
    for (let left = SHARING_ATTEMPTS; !sharing; left--)
      sharing = await change().catch(error => {
        if (error instanceof SharingChanged && left > 1) return undefined
        throw error
      })
    return sharing
  })
}
