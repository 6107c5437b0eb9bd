import { profileApi } from '@iodine/contracts'
import { notFound, sendList, unauthenticated } from '@iodine/service-kit'
import { Types } from 'mongoose'
import { createFeedKey, deleteFeedKey } from '../commands/feed-keys.js'
import {
  createPasskey,
  deletePasskey,
  listPasskeys,
  newPasskeyOptions,
  renamePasskey,
} from '../commands/passkeys.js'
import { chooseUsername, storeAiKey } from '../commands/profile.js'
import { endSession, endSessions } from '../commands/sessions.js'
import type { AuthContext } from '../context.js'
import type { FeedKeyDoc } from '../models/feed-key.js'
import type { UserDoc } from '../models/user.js'
import { requirePasskeySession } from '../policies/admin.js'
import { presentFeedKey } from '../presenters/feed-key.js'
import { presentPasskey } from '../presenters/passkey.js'
import { presentProfile } from '../presenters/profile.js'
import { presentSession } from '../presenters/session.js'
import { findSid, sessionList } from '../queries/sessions.js'
import { gatherUsage } from '../queries/usage.js'

export const addProfileRoutes = (context: AuthContext): void => {
  const { config, models, service } = context

  const userOf = async (id: string): Promise<UserDoc> => {
    const doc = await models.users.findById(id).lean<UserDoc>()
    if (!doc) throw unauthenticated()
    return doc
  }

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
    await endSession(context, sid)
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

  service.route(profileApi.createPasskey, async ({ user, body }) => {
    await requirePasskeySession(context, user)
    return presentPasskey(await createPasskey(context, user.id, body))
  })

  service.route(profileApi.renamePasskey, async ({ user, params, body }) =>
    presentPasskey(await renamePasskey(context, user.id, params.id, body.name)),
  )

  service.route(profileApi.deletePasskey, async ({ user, params }) => {
    await requirePasskeySession(context, user)
    await deletePasskey(context, user.id, params.id)
    return { id: params.id }
  })
}
