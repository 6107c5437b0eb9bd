import { type CampaignSharing, campaignsApi, importsApi } from '@iodine/contracts'
import { createKeyedLimiter, type StoreService } from '@iodine/service-kit'
import { applyImport } from '../commands/apply-import.js'
import { receiveImport } from '../commands/receive-import.js'
import { removeImport } from '../commands/remove-import.js'
import { SharingChanged, shareCampaign } from '../commands/share-campaign.js'
import type { Store } from '../models/index.js'
import { PRESENTED, presentImport } from '../presenters/import.js'
import { findImport } from '../queries/find-import.js'
import { readKept } from '../queries/kept-objects.js'
import { readLevels, readSharing } from '../queries/sharing.js'

/** Changes of one campaign's sharing that overtake another, before that one is refused (409). */
const SHARING_ATTEMPTS = 100

/** Files that go into campaigns, and how far these may be passed on. */
export const addImportRoutes = (service: StoreService, store: Store): void => {
  const { imports } = store

  // A file of the largest size is in memory while it is received.
  const receiving = createKeyedLimiter()
  service.route(importsApi.createImport, async ({ query, body, user }) =>
    receiving(user.id, async () => {
      const doc = await receiveImport(store, user.id, { ...query, bytes: body })
      return { id: doc._id.toHexString() }
    }),
  )
  service.route(importsApi.getImport, async ({ params, user }) =>
    presentImport(await findImport(imports, user.id, params.id, ...PRESENTED)),
  )
  service.route(importsApi.applyImport, async call => {
    const { params, body, user } = call
    const what = { action: 'import.applied', subject: { kind: 'campaign' }, item: params.id } as const
    const doc = await service.audit.during(call, what, async note => {
      const applied = await applyImport(store, user.id, params.id, body.iods)
      note({ id: applied.campaign_id.toHexString(), count: applied.objects })
      return applied
    })
    return presentImport(doc)
  })
  service.route(importsApi.deleteImport, async call => {
    const { params, user } = call
    const what = { action: 'import.removed', subject: { kind: 'campaign' }, item: params.id } as const
    await service.audit.during(call, what, async note => {
      const { state, campaign_id, objects } = await removeImport(store, user.id, params.id)
      // A plan that is discarded has changed nothing.
      note({ id: campaign_id.toHexString(), count: objects, isNothing: !['done', 'failed'].includes(state) })
    })
    return { id: params.id }
  })
  service.route(importsApi.getKept, async ({ params, user }) =>
    readKept(store, service.users, user.id, params.id),
  )
  service.route(campaignsApi.getSharing, async ({ params }) => readSharing(store, params.id))
  /** What a change of sharing is to the audit log. */
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
    // Another request's change would make the entry a wrong one: this one begins anew after it.
    for (let left = SHARING_ATTEMPTS; !sharing; left--)
      sharing = await change().catch(error => {
        if (error instanceof SharingChanged && left > 1) return undefined
        throw error
      })
    return sharing
  })
}
