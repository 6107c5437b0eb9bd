import { profileApi } from '@iodine/contracts'
import { unauthenticated } from '@iodine/service-kit'
import { chooseUsername, storeAiKey } from '../commands/profile.js'
import type { AuthContext } from '../context.js'
import type { UserDoc } from '../models/user.js'
import { presentProfile } from '../presenters/profile.js'
import { gatherUsage } from '../queries/usage.js'

export const addProfileRoutes = (context: AuthContext): void => {
  const { config, models, service } = context

  service.route(profileApi.getProfile, async ({ user }) => {
    const doc = await models.users.findById(user.id).lean<UserDoc>()
    if (!doc) throw unauthenticated()
    return presentProfile(config, doc)
  })

  service.route(profileApi.getUsage, async ({ user }) => gatherUsage(service.peers, user.id))

  service.route(profileApi.setupUsername, async ({ user, body }) =>
    presentProfile(config, await chooseUsername(context, user.id, body.username)),
  )

  service.route(profileApi.updateOpenaiKey, async ({ user, body }) => {
    await storeAiKey(context, user.id, body.api_key)
    return { has_openai_key: true }
  })

  service.route(profileApi.removeOpenaiKey, async ({ user }) => {
    await storeAiKey(context, user.id, null)
    return { has_openai_key: false }
  })
}
