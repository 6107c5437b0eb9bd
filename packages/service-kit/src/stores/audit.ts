import { createHash } from 'node:crypto'
import {
  type AuditAction,
  type AuditDetail,
  type AuditEntry,
  type AuditSubject,
  type AuditVia,
  deliveredEntry,
  LIMITS,
} from '@iodine/contracts'
import type { FastifyRequest } from 'fastify'
import { Schema, Types } from 'mongoose'
import { networkOf } from '../http/addresses.js'
import { HttpError } from '../http/errors.js'
import { createRateLimit } from '../http/rate-limits.js'
import type { Caller } from '../http/tokens.js'
import type { Logger } from '../observe/logging.js'
import { requestIdOf } from '../observe/work-context.js'
import { PEER_BACKOFF_MAX_MS } from '../outbox/events.js'
import type { Outbox } from '../outbox/outbox.js'
import type { Tasks } from '../outbox/tasks.js'
import { type Connection, inTransaction, isDuplicateKey } from './mongo.js'
import type { Redis } from './redis.js'
import { hashOf } from './sealing.js'

/** Who acts: the user of a request, who is named apart while signing in; or the operator, or the system. */
export type AuditBy =
  | { request: FastifyRequest; user?: Pick<Caller, 'id'> | undefined }
  | 'operator'
  | 'system'

/** What is done, and on what. */
export interface AuditWhat {
  action: AuditAction
  subject: { kind: AuditSubject; id?: string | undefined }
  /** The part of the subject that is concerned. */
  item?: string | undefined
  count?: number | undefined
  detail?: AuditDetail | undefined
}

/** What is known of an action only once it is done. */
interface AuditResult {
  /** Id of the subject, such as of a thing that was made. */
  id?: string
  count?: number
  /** The action has changed nothing, such as a removal of what was not there: no entry. */
  isNothing?: boolean
}

/** Where entries go: the auth service's log. Takes them again if it has them already. */
export interface AuditLog {
  append(entries: AuditEntry[]): Promise<unknown>
}

export interface Audit {
  /**
   * Does something and records it. The entry is stored before the work begins: if the process ends meanwhile, it goes to
   * the log with the outcome `unknown`. Work that is refused (an HttpError below 500) leaves no entry, unless it has noted
   * before that a part of it is done.
   * @param work gets a function for what is known of the action only later
   */
  during<T>(
    by: AuditBy,
    what: AuditWhat,
    work: (note: (result: AuditResult) => void) => Promise<T>,
  ): Promise<T>
  /** Records something that has happened, or begins with the answer, such as a download. */
  record(by: AuditBy, what: AuditWhat): Promise<void>
  /** For the auth service: delivers entries to its own log, not over the network. */
  keepLog(log: AuditLog): void
}

/** Actions of one user within an hour that have no entries of their own. */
interface CountDoc {
  /** Hash of the user, the action and the hour. */
  _id: string
  entry: AuditEntry
  due_at: Date
}

const required = true
const countSchema = new Schema<CountDoc>(
  {
    _id: { type: String, required },
    entry: { type: Schema.Types.Mixed, required },
    due_at: { type: Date, required },
  },
  { collection: 'audit_counts', versionKey: false, minimize: false },
)
countSchema.index({ due_at: 1 })

/** Longer than any request may take. An action without an outcome by then was cut off. */
const OPEN_MS = 300_000
/**
 * Entries of its own that an action of a user gets within a day; the further ones of an hour are counted in one, so that a
 * script cannot hide anything in a flood, nor fill the disk: at most 74 a day for each user and action.
 */
const OWN_ENTRIES = 50
const DAY_S = 86_400
const HOUR_MS = 3_600_000
/** How often counts of past hours are looked for. */
const COUNTS_EVERY_MS = 600_000

const VIAS: Record<Caller['scope'], AuditVia> = {
  full: 'web',
  collector: 'extension',
  feed: 'feed',
  api: 'token',
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
/** A client may choose its request's id, which could be a text: of such ids the log has a hash. */
const presentRequestId = (id: string | undefined): string | null => {
  if (id === undefined) return null
  return UUID.test(id) ? id : createHash('sha256').update(id).digest('hex').slice(0, 32)
}

/** An entry of what happens now, for a log that takes it at once: without an outbox. */
export const newAuditEntry = (
  by: AuditBy,
  { action, subject, item, count, detail }: AuditWhat,
): AuditEntry => {
  const caller = typeof by === 'string' ? undefined : (by.user ?? by.request.caller)
  const isUser = typeof by !== 'string'
  return {
    id: new Types.ObjectId().toHexString(),
    at: new Date().toISOString(),
    action,
    outcome: 'done',
    actor: { kind: isUser ? 'user' : by, id: caller?.id.toLowerCase() ?? null },
    via: isUser ? VIAS[by.request.caller?.scope ?? 'full'] : null,
    network: isUser ? networkOf(by.request.ip) : null,
    subject: { kind: subject.kind, id: subject.id?.toLowerCase() ?? null },
    item: item?.toLowerCase() ?? null,
    count: count ?? null,
    times: 1,
    detail: detail ?? null,
    request_id: presentRequestId(requestIdOf()),
  }
}

interface AuditOptions {
  mongo: Connection
  redis: Redis
  outbox: Outbox
  tasks: Tasks
  /** Prefix of Redis keys. */
  prefix: string
  service: string
  log: Logger
  /** Takes the entries, unless the service keeps the log itself. */
  to: AuditLog
}

/**
 * Records entries of the audit log in the service's own database before the action is answered. The outbox delivers them
 * to the log, which keeps the first version of an entry.
 */
export const createAudit = ({
  mongo,
  redis,
  outbox,
  tasks,
  prefix,
  service,
  log,
  to,
}: AuditOptions): Audit => {
  let target = to
  const counts = mongo.model<CountDoc>('AuditCount', countSchema)
  const done = outbox.kind<AuditEntry>('audit', {
    payload: deliveredEntry,
    batch: LIMITS.auditBatch,
    backoffMaxMs: PEER_BACKOFF_MAX_MS,
    handle: entries => target.append([...entries]),
  })
  /** Entries of actions that have begun. They are due when the action must have been cut off. */
  const open = outbox.kind<AuditEntry>('audit.open', {
    payload: deliveredEntry,
    keyOf: entry => entry.id,
    backoffMaxMs: PEER_BACKOFF_MAX_MS,
    handle: ([entry]) => target.append([{ ...(entry as AuditEntry), outcome: 'unknown' }]),
  })
  const limit = createRateLimit(redis, {
    name: `audit-${service}`,
    points: OWN_ENTRIES,
    seconds: DAY_S,
    prefix,
    enabled: true,
  })

  const limitKeyOf = ({ actor, action }: AuditEntry) => hashOf(`${actor.id} ${action}`)
  /** The id under which an action is counted with others; undefined if it has an entry of its own. */
  const countIdOf = async (entry: AuditEntry): Promise<string | undefined> => {
    const { actor, at } = entry
    if (actor.kind !== 'user') return undefined
    const key = limitKeyOf(entry)
    // While Redis is down, the limit is counted in this process.
    return limit.use(key).then(
      () => undefined,
      error => {
        if (!(error instanceof HttpError)) throw error
        return `${key} ${Math.floor(Date.parse(at) / HOUR_MS)}`
      },
    )
  }
  const hourAfter = ({ at }: AuditEntry) =>
    new Date((Math.floor(Date.parse(at) / HOUR_MS) + 1) * HOUR_MS + OPEN_MS)
  /** Counts an action in the entry of its hour. Late changes of the count find it: it is due `OPEN_MS` later. */
  const countIn = async (_id: string, entry: AuditEntry, things: number): Promise<void> => {
    const { times: _times, count: _count, ...first } = entry
    const whole = { ...first, subject: { ...first.subject, id: null }, item: null }
    const fields = Object.entries(whole).map(([name, value]) => [`entry.${name}`, value])
    const change = {
      $inc: { 'entry.times': 1, 'entry.count': things },
      $setOnInsert: { due_at: hourAfter(entry), ...Object.fromEntries(fields) },
    }
    const upsert = () => counts.collection.updateOne({ _id: _id as never }, change, { upsert: true })
    // Another request may insert it concurrently.
    await upsert().catch(error => (isDuplicateKey(error) ? upsert() : Promise.reject(error)))
  }
  tasks.every('audit-counts', COUNTS_EVERY_MS, async signal => {
    while (!signal.aborted) {
      const isLast = await inTransaction(mongo, async session => {
        const past = await counts
          .findOneAndDelete({ due_at: { $lte: new Date() } }, { session })
          .lean<CountDoc>()
        if (past && past.entry.times > 0) await done.add(past.entry, { session })
        return !past
      })
      if (isLast) return
    }
  })

  /** A refused action does not use up the user's own entries: a script could hide later actions behind refusals. */
  const giveBack = async (entry: AuditEntry): Promise<void> => {
    if (entry.actor.kind === 'user') await limit.giveBack(limitKeyOf(entry)).catch(() => {})
  }

  interface Begun {
    /** The action is done. */
    end(result: AuditResult): Promise<unknown>
    /** Nothing was done. */
    drop(): Promise<unknown>
  }
  const begin = async (entry: AuditEntry): Promise<Begun> => {
    const countId = await countIdOf(entry)
    if (countId !== undefined) {
      const add = (name: 'times' | 'count', n: number) =>
        counts.updateOne({ _id: countId }, { $inc: { [`entry.${name}`]: n } })
      await countIn(countId, entry, 0)
      return {
        end: async ({ count = entry.count }) => count && add('count', count),
        drop: async () => {
          await giveBack(entry)
          await add('times', -1)
        },
      }
    }
    await open.add(entry, { dueIn: OPEN_MS })
    return {
      async end({ id = entry.subject.id, count = entry.count }) {
        const subject = { ...entry.subject, id: id?.toLowerCase() ?? null }
        await done.add({ ...entry, subject, count })
        await open.complete(entry.id)
      },
      async drop() {
        await giveBack(entry)
        await open.complete(entry.id)
      },
    }
  }

  return {
    async during(by, what, work) {
      const entry = newAuditEntry(by, what)
      const begun = await begin(entry)
      let result: AuditResult = {}
      try {
        const answer = await work(more => {
          result = { ...result, ...more }
        })
        // The action is done: an entry that cannot be completed is delivered as it is.
        await (result.isNothing ? begun.drop() : begun.end(result)).catch(error =>
          log.warn({ err: error, action: what.action }, 'audit entry not completed'),
        )
        return answer
      } catch (error) {
        if (error instanceof HttpError && error.status < 500) {
          const isDone = Object.keys(result).length > 0 && !result.isNothing
          await (isDone ? begun.end(result) : begun.drop()).catch(() => {})
        }
        throw error
      }
    },
    async record(by, what) {
      const entry = newAuditEntry(by, what)
      const countId = await countIdOf(entry)
      await (countId === undefined ? done.add(entry) : countIn(countId, entry, entry.count ?? 0))
    },
    keepLog(log) {
      target = log
    },
  }
}
