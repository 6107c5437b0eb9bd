import { profileApi } from '@iodine/contracts'
import type { AuthContext } from '../../context.js'
import { chooseUsername, storeAiKey } from '../commands/profile.js'
import { presentProfile } from '../presenters/profile.js'
import { findUser } from '../queries/find-user.js'
import { gatherUsage } from '../queries/usage.js'

/** Adds the routes for the user's profile, usage and AI key. */
export const addProfileRoutes = (context: AuthContext): void => {
  const { config, models, service } = context

  service.route(profileApi.getProfile, async ({ user }) =>
    presentProfile(config, await findUser(models, user.id)),
  )

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
