import { type KnownKey, LIMITS, type SealedCount } from '@iodine/contracts'
import { keyringOf, sealedWith } from '@iodine/service-kit'
import type { UserDoc } from '../../accounts/models/user.js'
import type { AuthContext } from '../../context.js'
import type { KeyUseDoc } from '../models/key-use.js'

/** Prefix of a sealed value. */
const NAMED = /^[0-9a-f]{10}\./
/** Returns the pattern of values sealed with one of these keys. */
export const namedBy = (ids: readonly string[]): RegExp => new RegExp(`^(?:${ids.join('|')})\\.`)

/** Maximum lifetime of a signed token in milliseconds. */
export const SIGNED_MS = LIMITS.sessionMs
/** Interval in milliseconds at which the use of keys is recorded. */
export const NOTE_MS = 600_000
/** Maximum lifetime of values that are not stored (tokens and challenges) after the key's last use. */
const LIVES_MS = { JWT_PRIVATE_KEY: SIGNED_MS, SECRETS_KEY: LIMITS.passkeyChallengeMs } as const

/** Returns the keys of this process's settings, and other keys that were in use. */
export const listKeys = async ({ config, keys, models }: AuthContext): Promise<KnownKey[]> => {
  const { ids, lost } = keyringOf(config.SECRETS_KEY)
  const uses = await models.keyUses.find().sort({ used_at: -1 }).lean<KeyUseDoc[]>()
  const known = (setting: KnownKey['setting'], id: string, place: KnownKey['place']): KnownKey => {
    const used_at = uses.find(({ _id }) => _id === id)?.used_at
    return {
      setting,
      id,
      place,
      used_at: used_at?.toISOString() ?? null,
      needed_until: used_at ? new Date(used_at.getTime() + LIVES_MS[setting] + NOTE_MS).toISOString() : null,
    }
  }
  const present = [
    ...keys.jwks.keys.map(({ kid = '' }, n) => known('JWT_PRIVATE_KEY', kid, n === 0 ? 'first' : 'other')),
    ...ids.map((id, n) => known('SECRETS_KEY', id, n === 0 ? 'first' : 'other')),
    ...lost.map(id => known('SECRETS_KEY', id, 'lost')),
  ]
  const missing = uses.filter(({ _id }) => present.every(({ id }) => id !== _id))
  return [...present, ...missing.map(({ setting, _id }) => known(setting, _id, 'missing'))]
}

/** Returns the number of AI keys that a key seals. */
const countUnder = async ({ models }: AuthContext, key: string) => ({
  kind: 'ai_keys' as const,
  key,
  count: await models.users.countDocuments({ sealed_ai_key: namedBy([key]) }),
})

/** Returns the numbers of AI keys by sealing key, for keys that SECRETS_KEY neither contains nor declares lost. */
export const countMissing = async (context: AuthContext): Promise<SealedCount[]> => {
  const { ids, lost } = keyringOf(context.config.SECRETS_KEY)
  const known = [...ids, ...lost]
  const missing: string[] = []
  for (;;) {
    const other = await context.models.users
      .findOne({
        $and: [{ sealed_ai_key: NAMED }, { sealed_ai_key: { $not: namedBy([...known, ...missing]) } }],
      })
      .select('sealed_ai_key')
      .lean<Pick<UserDoc, 'sealed_ai_key'>>()
    const name = sealedWith(other?.sealed_ai_key ?? '')
    if (name === undefined) return Promise.all(missing.map(key => countUnder(context, key)))
    missing.push(name)
  }
}

/** Maximum number of mails that are read, of the pending and of the queued ones each. */
export const MAILS_MAX = 10_000

/** Returns the numbers of sealed values by sealing key: AI keys, pending mails, and queued mails. */
export const countSealed = async (context: AuthContext): Promise<SealedCount[]> => {
  const { service } = context
  const counts = new Map<string, { mails: number; queued_mails: number }>()
  const count = (kind: 'mails' | 'queued_mails', sealed: string) => {
    const key = sealedWith(sealed)
    if (key === undefined) return
    const counted = counts.get(key) ?? { mails: 0, queued_mails: 0 }
    counted[kind]++
    counts.set(key, counted)
  }
  for (const { sealed } of await context.mails.pending(MAILS_MAX)) count('mails', sealed)
  const jobs = await service.queues
    .queue('mail')
    .getJobs(['wait', 'active', 'delayed', 'prioritized'], 0, MAILS_MAX - 1)
  // A job that has just ended is absent.
  for (const job of jobs) if (typeof job?.data?.sealed === 'string') count('queued_mails', job.data.sealed)
  const mails = [...counts].flatMap(([key, { mails, queued_mails }]) => [
    { kind: 'mails' as const, key, count: mails },
    { kind: 'queued_mails' as const, key, count: queued_mails },
  ])
  const { ids, lost } = keyringOf(context.config.SECRETS_KEY)
  const known = await Promise.all([...ids, ...lost].map(key => countUnder(context, key)))
  return [...known, ...(await countMissing(context)), ...mails].filter(({ count }) => count > 0)
}
