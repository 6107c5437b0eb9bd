import { profileApi } from '@iodine/contracts'
import type { AuthContext } from '../../context.js'
import { allowQuotes, chooseUsername, storeAiKey } from '../commands/profile.js'
import { presentProfile } from '../presenters/profile.js'
import { findUser } from '../queries/find-user.js'
import { gatherUsage } from '../queries/usage.js'

/** Adds the routes for the user's profile, usage, AI key and consent to quotes. */
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

  service.route(profileApi.getQuoting, async ({ user }) => ({
    allowed: (await findUser(models, user.id)).quotable === true,
  }))

  service.route(profileApi.setQuoting, async ({ user, body }) => {
    await allowQuotes(context, user.id, body.allowed)
    return body
  })
}
