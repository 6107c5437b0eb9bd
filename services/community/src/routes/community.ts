import { communityApi, communityInternal, rebuildInternal } from '@iodine/contracts'
import { done, personalSource, type StoreService, servePersonalData } from '@iodine/service-kit'
import { applyEvents } from '../commands/apply-event.js'
import { countNames } from '../commands/count-names.js'
import { rebuildStep } from '../commands/rebuild.js'
import type { CommunityModels } from '../models/index.js'
import { createUserList, getProfile } from '../queries/profiles.js'

export const addCommunityRoutes = (service: StoreService, models: CommunityModels): void => {
  const listUsers = createUserList(models, (term, found) => countNames(models, term, found))
  service.route(communityApi.listUsers, async ({ query, reply }) => {
    const { answer, next } = await listUsers(query)
    if (next) reply.header('x-next-cursor', next)
    return answer
  })

  service.route(communityApi.getUser, async ({ params, query, reply }) => {
    const { answer, next } = await getProfile(models, params.id, query)
    if (next) reply.header('x-next-cursor', next)
    return answer
  })

  service.internal(communityInternal.applyEvents, async ({ body }) => done(applyEvents(models, body.events)))

  service.internal(rebuildInternal.rebuildStep, async ({ body }) =>
    rebuildStep({ peers: service.peers, models }, body.cursor),
  )

  servePersonalData(service, {
    sources: [
      personalSource('public_profile', models.users, _id => ({ _id })),
      personalSource('contribution', models.contributions, user_id => ({ user_id })),
    ],
    forget: userId => applyEvents(models, [{ type: 'user.deleted', data: { id: userId.toHexString() } }]),
  })
}
