import { type accountsInternal, type BodyOf, LIMITS, type MailJob } from '@iodine/contracts'
import { seal } from '@iodine/service-kit'
import type { AuthContext } from '../../context.js'
import type { UserDoc } from '../models/user.js'
import { deleteAccount } from './close-account.js'

const BATCH = 100

/** Adds months. A day that the target month lacks becomes its last day. */
const addMonths = (time: Date, months: number): Date => {
  const moved = new Date(time)
  moved.setUTCMonth(moved.getUTCMonth() + months)
  if (moved.getUTCDate() !== time.getUTCDate()) moved.setUTCDate(0)
  return moved
}

/** Milliseconds until a warning without a response of the mail server is enqueued again, unless its job is pending. */
const QUEUE_AGAIN_MS = 1_800_000

/** Enqueues the owner's warning. The job id prevents duplicates in the queue for a period of inactivity. */
const queueWarning = async (
  { config, service }: AuthContext,
  { _id, email, last_active_at }: UserDoc,
  now: Date,
): Promise<void> => {
  const delete_at = new Date(
    Math.max(
      addMonths(last_active_at, LIMITS.inactiveMonths).getTime(),
      now.getTime() + LIMITS.inactiveWarningMs,
    ),
  )
  const mail: MailJob = {
    template: 'inactive-account',
    to: email,
    link: `${config.PUBLIC_URL}/login`,
    delete_at: delete_at.toISOString(),
    user_id: _id.toHexString(),
    last_active_at: last_active_at.toISOString(),
  }
  await service.queues.add(
    'mail',
    { sealed: seal(config.SECRETS_KEY, 'mail', JSON.stringify(mail)) },
    {
      jobId: `inactive-${_id.toHexString()}-${last_active_at.getTime()}`,
      attempts: 12,
      // Retries for almost three days: delivery matters more than the hour.
      backoff: { type: 'exponential', delay: 60_000 },
      removeOnComplete: true,
      removeOnFail: true,
    },
  )
}

/** Records the mail server's response to a warning. Ignored if the owner has used the account since. */
export const confirmWarning = async (
  { models }: AuthContext,
  id: string,
  { last_active_at, outcome }: BodyOf<typeof accountsInternal.confirmWarning>,
): Promise<void> => {
  await models.users.updateOne(
    { _id: id, last_active_at: new Date(last_active_at), warning_taken_at: null },
    { $set: { warning_taken_at: new Date(), ...(outcome === 'refused' && { warning_refused: true }) } },
  )
}

/** Warns a batch of owners. Returns their number, and whether there may be more. */
const warnInactive = async (context: AuthContext, now: Date) => {
  const { users } = context.models
  const soon = addMonths(new Date(now.getTime() + LIMITS.inactiveWarningMs), -LIMITS.inactiveMonths)
  const unwarned = {
    last_active_at: { $lte: soon },
    deleted_at: null,
    warning_taken_at: null,
    $or: [
      { warning_queued_at: null },
      { warning_queued_at: { $lte: new Date(now.getTime() - QUEUE_AGAIN_MS) } },
    ],
  }
  const inactive = await users.find(unwarned).limit(BATCH).lean<UserDoc[]>()
  let warned = 0
  for (const { _id } of inactive) {
    // Conditional, as the owner may have returned or another replica may have handled the account. After a crash before
    // the enqueueing, a run after `QUEUE_AGAIN_MS` enqueues the warning.
    const user = await users
      .findOneAndUpdate({ _id, ...unwarned }, { $set: { warning_queued_at: now } })
      .lean<UserDoc>()
    if (!user) continue
    await queueWarning(context, user, now)
    warned++
  }
  return { warned, more: inactive.length === BATCH }
}

/** Deletes a batch of accounts that meet a condition. Returns their number, and whether there may be more. */
const deleteExpired = async (context: AuthContext, condition: Record<string, unknown>) => {
  const expired = await context.models.users.find(condition).limit(BATCH).lean<UserDoc[]>()
  let deleted = 0
  for (const user of expired) {
    const what = {
      action: 'account.deleted',
      subject: { kind: 'account', id: user._id.toHexString() },
    } as const
    // Conditional, as the owner may have returned meanwhile.
    const isDeleted = await context.service.audit.during('system', what, async note => {
      const met = await deleteAccount(context, user, condition)
      if (!met) note({ isNothing: true })
      return met
    })
    if (isDeleted) deleted++
  }
  return { deleted, more: expired.length === BATCH }
}

/**
 * Warns owners of accounts that will reach 12 months of inactivity in 30 days. Deletes accounts that have been
 * inactive for 12 months and whose warning the mail server answered 30 days ago. Deletes accounts whose owners
 * requested it 7 days ago.
 */
export const expireAccounts = async (context: AuthContext, signal: AbortSignal): Promise<void> => {
  while (!signal.aborted) {
    const now = new Date()
    const inactive = await warnInactive(context, now)
    const over = await deleteExpired(context, {
      last_active_at: { $lte: addMonths(now, -LIMITS.inactiveMonths) },
      warning_taken_at: { $lte: new Date(now.getTime() - LIMITS.inactiveWarningMs) },
      deleted_at: null,
    })
    const unwanted = await deleteExpired(context, { delete_at: { $lte: now }, deleted_at: null })
    const { warned } = inactive
    const deleted = over.deleted + unwanted.deleted
    if (warned + deleted > 0) context.service.log.info({ warned, deleted }, 'inactive accounts')
    if (warned + deleted === 0 || !(inactive.more || over.more || unwanted.more)) return
  }
}
