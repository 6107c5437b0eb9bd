import { authInternal, keysInternal } from '@iodine/contracts'
import { feedSecretContext, notFound, reseal, seal, serveSecrets } from '@iodine/service-kit'
import type { UserDoc } from '../../accounts/models/user.js'
import type { AuthContext } from '../../context.js'
import { resealSecrets } from '../commands/keys.js'
import { countSealed, listKeys } from '../queries/keys.js'

/** Adds the routes for the keys that sign tokens and seal secrets, and for the sealed secrets. */
export const addKeyRoutes = (context: AuthContext): void => {
  const { config, keys, models, service } = context

  // Without authentication: the keys are public, and services fetch them before they can authenticate.
  service.app.get('/internal/jwks', async () => keys.jwks)

  service.internal(authInternal.getSealedAiKey, async ({ params }) => {
    const user = await models.users
      .findOne({ _id: params.id, deleted_at: null })
      .select('sealed_ai_key')
      .lean<UserDoc>()
    if (!user) throw notFound()
    return { sealed: user.sealed_ai_key }
  })

  service.internal(authInternal.sealFeedSecret, async ({ body: { id, url, secret } }) => ({
    sealed: seal(config.SECRETS_KEY, feedSecretContext(id, url), secret),
  }))

  service.internal(keysInternal.resealFeedSecrets, async ({ body }) =>
    body.values.map(({ id, url, sealed }) => {
      try {
        return reseal(config.SECRETS_KEY, feedSecretContext(id, url), sealed)
      } catch {
        return null
      }
    }),
  )

  service.internal(keysInternal.getKeys, () => listKeys(context))
  serveSecrets(service, { count: () => countSealed(context), reseal: after => resealSecrets(context, after) })
}
