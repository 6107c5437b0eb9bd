import { email, isId, LIMITS } from '@iodine/contracts'
import { Types } from 'mongoose'
import { type UserDoc, usernameKey } from '../../accounts/models/user.js'
import type { AuthModels } from '../../models.js'
import { liveApiTokens } from '../../tokens/models/api-token.js'
import { liveFeedKeys } from '../../tokens/models/feed-key.js'

type Position = Pick<UserDoc, '_id' | 'created_at'>

const isAfter = (user: Position, position: Position): boolean =>
  user.created_at < position.created_at ||
  (user.created_at.getTime() === position.created_at.getTime() &&
    user._id.toHexString() < position._id.toHexString())

/** Returns the filter of values with a prefix: a range of an index, in which no character is special. */
const beginningWith = (text: string) => ({ $gte: text, $lt: `${text}\u{10ffff}` })

/**
 * Returns the accounts that match a search, newest first; `more`: some matches are missing. A username may have the `@`
 * with which screens show it.
 */
const findMatches = async ({ users }: AuthModels, search: string) => {
  const prefix = beginningWith(usernameKey(search).replace(/^@/, ''))
  const read = (filter: object) =>
    users
      .find({ ...filter, deleted_at: null })
      .limit(LIMITS.peopleFound + 1)
      .lean<UserDoc[]>()
  const found = await Promise.all([
    read({ username_key: prefix }),
    read({ email: beginningWith(email.safeParse(search).data ?? search.toLowerCase().normalize('NFC')) }),
    isId(search) ? read({ _id: new Types.ObjectId(search) }) : [],
  ])
  const matches = new Map(
    found.flatMap(users => users.slice(0, LIMITS.peopleFound)).map(user => [user._id.toHexString(), user]),
  )
  return {
    matches: [...matches.values()].sort((a, b) => (isAfter(a, b) ? 1 : -1)),
    more: found.some(users => users.length > LIMITS.peopleFound),
  }
}

/** Returns the list of accounts for `sendList`: all, or those that match a search. */
export const peopleList = async (models: AuthModels, search: string | undefined) => {
  const term = search?.trim() ?? ''
  if (term !== '') {
    const { matches, more } = await findMatches(models, term)
    return {
      find: async (after: Position | undefined, size: number) =>
        matches.filter(user => !after || isAfter(user, after)).slice(0, size),
      total: async () => (more ? { atLeast: matches.length } : matches.length),
    }
  }
  const { users } = models
  return {
    find: (after: Position | undefined, size: number) =>
      users
        .find({
          deleted_at: null,
          ...(after && {
            created_at: { $lte: after.created_at },
            $or: [{ created_at: { $lt: after.created_at } }, { _id: { $lt: after._id } }],
          }),
        })
        .sort({ created_at: -1, _id: -1 })
        .limit(size)
        .lean<UserDoc[]>(),
    // Counting by a filter would read every account.
    total: async () => {
      const [all, deleted] = await Promise.all([
        users.estimatedDocumentCount(),
        users.countDocuments({ deleted_at: { $exists: true } }),
      ])
      return Math.max(0, all - deleted)
    },
  }
}

/** Returns the numbers of live sessions by user, without users that have none. */
export const countSessions = async (
  { sessions }: AuthModels,
  ids: Types.ObjectId[],
): Promise<Map<string, number>> => {
  const counts = await sessions.aggregate<{ _id: Types.ObjectId; sessions: number }>([
    { $match: { user_id: { $in: ids }, expires_at: { $gt: new Date() }, ended_at: null } },
    { $group: { _id: '$user_id', sessions: { $sum: 1 } } },
  ])
  return new Map(counts.map(({ _id, sessions }) => [_id.toHexString(), sessions]))
}

/** Returns the numbers of a user's valid API tokens and feed keys. */
export const countTokens = async ({ apiTokens, feedKeys }: AuthModels, user_id: Types.ObjectId) => {
  const [api_tokens, feed_keys] = await Promise.all([
    apiTokens.countDocuments({ user_id, ...liveApiTokens() }),
    feedKeys.countDocuments({ user_id, ...liveFeedKeys() }),
  ])
  return { api_tokens, feed_keys }
}
