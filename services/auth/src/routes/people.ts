import { DETAILS, LIMITS, type Person, type PersonDetail, peopleApi } from '@iodine/contracts'
import { conflict, notFound, sendList } from '@iodine/service-kit'
import { suspendAccount, unsuspendAccount } from '../commands/close-account.js'
import { changeOwnLimits } from '../commands/own-limits.js'
import { endSessions } from '../commands/sessions.js'
import type { AuthContext } from '../context.js'
import type { UserDoc } from '../models/user.js'
import { isAdminEmail, requireAdmin } from '../policies/admin.js'
import { presentPerson } from '../presenters/person.js'
import { countSessions, peopleList } from '../queries/people.js'
import { gatherUsage } from '../queries/usage.js'

/** Administration of accounts. */
export const addPeopleRoutes = (context: AuthContext): void => {
  const { config, models, service } = context

  const present = async (users: UserDoc[]): Promise<Person[]> => {
    const counts = await countSessions(
      models,
      users.map(({ _id }) => _id),
    )
    return users.map(user => presentPerson(config, user, counts.get(user._id.toHexString()) ?? 0))
  }
  const find = async (id: string): Promise<UserDoc> => {
    const user = await models.users.findOne({ _id: id, deleted_at: null }).lean<UserDoc>()
    if (!user) throw notFound()
    return user
  }
  const presentOne = async (id: string) => (await present([await find(id)]))[0] as Person
  const presentDetail = async (id: string): Promise<PersonDetail> => {
    const user = await find(id)
    const [[summary], usage] = await Promise.all([present([user]), gatherUsage(service.peers, id)])
    return {
      ...(summary as Person),
      usage,
      own_limits: user.own_limits ?? {},
      limits_pending: user.own_limits_owed !== undefined,
    }
  }
  /**
   * An account that administrators may close. Who is an administrator is the deployment's decision: none of them
   * locks out another, or themself.
   */
  const findMember = async (id: string): Promise<UserDoc> => {
    const user = await find(id)
    if (isAdminEmail(config, user.email)) throw conflict(DETAILS.suspendAdmin)
    return user
  }

  service.route(peopleApi.listPeople, async ({ user, query: { search, limit, cursor }, reply }) => {
    await requireAdmin(context, user)
    const list = await peopleList(models, search)
    return sendList(reply, { ...list, limit: limit ?? LIMITS.peoplePage, cursor, present })
  })

  service.route(peopleApi.getPerson, async ({ user, params }) => {
    await requireAdmin(context, user)
    return presentDetail(params.id)
  })

  service.route(peopleApi.suspendPerson, async ({ user, params }) => {
    await requireAdmin(context, user)
    await suspendAccount(context, await findMember(params.id))
    return presentOne(params.id)
  })

  service.route(peopleApi.unsuspendPerson, async ({ user, params }) => {
    await requireAdmin(context, user)
    await unsuspendAccount(context, await findMember(params.id))
    return presentOne(params.id)
  })

  service.route(peopleApi.endPersonSessions, async ({ user, params }) => {
    await requireAdmin(context, user)
    const { _id } = await find(params.id)
    return { ended: await endSessions(context, _id, user.sid) }
  })

  service.route(peopleApi.changeLimits, async ({ user, params, body }) => {
    await requireAdmin(context, user)
    await changeOwnLimits(context, (await find(params.id))._id, body)
    return presentDetail(params.id)
  })
}
