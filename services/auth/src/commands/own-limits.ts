import {
  type OwnLimits,
  QUOTAS,
  type Quota,
  type ServiceName,
  servicesWith,
  usageInternal,
} from '@iodine/contracts'
import { inTransaction, notFound } from '@iodine/service-kit'
import type { Types } from 'mongoose'
import type { AuthContext } from '../context.js'
import type { UserDoc } from '../models/user.js'

const COUNTING = servicesWith(usageInternal.setLimits)
const REPAIR_BATCH = 50

type LimitsDoc = Pick<UserDoc, '_id' | 'own_limits' | 'own_limits_revision' | 'own_limits_owed'>

/** Sends a user's own limits to the services that lack them. One that is down gets them by the repair. */
const sendLimits = async ({ models, service }: AuthContext, user: LimitsDoc): Promise<void> => {
  const { _id, own_limits: limits = {}, own_limits_revision: revision = 1, own_limits_owed = [] } = user
  const send = async (name: ServiceName) => {
    await service.peers.call(name, usageInternal.setLimits, {
      params: { id: _id.toHexString() },
      body: { revision, limits },
    })
    return name
  }
  const sent = await Promise.allSettled(own_limits_owed.map(send))
  const have = sent.flatMap(each => (each.status === 'fulfilled' ? each.value : []))
  // Matches the revision: a service may lack what was changed meanwhile.
  await models.users.updateOne(
    { _id, own_limits_revision: revision },
    have.length === own_limits_owed.length
      ? { $unset: { own_limits_owed: 1 } }
      : { $pull: { own_limits_owed: { $in: have } } },
  )
}

/**
 * Changes a user's own limits; null gives a quota the deployment's limit again. Resolves once each service that
 * is up has them. Throws 404.
 */
export const changeOwnLimits = async (
  context: AuthContext,
  _id: Types.ObjectId,
  changes: Partial<Record<Quota, number | null>>,
): Promise<void> => {
  const { users } = context.models
  const changed = await inTransaction(context.service.mongo, async session => {
    const user = await users.findOne({ _id, deleted_at: null }, null, { session }).lean<UserDoc>()
    if (!user) throw notFound()
    const own_limits: OwnLimits = {}
    for (const name of QUOTAS) {
      const limit = changes[name] === undefined ? user.own_limits?.[name] : changes[name]
      if (limit !== undefined && limit !== null) own_limits[name] = limit
    }
    // By the clock, so that revisions rise after a restored backup, too.
    const own_limits_revision = Math.max(Date.now(), (user.own_limits_revision ?? 0) + 1)
    const $set = { own_limits, own_limits_revision, own_limits_owed: [...COUNTING] }
    await users.updateOne({ _id }, { $set }, { session })
    return { _id, ...$set }
  })
  await sendLimits(context, changed)
}

/** Sends own limits to services that were down. Returns the number of users. */
export const repairOwnLimits = async (context: AuthContext): Promise<number> => {
  const owed = await context.models.users
    .find({ own_limits_owed: { $exists: true }, deleted_at: null })
    .limit(REPAIR_BATCH)
    .lean<UserDoc[]>()
  await Promise.all(owed.map(user => sendLimits(context, user)))
  return owed.length
}
