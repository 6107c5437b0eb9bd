import { campaignsApi } from '@iodine/contracts'
import type { StoreService } from '@iodine/service-kit'
import type { TechniqueDoc } from '../../campaigns/models/campaign.js'
import type { Store } from '../../models.js'
import { addTechnique, removeTechnique } from '../commands/change-techniques.js'
import { presentTechniques } from '../presenters/techniques.js'
import { findTechniques } from '../queries/techniques.js'

/** Adds the routes of the DISARM techniques of campaigns. Like members, any user may add and remove them. */
export const addTechniqueRoutes = (service: StoreService, store: Store): void => {
  const present = (techniques: TechniqueDoc[]) => presentTechniques(service.users, techniques)

  service.route(campaignsApi.listTechniques, async ({ params }) =>
    present(await findTechniques(store.campaigns, params.id)),
  )
  service.route(campaignsApi.addTechnique, async ({ params, user }) =>
    present(await addTechnique(store, user.id, params.id, params.tid)),
  )
  service.route(campaignsApi.removeTechnique, async call => {
    const { id, tid } = call.params
    const what = {
      action: 'campaign.technique-removed',
      subject: { kind: 'campaign', id },
      count: 1,
    } as const
    return service.audit.during(call, what, async note => {
      const { isRemoved, techniques } = await removeTechnique(store, call.user.id, id, tid)
      if (!isRemoved) note({ isNothing: true })
      return present(techniques)
    })
  })
}
