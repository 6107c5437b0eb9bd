import { profileApi } from '@iodine/contracts'
import { unauthenticated } from '@iodine/service-kit'
import { createFeedKey, deleteFeedKey } from '../commands/feed-keys.js'
import { chooseUsername, storeAiKey } from '../commands/profile.js'
import type { AuthContext } from '../context.js'
import type { FeedKeyDoc } from '../models/feed-key.js'
import type { UserDoc } from '../models/user.js'
import { presentFeedKey } from '../presenters/feed-key.js'
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

  service.route(profileApi.listFeedKeys, async ({ user }) => {
    const keys = await models.feedKeys.find({ user_id: user.id }).sort({ _id: -1 }).lean<FeedKeyDoc[]>()
    return keys.map(presentFeedKey)
  })

  service.route(profileApi.createFeedKey, async ({ user, body }) => {
    const { key, doc } = await createFeedKey(context, user.id, body)
    return { ...presentFeedKey(doc), key }
  })

  service.route(profileApi.deleteFeedKey, async ({ user, params }) => {
    await deleteFeedKey(context, user.id, params.id)
    return { id: params.id }
  })
}
