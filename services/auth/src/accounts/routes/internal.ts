import { authInternal, DETAILS, mailsInternal, type UserCard } from '@iodine/contracts'
import { done, forbidden, notFound, serveHistory } from '@iodine/service-kit'
import { type QueryFilter, Types } from 'mongoose'
import type { AuthContext } from '../../context.js'
import { completeMail } from '../../mails/commands/send-mail.js'
import { checkSession } from '../../sessions/commands/sessions.js'
import { isAdmin, openedByPasskey, requireAdmin } from '../../sessions/policies/admin.js'
import { checkApiToken } from '../../tokens/commands/api-tokens.js'
import { checkFeedKey } from '../../tokens/commands/feed-keys.js'
import { mailNotifications } from '../commands/mail-notifications.js'
import { eventsOfUser } from '../commands/publish-user.js'
import { type UserDoc, usernameKey } from '../models/user.js'

const found = <T>(value: T | null): T => {
  if (value === null) throw notFound()
  return value
}

export const addInternalRoutes = (context: AuthContext): void => {
  const { models, service } = context

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
  service.internal(authInternal.findQuotable, async ({ body }) => {
    const _id = { $in: body.ids.map(each => new Types.ObjectId(each)) }
    const found = await models.users.distinct('_id', { _id, quotable: true, deleted_at: null })
    return found.map(String)
  })
  service.internal(authInternal.findUsers, ({ body }) =>
    cardsOf({ username_key: { $in: body.usernames.map(usernameKey) } }),
  )

  service.internal(authInternal.checkAdmin, async ({ params: { id }, body: { sid, passkey } }) => {
    if (sid !== undefined) await requireAdmin(context, { id, sid, scope: 'full' })
    if (passkey && !(sid !== undefined && (await openedByPasskey(context, sid))))
      throw forbidden(DETAILS.passkeySession)
    return { is_admin: await isAdmin(context, id) }
  })

  serveHistory(service, models.users, { deleted_at: { $exists: false } }, eventsOfUser)

  service.internal(mailsInternal.mailNotifications, ({ body }) => done(mailNotifications(context, body)))
  service.internal(mailsInternal.completeMail, async ({ params }) => done(completeMail(context, params.id)))
}
