import { authInternal, keysInternal, mailsInternal, type UserCard } from '@iodine/contracts'
import {
  done,
  feedSecretContext,
  notFound,
  reseal,
  seal,
  serveHistory,
  serveSecrets,
} from '@iodine/service-kit'
import type { QueryFilter } from 'mongoose'
import { eventsOfUser } from '../commands/announce-user.js'
import { checkApiToken } from '../commands/api-tokens.js'
import { checkFeedKey } from '../commands/feed-keys.js'
import { resealSecrets } from '../commands/keys.js'
import { settleMail } from '../commands/send-mail.js'
import { checkSession } from '../commands/sessions.js'
import type { AuthContext } from '../context.js'
import { type UserDoc, usernameKey } from '../models/user.js'
import { isAdmin, requireAdmin } from '../policies/admin.js'
import { countSealed, listKeys } from '../queries/keys.js'

const found = <T>(value: T | null): T => {
  if (value === null) throw notFound()
  return value
}

export const addInternalRoutes = (context: AuthContext): void => {
  const { config, keys, models, service } = context

  // Without authentication: the keys are public, and services fetch them before they can authenticate.
  service.app.get('/internal/jwks', async () => keys.jwks)

  service.internal(authInternal.checkSession, async ({ body }) =>
    found(await checkSession(context, body.sid)),
  )
  service.internal(authInternal.checkFeedKey, async ({ body }) =>
    found(await checkFeedKey(context, body.hash)),
  )
  service.internal(authInternal.checkApiToken, async ({ body }) =>
    found(await checkApiToken(context, body.hash)),
  )

  const cardsOf = async (filter: QueryFilter<UserDoc>): Promise<UserCard[]> => {
    const users = await models.users
      .find({ ...filter, deleted_at: null })
      .select('username created_at')
      .lean<UserDoc[]>()
    return users.map(({ _id, username, created_at }) => ({
      id: _id.toHexString(),
      username,
      created_at: created_at.toISOString(),
    }))
  }
  service.internal(authInternal.lookupUsers, ({ body }) => cardsOf({ _id: { $in: body.ids } }))
  service.internal(authInternal.findUsers, ({ body }) =>
    cardsOf({ username_key: { $in: body.usernames.map(usernameKey) } }),
  )

  service.internal(authInternal.getSealedAiKey, async ({ params }) => {
    const user = await models.users
      .findOne({ _id: params.id, deleted_at: null })
      .select('sealed_ai_key')
      .lean<UserDoc>()
    if (!user) throw notFound()
    return { sealed: user.sealed_ai_key }
  })

  service.internal(authInternal.checkAdmin, async ({ params: { id }, body: { sid } }) => {
    if (sid !== undefined) await requireAdmin(context, { id, sid, scope: 'full' })
    return { is_admin: await isAdmin(context, id) }
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

  serveHistory(service, models.users, { deleted_at: { $exists: false } }, eventsOfUser)

  service.internal(mailsInternal.settleMail, async ({ params }) => done(settleMail(context, params.id)))
}
