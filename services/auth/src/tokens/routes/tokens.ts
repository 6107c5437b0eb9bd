import { profileApi } from '@iodine/contracts'
import type { AuthContext } from '../../context.js'
import { createApiToken, listApiTokens, revokeApiToken } from '../commands/api-tokens.js'
import { createFeedKey, deleteFeedKey } from '../commands/feed-keys.js'
import type { FeedKeyDoc } from '../models/feed-key.js'
import { presentApiToken } from '../presenters/api-token.js'
import { presentFeedKey } from '../presenters/feed-key.js'

/** Adds the routes for the user's API tokens and feed keys. */
export const addTokenRoutes = (context: AuthContext): void => {
  const { models, service } = context

  service.route(profileApi.listApiTokens, async ({ user }) =>
    (await listApiTokens(context, user.id)).map(presentApiToken),
  )

  service.route(profileApi.createApiToken, async call => {
    const { user, body } = call
    const what = { action: 'api-token.created', subject: { kind: 'api-token' } } as const
    const { token, doc } = await service.audit.during(call, what, async note => {
      const made = await createApiToken(context, user.id, body)
      note({ id: made.doc._id.toHexString() })
      return made
    })
    return { ...presentApiToken(doc), token }
  })

  service.route(profileApi.revokeApiToken, async call => {
    const { user, params } = call
    await service.audit.during(
      call,
      { action: 'api-token.revoked', subject: { kind: 'api-token', id: params.id } },
      () => revokeApiToken(context, user.id, params.id),
    )
    return { id: params.id }
  })

  service.route(profileApi.listFeedKeys, async ({ user }) => {
    const keys = await models.feedKeys.find({ user_id: user.id }).sort({ _id: -1 }).lean<FeedKeyDoc[]>()
    return keys.map(presentFeedKey)
  })

  service.route(profileApi.createFeedKey, async call => {
    const { user, body } = call
    const what = { action: 'feed-key.created', subject: { kind: 'feed-key' }, detail: body.tlp } as const
    const { key, doc } = await service.audit.during(call, what, async note => {
      const made = await createFeedKey(context, user.id, body)
      note({ id: made.doc._id.toHexString() })
      return made
    })
    return { ...presentFeedKey(doc), key }
  })

  service.route(profileApi.deleteFeedKey, async call => {
    const { user, params } = call
    await service.audit.during(
      call,
      { action: 'feed-key.revoked', subject: { kind: 'feed-key', id: params.id } },
      () => deleteFeedKey(context, user.id, params.id),
    )
    return { id: params.id }
  })
}
