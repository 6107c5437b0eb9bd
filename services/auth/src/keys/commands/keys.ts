import { ConfigError, keyringOf, newAuditEntry, reseal, sealedWith } from '@iodine/service-kit'
import { aiKeyContext } from '../../accounts/commands/profile.js'
import type { UserDoc } from '../../accounts/models/user.js'
import type { AuthContext } from '../../context.js'
import { derivedId } from '../../derived-id.js'
import type { KeyUseDoc } from '../models/key-use.js'
import { countMissing, MAILS_MAX, NOTE_MS, namedBy, SIGNED_MS } from '../queries/keys.js'

const BATCH = 200

type KeyUse = Pick<KeyUseDoc, '_id' | 'setting'>

/** Returns the keys with which this process signs and seals. */
const keysInUse = ({ config, keys }: AuthContext): KeyUse[] => [
  { setting: 'JWT_PRIVATE_KEY', _id: keys.privateKey.kid },
  { setting: 'SECRETS_KEY', _id: keyringOf(config.SECRETS_KEY).id },
]

const noteKeys = async (context: AuthContext): Promise<void> => {
  await context.models.keyUses.bulkWrite(
    keysInUse(context).map(({ setting, _id }) => ({
      updateOne: {
        filter: { _id },
        update: { $max: { used_at: new Date() }, $setOnInsert: { setting }, $unset: { gone_at: 1 } },
        upsert: true,
      },
    })),
  )
}

/**
 * Records a change of keys in the audit log and the service's log. Concurrent replicas and interrupted starts create
 * one entry. The entry contains a hash of the key's id, not the id.
 * @param since time of the previous change
 */
const recordChange = async (
  { appendAudit, service }: AuthContext,
  action: 'key.used' | 'key.dropped',
  { _id, setting }: KeyUse,
  since: Date | undefined,
): Promise<void> => {
  const subject = { kind: 'key' as const, id: derivedId('key', _id) }
  const id = derivedId(action, _id, since?.getTime() ?? 0)
  await appendAudit([{ ...newAuditEntry('system', { action, subject, detail: setting }), id }])
  service.log.info({ key: _id, setting }, action === 'key.used' ? 'key activated' : 'key removed')
}

/** Returns true for an earlier key that is active again after a time in which no replica used it. */
const isReactivated = ({ setting, used_at }: KeyUseDoc, all: readonly KeyUseDoc[]): boolean =>
  used_at.getTime() < Date.now() - 2 * NOTE_MS &&
  all.some(other => other.setting === setting && other.used_at > used_at)

/** Records keys that become active with this start, and keys that are missing since it. */
const recordChanges = async (context: AuthContext): Promise<void> => {
  const { config, keys, models, service } = context
  const before = await models.keyUses.find().lean<KeyUseDoc[]>()
  for (const key of keysInUse(context)) {
    const known = before.find(({ _id }) => _id === key._id)
    if (!known || known.gone_at) await recordChange(context, 'key.used', key, known?.gone_at)
    else if (isReactivated(known, before)) await recordChange(context, 'key.used', key, known.used_at)
  }
  const own = new Set([...keys.jwks.keys.map(({ kid = '' }) => kid), ...keyringOf(config.SECRETS_KEY).ids])
  for (const { _id, setting, used_at, gone_at } of before) {
    if (own.has(_id)) continue
    if (setting === 'JWT_PRIVATE_KEY' && used_at.getTime() + SIGNED_MS > Date.now())
      service.log.warn({ key: _id, used_at }, 'JWT_PRIVATE_KEY lacks a key: its tokens are rejected')
    if (gone_at) continue
    await recordChange(context, 'key.dropped', { _id, setting }, used_at)
    await models.keyUses.updateOne({ _id }, { $set: { gone_at: new Date() } })
  }
}

/**
 * Refuses to start without a key that AI keys are sealed with: their owners would have to enter them again.
 * @throws ConfigError
 */
const requireKeys = async (context: AuthContext): Promise<void> => {
  const missing = await countMissing(context)
  if (missing.length > 0)
    throw new ConfigError(
      missing.map(
        ({ key, count }) =>
          `SECRETS_KEY: lacks the key ${key}, which seals ${count} AI keys: add it after the first one. If it is lost, add lost:${key}: users then enter their AI keys again`,
      ),
    )
}

/** Checks the keys against the stored values, then records their use at intervals. Throws ConfigError. */
export const startKeys = async (context: AuthContext): Promise<void> => {
  const { service } = context
  await requireKeys(context)
  await recordChanges(context)
  await noteKeys(context)
  const timer = setInterval(() => {
    noteKeys(context).catch(error => service.log.warn({ err: error }, 'use of keys not recorded'))
  }, NOTE_MS)
  service.onClose(() => clearInterval(timer))
}

/** Reseals queued mails with the active key. Skips mails that leave the queue meanwhile or that no key opens. */
const resealMails = async ({ config, service }: AuthContext): Promise<number> => {
  const { id } = keyringOf(config.SECRETS_KEY)
  const queue = service.queues.queue('mail')
  const jobs = await queue.getJobs(['wait', 'delayed', 'prioritized'], 0, MAILS_MAX - 1)
  let resealed = 0
  for (const job of jobs) {
    const { sealed } = job?.data ?? {}
    if (typeof sealed !== 'string' || sealedWith(sealed) === id) continue
    try {
      await job.updateData({ sealed: reseal(config.SECRETS_KEY, 'mail', sealed) })
      resealed++
    } catch {}
  }
  return resealed
}

/**
 * Performs one step of resealing all AI keys, and then the queued mails, with the active key. Skips a key that its
 * owner changes meanwhile. May be repeated and interrupted at any point.
 * @param cursor returned by the previous step; null for the first one
 */
export const resealSecrets = async (context: AuthContext, cursor: string | null) => {
  const { config, models } = context
  const { id } = keyringOf(config.SECRETS_KEY)
  const stale = await models.users
    .find({
      sealed_ai_key: { $type: 'string', $not: namedBy([id]) },
      ...(cursor !== null && { _id: { $gt: cursor } }),
    })
    .select('sealed_ai_key')
    .sort({ _id: 1 })
    .limit(BATCH)
    .lean<(Pick<UserDoc, '_id'> & { sealed_ai_key: string })[]>()
  let resealed = 0
  let unreadable = 0
  for (const { _id, sealed_ai_key } of stale) {
    let sealed: string
    try {
      sealed = reseal(config.SECRETS_KEY, aiKeyContext(_id.toHexString()), sealed_ai_key)
    } catch {
      unreadable++
      continue
    }
    const { modifiedCount } = await models.users.updateOne(
      { _id, sealed_ai_key },
      { $set: { sealed_ai_key: sealed } },
    )
    resealed += modifiedCount
  }
  if (stale.length === BATCH) return { resealed, unreadable, cursor: stale.at(-1)?._id.toHexString() ?? null }
  return { resealed: resealed + (await resealMails(context)), unreadable, cursor: null }
}
