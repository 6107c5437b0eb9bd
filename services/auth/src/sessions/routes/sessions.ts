import { profileApi } from '@iodine/contracts'
import { notFound, sendList } from '@iodine/service-kit'
import { Types } from 'mongoose'
import type { AuthContext } from '../../context.js'
import { endSession, endSessions } from '../commands/sessions.js'
import { presentSession } from '../presenters/session.js'
import { findSid, sessionList } from '../queries/sessions.js'

/** Adds the routes for the user's sessions. */
export const addSessionRoutes = (context: AuthContext): void => {
  const { models, service } = context

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
}
