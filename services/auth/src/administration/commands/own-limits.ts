import { type OwnLimits, QUOTAS, type Quota, servicesWith, usageInternal } from '@iodine/contracts'
import {
  addressOf,
  byId,
  inTransaction,
  type KindSpec,
  notFound,
  PEER_BACKOFF_MAX_MS,
  throwFirst,
} from '@iodine/service-kit'
import type { Types } from 'mongoose'
import type { UserDoc } from '../../accounts/models/user.js'
import type { AuthContext } from '../../context.js'

const USAGE_SERVICES = servicesWith(usageInternal.setLimits)
/** The request sends the limits itself; the outbox only retries. */
const RETRY_AFTER_MS = 2_000

/** Sends a user's own limits to the services that count usage. Rejects with the error of one that fails. Idempotent. */
const sendLimits = async (
  { config, models, service }: AuthContext,
  _id: string | Types.ObjectId,
): Promise<void> => {
  const pending = { _id, own_limits_pending: true, deleted_at: null }
  const user = await models.users.findOne(pending).lean<UserDoc>()
  if (!user) return
  const { own_limits: limits = {}, own_limits_revision: revision = 1 } = user
  const params = { id: user._id.toHexString() }
  const sent = await Promise.allSettled(
    USAGE_SERVICES.filter(name => addressOf(config, name)).map(name =>
      service.peers.call(name, usageInternal.setLimits, { params, body: { revision, limits } }),
    ),
  )
  throwFirst(sent)
  // Conditional on the revision: a later change has its own entry.
  await models.users.updateOne({ _id, own_limits_revision: revision }, { $unset: { own_limits_pending: 1 } })
}

/** Creates the outbox kind that sends own limits to services that were down. */
export const limitChanges = (of: () => AuthContext): KindSpec<{ id: string }> => ({
  ...byId,
  concurrency: 4,
  backoffMaxMs: PEER_BACKOFF_MAX_MS,
  handle: ([user]) => sendLimits(of(), user?.id ?? ''),
})

/**
 * Changes a user's own limits; null restores the deployment's limit of a quota. Resolves once each service that is up
 * has received them. Throws 404.
 */
export const changeOwnLimits = async (
  context: AuthContext,
  _id: Types.ObjectId,
  changes: Partial<Record<Quota, number | null>>,
): Promise<void> => {
  const { models, service, changedLimits } = context
  await inTransaction(service.mongo, async session => {
    const user = await models.users.findOne({ _id, deleted_at: null }, null, { session }).lean<UserDoc>()
    if (!user) throw notFound()
    const own_limits: OwnLimits = {}
    for (const name of QUOTAS) {
      const limit = changes[name] === undefined ? user.own_limits?.[name] : changes[name]
      if (limit !== undefined && limit !== null) own_limits[name] = limit
    }
    // By the clock, so that revisions also increase after the restore of a backup.
    const own_limits_revision = Math.max(Date.now(), (user.own_limits_revision ?? 0) + 1)
    const $set = { own_limits, own_limits_revision, own_limits_pending: true }
    await models.users.updateOne({ _id }, { $set }, { session })
    await changedLimits.add({ id: _id.toHexString() }, { session, dueIn: RETRY_AFTER_MS })
  })
  await sendLimits(context, _id).catch(error => service.log.warn({ err: error }, 'own limits not sent yet'))
}
