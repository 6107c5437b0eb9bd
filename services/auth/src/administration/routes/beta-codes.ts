import { adminApi } from '@iodine/contracts'
import { sendList } from '@iodine/service-kit'
import { Types } from 'mongoose'
import type { UserDoc } from '../../accounts/models/user.js'
import { newCode } from '../../codes.js'
import type { AuthContext } from '../../context.js'
import { adminRoutes } from '../../sessions/policies/admin.js'
import type { BetaCodeDoc } from '../../sign-in/models/beta-code.js'
import { presentBetaCode } from '../presenters/beta-code.js'

export const addAdminRoutes = (context: AuthContext): void => {
  const { models, service } = context
  const route = adminRoutes(context)

  const presentCreators = async (codes: BetaCodeDoc[]) => {
    const users = await models.users
      .find({ _id: { $in: codes.flatMap(({ created_by }) => created_by ?? []) }, deleted_at: null })
      .select('username')
      .lean<UserDoc[]>()
    const names = new Map(users.map(({ _id, username }) => [_id.toHexString(), username]))
    return codes.map(({ _id, created_by }) => ({
      id: _id.toHexString(),
      created_by_username: names.get(created_by?.toHexString() ?? '') ?? null,
    }))
  }

  route(adminApi.listBetaCodes, async ({ query: { limit, cursor }, reply }) => {
    return sendList(reply, {
      model: models.betaCodes,
      filter: {},
      limit,
      cursor,
      present: codes => codes.map(presentBetaCode),
    })
  })

  route(adminApi.listBetaCodeCreators, async ({ query: { limit, cursor }, reply }) => {
    return sendList(reply, { model: models.betaCodes, filter: {}, limit, cursor, present: presentCreators })
  })

  route(adminApi.createBetaCode, async call => {
    const { user, body } = call
    const code: BetaCodeDoc = {
      _id: new Types.ObjectId(),
      code: newCode(),
      email: body.email ?? null,
      used: false,
      used_by: null,
      created_at: new Date(),
      used_at: null,
      created_by: new Types.ObjectId(user.id),
    }
    await service.audit.during(
      call,
      { action: 'beta-code.created', subject: { kind: 'beta-code', id: code._id.toHexString() } },
      () => models.betaCodes.create(code),
    )
    return presentBetaCode(code)
  })
}
