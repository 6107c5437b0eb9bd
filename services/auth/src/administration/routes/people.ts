import { DETAILS, LIMITS, type Person, type PersonDetail, peopleApi, type Quota } from '@iodine/contracts'
import { conflict, notFound, sendList } from '@iodine/service-kit'
import { suspendAccount, unsuspendAccount } from '../../accounts/commands/close-account.js'
import type { UserDoc } from '../../accounts/models/user.js'
import { gatherUsage } from '../../accounts/queries/usage.js'
import type { AuthContext } from '../../context.js'
import { endSessions } from '../../sessions/commands/sessions.js'
import { adminRoutes, isAdminEmail } from '../../sessions/policies/admin.js'
import { revokeUserApiTokens } from '../../tokens/commands/api-tokens.js'
import { revokeUserFeedKeys } from '../../tokens/commands/feed-keys.js'
import { changeOwnLimits } from '../commands/own-limits.js'
import { presentPerson } from '../presenters/person.js'
import { countSessions, countTokens, peopleList } from '../queries/people.js'

const present = async ({ config, models }: AuthContext, users: UserDoc[]): Promise<Person[]> => {
  const counts = await countSessions(
    models,
    users.map(({ _id }) => _id),
  )
  return users.map(user => presentPerson(config, user, counts.get(user._id.toHexString()) ?? 0))
}

const find = async ({ models }: AuthContext, id: string): Promise<UserDoc> => {
  const user = await models.users.findOne({ _id: id, deleted_at: null }).lean<UserDoc>()
  if (!user) throw notFound()
  return user
}

/**
 * Returns an account that administrators may suspend. The deployment determines who is an administrator: no
 * administrator can suspend another one or themself.
 */
const findMember = async (context: AuthContext, id: string): Promise<UserDoc> => {
  const user = await find(context, id)
  if (isAdminEmail(context.config, user.email)) throw conflict(DETAILS.suspendAdmin)
  return user
}

const presentOne = async (context: AuthContext, id: string): Promise<Person> =>
  (await present(context, [await find(context, id)]))[0] as Person

const presentDetail = async (context: AuthContext, id: string): Promise<PersonDetail> => {
  const user = await find(context, id)
  const [[summary], usage, tokens] = await Promise.all([
    present(context, [user]),
    gatherUsage(context.service.peers, id),
    countTokens(context.models, user._id),
  ])
  return {
    ...(summary as Person),
    usage,
    own_limits: user.own_limits ?? {},
    limits_pending: user.own_limits_pending ?? false,
    ...tokens,
  }
}

const account = ({ id }: { id: string }) => ({ kind: 'account', id }) as const

/** Adds the routes for the administration of accounts. */
export const addPeopleRoutes = (context: AuthContext): void => {
  const { models, service } = context
  const route = adminRoutes(context)

  route(peopleApi.listPeople, async ({ query: { search, limit, cursor }, reply }) => {
    const list = await peopleList(models, search)
    return sendList(reply, {
      ...list,
      limit: limit ?? LIMITS.peoplePage,
      cursor,
      present: users => present(context, users),
    })
  })

  route(peopleApi.getPerson, async ({ params }) => presentDetail(context, params.id))

  route(peopleApi.suspendPerson, async call => {
    const { params } = call
    const member = await findMember(context, params.id)
    await service.audit.during(call, { action: 'account.suspended', subject: account(params) }, () =>
      suspendAccount(context, member),
    )
    return presentOne(context, params.id)
  })

  route(peopleApi.unsuspendPerson, async call => {
    const { params } = call
    const member = await findMember(context, params.id)
    await service.audit.during(call, { action: 'account.unsuspended', subject: account(params) }, () =>
      unsuspendAccount(context, member),
    )
    return presentOne(context, params.id)
  })

  route(peopleApi.endPersonSessions, async call => {
    const { user, params } = call
    const { _id } = await find(context, params.id)
    const what = { action: 'account.sessions-ended', subject: account(params) } as const
    return service.audit.during(call, what, async note => {
      const ended = await endSessions(context, _id, user.sid)
      note({ count: ended })
      return { ended }
    })
  })

  route(peopleApi.revokePersonTokens, async call => {
    const { params } = call
    const { _id } = await find(context, params.id)
    const what = { action: 'account.tokens-revoked', subject: account(params) } as const
    return service.audit.during(call, what, async note => {
      // Feed keys first: their revocation does not need Redis.
      const feed_keys = await revokeUserFeedKeys(context, _id)
      const api_tokens = await revokeUserApiTokens(context, _id)
      note({ count: api_tokens + feed_keys })
      return { api_tokens, feed_keys }
    })
  })

  route(peopleApi.changeLimits, async call => {
    const { params, body } = call
    const { _id } = await find(context, params.id)
    const [[quota, limit] = [], more] = Object.entries(body) as [Quota, number | null][]
    await service.audit.during(
      call,
      {
        action: 'account.limits-changed',
        subject: account(params),
        // For a single limit: its quota and new value; no value for the deployment's limit.
        ...(!more && { detail: quota, count: limit ?? undefined }),
      },
      () => changeOwnLimits(context, _id, body),
    )
    return presentDetail(context, params.id)
  })
}
