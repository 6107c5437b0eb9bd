import { personalDataInternal, servicesWith } from '@iodine/contracts'
import {
  addressOf,
  byId,
  inTransaction,
  type KindSpec,
  notFound,
  PEER_BACKOFF_MAX_MS,
  throwFirst,
} from '@iodine/service-kit'
import type { AuthContext } from '../../context.js'
import { endAllTokens } from '../../sessions/commands/end-tokens.js'
import type { DeletionDoc } from '../models/deletion.js'
import type { UserDoc } from '../models/user.js'
import { dropAddressChange } from './change-address.js'
import { dropExport } from './export-data.js'
import { raiseUsersVersion } from './publish-user.js'

/** Milliseconds in which the request itself may remove the account. */
const GRACE_MS = 15_000
const RETRY_MS = 500
/** Long timeout: a service may have much data to remove. */
const ERASURE_TIMEOUT_MS = 120_000
const ERASURE_SERVICES = servicesWith(personalDataInternal.eraseUser)
/** Sightings erases last: until the collector has erased the user's records, it delivers them to sightings. */
const ERASURE_ORDER = [
  ERASURE_SERVICES.filter(name => name !== 'sightings'),
  ERASURE_SERVICES.filter(name => name === 'sightings'),
]
/** Milliseconds after which no request of the user is in flight: a second erasure removes data stored by late ones. */
const IN_FLIGHT_MAX_MS = 300_000

export const findAccount = async ({ models }: AuthContext, email: string): Promise<UserDoc> => {
  const user = await models.users.findOne({ email, deleted_at: null }).lean<UserDoc>()
  if (!user) throw notFound()
  return user
}

/** Removes all sign-in links, sessions, extension codes and API tokens, and links that change the account. */
const lockOut = async (context: AuthContext, { _id, email }: UserDoc): Promise<void> => {
  const { models } = context
  await models.links.deleteOne({ _id: email })
  await dropAddressChange(context, _id)
  await models.accountLinks.deleteMany({ user_id: _id })
  await endAllTokens(context, _id)
}

/** Ends all sessions and API tokens of an account and prevents sign-in. Idempotent. Throws 503 while Redis is down. */
export const suspendAccount = async (context: AuthContext, user: UserDoc): Promise<UserDoc> => {
  await context.models.users.updateOne(
    { _id: user._id, suspended_at: null },
    { $set: { suspended_at: new Date() } },
  )
  await lockOut(context, user)
  return user
}

/** Lets a suspended account sign in again. Idempotent. */
export const unsuspendAccount = async (context: AuthContext, user: UserDoc): Promise<UserDoc> => {
  await context.models.users.updateOne({ _id: user._id }, { $unset: { suspended_at: 1 } })
  return user
}

/**
 * Removes a user marked as deleted and all data about the user in this service. The user document is removed last, so
 * that an interrupted removal can be found and resumed. E-mail address and username are free afterwards.
 */
const removeUser = async (context: AuthContext, user: UserDoc): Promise<void> => {
  const { models } = context
  const { _id, email, deleted_at = new Date(), delete_comments = false } = user
  await lockOut(context, user)
  await models.feedKeys.deleteMany({ user_id: _id })
  await models.passkeys.deleteMany({ user_id: _id })
  await dropExport(context, _id)
  // Unused invitations are deleted. Used codes stay used, without addresses.
  await models.betaCodes.deleteMany({ email, used: false })
  await models.betaCodes.updateMany(
    { $or: [{ email }, { used_by: email }] },
    { $set: { email: null, used_by: null } },
  )
  await models.betaCodes.updateMany({ created_by: _id }, { $set: { created_by: null } })
  await models.deletions.updateOne(
    { _id },
    { $setOnInsert: { deleted_at, erased_at: null, delete_comments } },
    { upsert: true },
  )
  await models.users.deleteOne({ _id })
  await raiseUsersVersion(context)
}

/**
 * Deletes an account that meets the conditions: in this service before this resolves, in the others soon afterwards.
 * Returns false if the account does not meet them, also due to a concurrent change.
 */
export const deleteAccount = async (
  context: AuthContext,
  { _id }: Pick<UserDoc, '_id'>,
  conditions: Record<string, unknown> = {},
): Promise<boolean> => {
  const { models, service, deletions } = context
  const user = await inTransaction(service.mongo, async session => {
    const marked = await models.users
      .findOneAndUpdate(
        { _id, ...conditions },
        { $set: { deleted_at: new Date() } },
        { returnDocument: 'after', session },
      )
      .lean<UserDoc>()
    const id = _id.toHexString()
    if (marked) await deletions.add({ id }, { session })
    return marked
  })
  if (user) await removeUser(context, user)
  return user !== null
}

/**
 * Creates the outbox kind that completes an interrupted deletion and has all services erase the user's data. It repeats
 * the erasure once no request of the user is in flight.
 */
export const userDeletions = (of: () => AuthContext): KindSpec<{ id: string }> => ({
  ...byId,
  concurrency: 2,
  backoffMaxMs: PEER_BACKOFF_MAX_MS,
  async handle([deleted]) {
    const context = of()
    const { config, models, service } = context
    const _id = deleted?.id ?? ''
    const user = await models.users.findOne({ _id, deleted_at: { $exists: true } }).lean<UserDoc>()
    if (user?.deleted_at && Date.now() < user.deleted_at.getTime() + GRACE_MS) return RETRY_MS
    if (user) await removeUser(context, user)
    const deletion = await models.deletions.findById(_id).lean<DeletionDoc>()
    if (!deletion) return
    const begun = Date.now()
    const results: PromiseSettledResult<unknown>[] = []
    for (const names of ERASURE_ORDER) {
      const calls = names
        .filter(name => addressOf(config, name))
        .map(name =>
          service.peers.call(name, personalDataInternal.eraseUser, {
            params: { id: _id },
            query: { comments: deletion.delete_comments ? 'delete' : 'keep' },
            ms: ERASURE_TIMEOUT_MS,
          }),
        )
      results.push(...(await Promise.allSettled(calls)))
    }
    throwFirst(results)
    await service.queues.eraseUser(_id)
    const repeatAt = deletion.deleted_at.getTime() + IN_FLIGHT_MAX_MS
    if (begun >= repeatAt) await models.deletions.deleteOne({ _id })
    else {
      await models.deletions.updateOne({ _id }, { $set: { erased_at: new Date() } })
      return repeatAt - Date.now()
    }
  },
})
