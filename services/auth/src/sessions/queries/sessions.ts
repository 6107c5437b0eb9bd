import { createHash } from 'node:crypto'
import { Types } from 'mongoose'
import type { AuthModels } from '../../models.js'
import type { SessionDoc } from '../models/session.js'

/** Returns the id of a session in its owner's list, derived from the `sid`, which is no ObjectId. */
export const sessionId = (sid: string): Types.ObjectId =>
  new Types.ObjectId(createHash('sha256').update(sid).digest('hex').slice(0, 24))

/** Returns all live sessions of a user, at most `LIMITS.sessionsMax`. */
const findSessions = ({ sessions }: AuthModels, userId: string): Promise<SessionDoc[]> =>
  sessions
    .find({ user_id: new Types.ObjectId(userId), expires_at: { $gt: new Date() }, ended_at: null })
    .lean<SessionDoc[]>()

/** Returns the `sid` of a user's live session by its id in the list; undefined if there is none. */
export const findSid = async (models: AuthModels, userId: string, id: string): Promise<string | undefined> =>
  (await findSessions(models, userId)).find(({ _id }) => sessionId(_id).equals(id))?._id

/** Returns a user's live sessions for `sendList`, newest first. */
export const sessionList = async (models: AuthModels, userId: string) => {
  const sessions = (await findSessions(models, userId))
    .map(session => ({ _id: sessionId(session._id), created_at: session.created_at, session }))
    .sort((a, b) => compare(b, a))
  return {
    find: async (after: Position | undefined, size: number) =>
      sessions.filter(each => !after || compare(each, after) < 0).slice(0, size),
    total: async () => sessions.length,
  }
}

type Position = { _id: Types.ObjectId; created_at: Date }

const compare = (a: Position, b: Position): number =>
  a.created_at.getTime() - b.created_at.getTime() || (a._id.toHexString() < b._id.toHexString() ? -1 : 1)
