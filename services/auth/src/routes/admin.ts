import { adminApi } from '@iodine/contracts'
import { Types } from 'mongoose'
import { newCode } from '../commands/codes.js'
import type { AuthContext } from '../context.js'
import type { BetaCodeDoc } from '../models/beta-code.js'
import { requireAdmin } from '../policies/admin.js'
import { presentBetaCode } from '../presenters/beta-code.js'

export const addAdminRoutes = (context: AuthContext): void => {
  const { models, service } = context

  service.route(adminApi.listBetaCodes, async ({ user }) => {
    await requireAdmin(context, user.id)
    const codes = await models.betaCodes.find().sort({ created_at: -1, _id: -1 }).lean<BetaCodeDoc[]>()
    return codes.map(presentBetaCode)
  })

  service.route(adminApi.createBetaCode, async ({ user, body }) => {
    await requireAdmin(context, user.id)
    const code: BetaCodeDoc = {
      _id: new Types.ObjectId(),
      code: newCode(),
      email: body.email ?? null,
      used: false,
      used_by: null,
      created_at: new Date(),
      used_at: null,
    }
    await models.betaCodes.create(code)
    return presentBetaCode(code)
  })
}
