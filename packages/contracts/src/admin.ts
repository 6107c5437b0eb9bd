import { z } from 'zod'
import { endpoint, internalEndpoint } from './endpoint.js'
import { QUEUES, type QueueName } from './events.js'
import { LIMITS } from './limits.js'
import { failedWork, settleWork } from './outbox.js'
import { cursorParam, done, id, limitParam, text, time } from './primitives.js'
import { QUOTAS } from './quotas.js'
import { usage } from './usage.js'
import { BACKUP_FAULT_NAMES } from './vocabulary.js'

const byId = z.strictObject({ id })

/** Limits of a user that replace those of the deployment. */
export const ownLimits = z.partialRecord(z.enum(QUOTAS), z.int().min(1).max(LIMITS.quotaMax))
export type OwnLimits = z.output<typeof ownLimits>

/** An account, as administrators see it in the list. */
export const person = z.strictObject({
  id,
  username: z.string().nullable(),
  email: z.string(),
  is_admin: z.boolean(),
  created_at: time,
  /** To within a day. */
  last_active_at: time,
  suspended_at: time.nullable(),
  /** Live sessions. */
  sessions: z.int(),
})
export type Person = z.output<typeof person>

export const personDetail = person.extend({
  /** Used and effective limit; null while the owning service is down. */
  usage,
  own_limits: ownLimits,
  /** Own limits have not reached every service yet. */
  limits_pending: z.boolean(),
  /** Valid API tokens, neither revoked nor expired. Only their user sees their names. */
  api_tokens: z.int(),
  /** Valid feed keys. */
  feed_keys: z.int(),
})
export type PersonDetail = z.output<typeof personDetail>

export const peopleApi = {
  listPeople: endpoint('user', 'GET /admin/people', {
    summary: `Accounts, newest first (admins): all, or those whose username, email address or id matches \`search\`: a prefix, or the whole id. Pages of ${LIMITS.peoplePage} by default; a search considers at most ${LIMITS.peopleFound} matches of each`,
    query: z.strictObject({
      search: text(LIMITS.searchMax).optional(),
      limit: limitParam(LIMITS.peoplePageMax).optional(),
      cursor: cursorParam.optional(),
    }),
    response: z.array(person),
  }),
  getPerson: endpoint('user', 'GET /admin/people/:id', {
    summary:
      'An account with its usage of each quota and the numbers of its valid API tokens and feed keys (admins)',
    params: byId,
    response: personDetail,
  }),
  suspendPerson: endpoint('user', 'POST /admin/people/:id/suspend', {
    summary:
      'End all sessions of an account at once and disable its sign-in (admins); idempotent. 409 for an administrator',
    params: byId,
    body: z.strictObject({}).optional(),
    response: person,
  }),
  unsuspendPerson: endpoint('user', 'POST /admin/people/:id/unsuspend', {
    summary: 'Enable the sign-in of a suspended account (admins). 409 for an administrator',
    params: byId,
    body: z.strictObject({}).optional(),
    response: person,
  }),
  endPersonSessions: endpoint('user', 'POST /admin/people/:id/end-sessions', {
    summary: 'End all sessions of an account, except the requesting one (admins)',
    params: byId,
    body: z.strictObject({}).optional(),
    response: z.strictObject({ ended: z.int() }),
  }),
  revokePersonTokens: endpoint('user', 'POST /admin/people/:id/revoke-tokens', {
    summary: 'Revoke all valid API tokens and feed keys of an account at once (admins); idempotent',
    params: byId,
    body: z.strictObject({}).optional(),
    response: z.strictObject({ api_tokens: z.int(), feed_keys: z.int() }),
  }),
  changeLimits: endpoint('user', 'PATCH /admin/people/:id/limits', {
    summary:
      'Set limits of an account; null restores the deployment’s limits (admins). A service that is down applies them once it is up again',
    params: byId,
    body: z
      .partialRecord(z.enum(QUOTAS), z.int().min(1).max(LIMITS.quotaMax).nullable())
      .refine(limits => Object.keys(limits).length > 0, 'must name a quota'),
    response: personDetail,
  }),
} as const

const QUEUE_NAMES = Object.keys(QUEUES) as [QueueName, ...QueueName[]]

/** State of a part of the product, by its `/readyz`. */
export const partState = z.strictObject({
  name: z.string(),
  state: z.enum(['up', 'down']),
  /** Whether each dependency answers; null if the part does not. */
  dependencies: z.record(z.string(), z.enum(['up', 'down'])).nullable(),
  /** Process of the part; null if the part does not answer. */
  process: z
    .strictObject({
      started_at: time,
      memory_bytes: z.int(),
      /** 99th percentile of the event loop's delay, over the last two windows of at least 30 s. */
      event_loop_p99_ms: z.number(),
    })
    .nullable(),
})
export type PartState = z.output<typeof partState>

export const queueState = z.strictObject({
  name: z.enum(QUEUE_NAMES),
  /** Null while Redis is down. */
  jobs: z.strictObject({ waiting: z.int(), active: z.int(), delayed: z.int(), failed: z.int() }).nullable(),
  /** Age of the oldest unfinished job in seconds; 0 for none. */
  oldest_seconds: z.number(),
  /** Interval of the scheduled job; null if jobs are added by events. */
  every_ms: z.int().nullable(),
  /** The last permanently failed job that is stored. `reason` is a class, never a job's data. */
  last_failure: z.strictObject({ at: time, reason: z.string() }).nullable(),
})
export type AdminQueue = z.output<typeof queueState>

export const backup = z.strictObject({
  /** Time of completion. */
  made_at: time,
  bytes: z.int().min(0),
  duration_ms: z.int().min(0),
})
export type Backup = z.output<typeof backup>

export const failedBackup = z.strictObject({
  failed_at: time,
  duration_ms: z.int().min(0),
  fault: z.enum(BACKUP_FAULT_NAMES),
})
export type FailedBackup = z.output<typeof failedBackup>

/** A backup that was made or failed, as administrators see it in the list. */
export const backupItem = z.strictObject({
  /** Time of completion or failure. */
  ended_at: time,
  duration_ms: z.int(),
  /** Null for a failed backup. */
  bytes: z.int().nullable(),
  /** Null for a completed backup. */
  fault: z.enum(BACKUP_FAULT_NAMES).nullable(),
})
export type BackupItem = z.output<typeof backupItem>

export const backupsInternal = {
  reportBackup: internalEndpoint('POST /internal/backups', {
    summary: 'Record a completed backup; idempotent',
    body: backup,
    response: done,
  }),
  noteFailedBackup: internalEndpoint('POST /internal/backups/failed', {
    summary: 'Record a failed backup; idempotent',
    body: failedBackup,
    response: done,
  }),
} as const

/** Permanently failed outbox entry of a service, as administrators see it. */
export const adminFailedWork = failedWork.extend({ service: z.string() })
export type AdminFailedWork = z.output<typeof adminFailedWork>

export const systemApi = {
  listBackups: endpoint('user', 'GET /admin/backups', {
    summary: `The last ${LIMITS.backupsKept} completed and the last ${LIMITS.backupsKept} failed backups, newest first (admins)`,
    response: z.array(backupItem),
  }),
  listParts: endpoint('user', 'GET /admin/parts', {
    summary: 'Services and workers with their state (admins): one that does not respond within 2 s is down',
    response: z.array(partState),
  }),
  listQueues: endpoint('user', 'GET /admin/queues', {
    summary: 'Queues of background work (admins)',
    response: z.array(queueState),
  }),
  listFailedWork: endpoint('user', 'GET /admin/failed-work', {
    summary: `Failed work of the services, newest first (admins): at most ${LIMITS.failedWorkMax} of each. A service that is down is omitted`,
    response: z.array(adminFailedWork),
  }),
  resolveFailedEntry: endpoint('user', 'POST /admin/failed-work/:service/:id', {
    summary: 'Retry failed work, or remove it (admins)',
    params: z.strictObject({ service: z.string().max(40), id }),
    body: settleWork,
    response: done,
  }),
} as const
