import { LIMITS, type MailJob } from '@iodine/contracts'
import { seal } from '@iodine/service-kit'
import type { AuthContext } from '../context.js'
import type { UserDoc } from '../models/user.js'
import { deleteAccount } from './close-account.js'

const BATCH = 100

/** The same day so many months later; the month's last where it has no such day. */
const addMonths = (time: Date, months: number): Date => {
  const moved = new Date(time)
  moved.setUTCMonth(moved.getUTCMonth() + months)
  if (moved.getUTCDate() !== time.getUTCDate()) moved.setUTCDate(0)
  return moved
}

/** Mails the owner once for this spell without activity, also when it is run again after a crash. */
const sendWarning = async ({ config, models, service }: AuthContext, user: UserDoc): Promise<void> => {
  const { _id, email, last_active_at, warned_at = new Date() } = user
  const delete_at = new Date(
    Math.max(
      addMonths(last_active_at, LIMITS.inactiveMonths).getTime(),
      warned_at.getTime() + LIMITS.inactiveWarningMs,
    ),
  )
  const mail: MailJob = {
    template: 'inactive-account',
    to: email,
    link: `${config.PUBLIC_URL}/login`,
    delete_at: delete_at.toISOString(),
  }
  await service.queues.add(
    'mail',
    { sealed: seal(config.SECRETS_KEY, 'mail', JSON.stringify(mail)) },
    {
      jobId: `inactive-${_id.toHexString()}-${last_active_at.getTime()}`,
      attempts: 12,
      // Almost three days: the mail matters more than its hour.
      backoff: { type: 'exponential', delay: 60_000 },
      // Its id keeps a second one away until it is certain that this one is noted.
      removeOnComplete: { age: 7 * 24 * 3600 },
      removeOnFail: true,
    },
  )
  await models.users.updateOne({ _id, warned_at }, { $set: { warning_queued: true } })
}

/**
 * Warns owners of accounts that will have been inactive for 12 months in 30 days, and deletes those that have been so
 * for 12 months and were warned 30 days ago. Does a batch of each; `more` says that there may be others.
 */
export const expireAccounts = async (
  context: AuthContext,
): Promise<{ warned: number; deleted: number; more: boolean }> => {
  const { users } = context.models
  const now = new Date()
  const soon = addMonths(new Date(now.getTime() + LIMITS.inactiveWarningMs), -LIMITS.inactiveMonths)
  const inactive = await users
    .find({ last_active_at: { $lte: soon }, deleted_at: null, warning_queued: null })
    .limit(BATCH)
    .lean<UserDoc[]>()
  let warned = 0
  for (const { _id, last_active_at } of inactive) {
    // Not any more, where the owner has come back meanwhile. One warned already lacks its mail: a crash kept it.
    const user =
      (await users
        .findOneAndUpdate(
          { _id, last_active_at, warned_at: null },
          { $set: { warned_at: now } },
          { returnDocument: 'after' },
        )
        .lean<UserDoc>()) ??
      (await users.findOne({ _id, last_active_at, warned_at: { $ne: null } }).lean<UserDoc>())
    if (!user) continue
    await sendWarning(context, user)
    warned++
  }
  const over = {
    last_active_at: { $lte: addMonths(now, -LIMITS.inactiveMonths) },
    warned_at: { $lte: new Date(now.getTime() - LIMITS.inactiveWarningMs) },
    warning_queued: true,
    deleted_at: null,
  }
  const expired = await users.find(over).limit(BATCH).lean<UserDoc[]>()
  let deleted = 0
  for (const user of expired) if (await deleteAccount(context, user, over)) deleted++
  return { warned, deleted, more: inactive.length === BATCH || expired.length === BATCH }
}
