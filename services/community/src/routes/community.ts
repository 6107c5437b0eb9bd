import { communityApi, communityInternal } from '@iodine/contracts'
import type { StoreService } from '@iodine/service-kit'
import { applyEvent } from '../commands/apply-event.js'
import type { CommunityModels } from '../models/index.js'
import { getProfile, listUsers } from '../queries/profiles.js'

export const addCommunityRoutes = (service: StoreService, models: CommunityModels): void => {
  service.route(communityApi.listUsers, async ({ query }) => listUsers(models, query))

  service.route(communityApi.getUser, async ({ params, query }) => getProfile(models, params.id, query))

  service.internal(communityInternal.applyEvent, async ({ body }) => {
    await applyEvent(service.mongo, models, body)
    return { done: true }
  })
}
