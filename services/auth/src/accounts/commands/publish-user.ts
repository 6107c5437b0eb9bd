import type { DomainEvent } from '@iodine/contracts'
import {
  byId,
  createVersion,
  type KindSpec,
  PEER_BACKOFF_MAX_MS,
  publishToCommunity,
  usersVersionKey,
} from '@iodine/service-kit'
import type { AuthContext } from '../../context.js'
import type { UserDoc } from '../models/user.js'

/** Invalidates cached usernames in every service. Rejects while Redis is down. */
export const raiseUsersVersion = async ({ config, service }: AuthContext): Promise<void> => {
  await createVersion(service.redis, usersVersionKey(config.REDIS_PREFIX)).raise()
}

/** Returns the events that lead to a user's present state. */
export const eventsOfUser = ({ _id, username, revision, created_at }: UserDoc): DomainEvent[] => {
  const id = _id.toHexString()
  const created: DomainEvent = {
    type: 'user.created',
    data: { id, username: null, created_at: created_at.toISOString() },
  }
  return username === null ? [created] : [created, { type: 'user.renamed', data: { id, username, revision } }]
}

/** Creates the outbox kind that sends a user's present state to the community service. */
export const userChanges = (of: () => AuthContext): KindSpec<{ id: string }> => ({
  ...byId,
  backoffMaxMs: PEER_BACKOFF_MAX_MS,
  concurrency: 4,
  async handle([changed]) {
    const context = of()
    const { models, service } = context
    const user = await models.users.findOne({ _id: changed?.id, deleted_at: null }).lean<UserDoc>()
    if (!user) return
    await publishToCommunity(service.peers, eventsOfUser(user))
    // A crash may have separated the rename from the change of the version.
    await raiseUsersVersion(context)
  },
})
