import { type AuditAction, profileApi } from '@iodine/contracts'
import {
  type Caller,
  createKeyedLimiter,
  done,
  type FastifyRequest,
  notFound,
  Streamed,
  sendList,
  unauthenticated,
} from '@iodine/service-kit'
import { Types } from 'mongoose'
import type { AuthContext } from '../../context.js'
import { endSession, endSessions } from '../../sessions/commands/sessions.js'
import { requirePasskeySession } from '../../sessions/policies/admin.js'
import { presentSession } from '../../sessions/presenters/session.js'
import { findSid, sessionList } from '../../sessions/queries/sessions.js'
import {
  createPasskey,
  deletePasskey,
  listPasskeys,
  newPasskeyOptions,
  renamePasskey,
} from '../../sign-in/commands/passkeys.js'
import { presentPasskey } from '../../sign-in/presenters/passkey.js'
import { createApiToken, listApiTokens, revokeApiToken } from '../../tokens/commands/api-tokens.js'
import { createFeedKey, deleteFeedKey } from '../../tokens/commands/feed-keys.js'
import type { FeedKeyDoc } from '../../tokens/models/feed-key.js'
import { presentApiToken } from '../../tokens/presenters/api-token.js'
import { presentFeedKey } from '../../tokens/presenters/feed-key.js'
import { dropAddressChange, findAddressChange, requestAddressChange } from '../commands/change-address.js'
import { beginExport, findExport, readExport } from '../commands/export-data.js'
import { allowQuotes, chooseUsername, storeAiKey } from '../commands/profile.js'
import { requestDeletion, withdrawDeletion } from '../commands/schedule-deletion.js'
import type { UserDoc } from '../models/user.js'
import { presentAddressChange } from '../presenters/address-change.js'
import { presentDataExport } from '../presenters/data-export.js'
import { presentProfile } from '../presenters/profile.js'
import { gatherUsage } from '../queries/usage.js'

export const addProfileRoutes = (context: AuthContext): void => {
  const { config, models, service } = context

  const userOf = async (id: string): Promise<UserDoc> => {
    const doc = await models.users.findById(id).lean<UserDoc>()
    if (!doc) throw unauthenticated()
    return doc
  }

  /** Executes an action on the user's own account and records it. */
  const recorded = <Answer>(
    call: { user: Caller; request: FastifyRequest },
    action: AuditAction,
    work: Parameters<typeof service.audit.during<Answer>>[2],
  ): Promise<Answer> =>
    service.audit.during(call, { action, subject: { kind: 'account', id: call.user.id } }, work)

  service.route(profileApi.getProfile, async ({ user }) => presentProfile(config, await userOf(user.id)))

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
    allowed: (await userOf(user.id)).quotable === true,
  }))

  service.route(profileApi.setQuoting, async ({ user, body }) => {
    await allowQuotes(context, user.id, body.allowed)
    return body
  })

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

  service.route(profileApi.listSessions, async ({ user, query: { limit, cursor }, reply }) =>
    sendList(reply, {
      ...(await sessionList(models, user.id)),
      limit,
      cursor,
      present: found => found.map(({ session }) => presentSession(session, user.sid)),
    }),
  )

  service.route(profileApi.endSession, async ({ user, params }) => {
    const sid = await findSid(models, user.id, params.id)
    if (sid === undefined) throw notFound()
    await endSession(context, new Types.ObjectId(user.id), sid)
    return { id: params.id }
  })

  service.route(profileApi.endOtherSessions, async ({ user }) => ({
    ended: await endSessions(context, new Types.ObjectId(user.id), user.sid),
  }))

  service.route(profileApi.listPasskeys, async ({ user }) =>
    (await listPasskeys(context, user.id)).map(presentPasskey),
  )

  service.route(profileApi.newPasskeyOptions, async ({ user }) => {
    await requirePasskeySession(context, user)
    return newPasskeyOptions(context, await userOf(user.id))
  })

  service.route(profileApi.createPasskey, async call => {
    const { user, body } = call
    await requirePasskeySession(context, user)
    const what = { action: 'passkey.created', subject: { kind: 'passkey' } } as const
    return service.audit.during(call, what, async note => {
      const made = presentPasskey(await createPasskey(context, user.id, body))
      note({ id: made.id })
      return made
    })
  })

  service.route(profileApi.renamePasskey, async ({ user, params, body }) =>
    presentPasskey(await renamePasskey(context, user.id, params.id, body.name)),
  )

  service.route(profileApi.deletePasskey, async call => {
    const { user, params } = call
    await requirePasskeySession(context, user)
    await service.audit.during(
      call,
      { action: 'passkey.deleted', subject: { kind: 'passkey', id: params.id } },
      () => deletePasskey(context, user.id, params.id),
    )
    return { id: params.id }
  })

  service.route(profileApi.getDataExport, async ({ user }) => {
    const found = await findExport(context, user.id)
    return found && presentDataExport(found)
  })

  service.route(profileApi.createDataExport, async call =>
    presentDataExport(await recorded(call, 'account.exported', () => beginExport(context, call.user.id))),
  )

  const downloading = createKeyedLimiter()
  service.route(profileApi.downloadDataExport, async call =>
    downloading(call.user.id, async () => {
      const { user, params, reply } = call
      const { at, content } = await recorded(call, 'account.export-downloaded', () =>
        readExport(context, user.id, params.id),
      )
      const name = `iodine-data-${at.toISOString().slice(0, 10)}.json`
      reply.header('content-disposition', `attachment; filename="${name}"`)
      reply.header('cache-control', 'no-store')
      return new Streamed<unknown>(content)
    }),
  )

  service.route(profileApi.getAddressChange, async ({ user }) => {
    const found = await findAddressChange(context, user.id)
    return found && presentAddressChange(found)
  })

  service.route(profileApi.requestAddressChange, async call =>
    presentAddressChange(
      await recorded(call, 'account.address-change-requested', async () =>
        requestAddressChange(context, await userOf(call.user.id), call.body.email),
      ),
    ),
  )

  service.route(profileApi.withdrawAddressChange, async call =>
    done(
      recorded(call, 'account.address-change-withdrawn', async note => {
        const isNothing = !(await dropAddressChange(context, new Types.ObjectId(call.user.id)))
        note({ isNothing })
      }),
    ),
  )

  service.route(profileApi.requestDeletion, async call => {
    const { user, body } = call
    // Otherwise access to an administrator's mail would suffice to delete their passkeys with the account.
    await requirePasskeySession(context, user)
    return done(
      recorded(call, 'account.deletion-requested', async () =>
        requestDeletion(context, await userOf(user.id), body),
      ),
    )
  })

  service.route(profileApi.getDeletion, async ({ user }) => ({
    delete_at: (await userOf(user.id)).delete_at?.toISOString() ?? null,
  }))

  service.route(profileApi.withdrawDeletion, async call =>
    presentProfile(
      config,
      await recorded(call, 'account.deletion-withdrawn', async note => {
        const { isKept, user } = await withdrawDeletion(context, call.user.id)
        note({ isNothing: !isKept })
        return user
      }),
    ),
  )
}
