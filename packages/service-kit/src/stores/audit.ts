import { createHash } from 'node:crypto'
import {
  type AuditAction,
  type AuditDetail,
  type AuditEntry,
  type AuditSubject,
  type AuditVia,
  LIMITS,
} from '@iodine/contracts'
import type { FastifyRequest } from 'fastify'
import { Schema, Types } from 'mongoose'
import { networkOf } from '../http/addresses.js'
import { HttpError, isFinalRefusal } from '../http/errors.js'
import { createRateLimit } from '../http/rate-limits.js'
import type { Caller } from '../http/tokens.js'
import type { Logger } from '../observe/logging.js'
import { requestIdOf } from '../observe/work-context.js'
import { createSharedReads } from '../single-flight.js'
import { type Connection, isDuplicateKey } from './mongo.js'
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
  /** Hands over what is owed to the log. Resolves to the number of entries. */
  handOver(): Promise<number>
  /** For the auth service: has entries go to its own log, not over the network. */
  keepLog(log: AuditLog): void
}

interface OwedDoc {
  /** The entry's id. */
  _id: Types.ObjectId
  entry: AuditEntry
  /** The action has begun, and has not ended. */
  open: boolean
  due_at: Date
  /** Of an entry that counts several: hash of what it counts. */
  fold?: string
}

const required = true
const owedSchema = new Schema<OwedDoc>(
  {
    entry: { type: Schema.Types.Mixed, required },
    open: { type: Boolean, required },
    due_at: { type: Date, required },
    fold: String,
  },
  { collection: 'audit_outbox', versionKey: false, minimize: false },
)
owedSchema.index({ due_at: 1 })
owedSchema.index({ fold: 1 }, { unique: true, partialFilterExpression: { fold: { $exists: true } } })

/** Longer than any request may take: what is open then has been cut off. */
const OPEN_MS = 300_000
/**
 * Entries of its own that an action of a user gets within a day; the further ones of an hour are counted in one, so that a
 * script cannot hide anything in a flood, nor fill the disk: at most 74 a day for each user and action.
 */
const OWN_ENTRIES = 50
const DAY_S = 86_400
const HOUR_MS = 3_600_000
/** An entry that the log refuses, as one of an older version does not know its action, is offered again. */
const REFUSED_MS = 600_000

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
  /** Prefix of Redis keys. */
  prefix: string
  service: string
  log: Logger
  /** Takes the entries, unless the service keeps the log itself. */
  to: AuditLog
}

/**
 * Records what goes into the audit log: in the service's own database before the action is answered, from where it is
 * handed over at once, or by the repair.
 */
export const createAudit = ({ mongo, redis, prefix, service, log, to }: AuditOptions): Audit => {
  const owed = mongo.model<OwedDoc>('AuditOutbox', owedSchema)
  const limit = createRateLimit(redis, {
    name: `audit-${service}`,
    points: OWN_ENTRIES,
    seconds: DAY_S,
    prefix,
    enabled: true,
  })
  let target = to

  const limitKeyOf = ({ actor, action }: AuditEntry) => hashOf(`${actor.id} ${action}`)
  /** The hash under which an entry is counted with others; undefined for one of its own. */
  const foldOf = async (entry: AuditEntry): Promise<string | undefined> => {
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
  const countIn = async (fold: string, entry: AuditEntry, things: number): Promise<void> => {
    const { id, times: _times, count: _count, ...first } = entry
    const whole = { ...first, id, subject: { ...first.subject, id: null }, item: null }
    const fields = Object.entries(whole).map(([name, value]) => [`entry.${name}`, value])
    const change = {
      $inc: { 'entry.times': 1, 'entry.count': things },
      $setOnInsert: {
        _id: new Types.ObjectId(id),
        open: false,
        due_at: hourAfter(entry),
        ...Object.fromEntries(fields),
      },
    }
    try {
      await owed.collection.updateOne({ fold }, change, { upsert: true })
    } catch (error) {
      // Another request inserted it concurrently.
      if (!isDuplicateKey(error)) throw error
      await owed.collection.updateOne({ fold }, change, { upsert: true })
    }
  }

  /** An action that was refused counts for nothing: else refusals would take the later ones their own entries. */
  const giveBack = async (entry: AuditEntry): Promise<void> => {
    if (entry.actor.kind === 'user') await limit.giveBack(limitKeyOf(entry)).catch(() => {})
  }

  interface Begun {
    /** The action is done. */
    end(result: AuditResult): Promise<unknown>
    /** Nothing was done. */
    drop(): Promise<unknown>
  }
  const begin = async (entry: AuditEntry, open: boolean): Promise<Begun> => {
    const fold = await foldOf(entry)
    if (fold !== undefined) {
      await countIn(fold, entry, open ? 0 : (entry.count ?? 0))
      return {
        end: async ({ count = entry.count }) =>
          count && owed.collection.updateOne({ fold }, { $inc: { 'entry.count': count } }),
        drop: async () => {
          await giveBack(entry)
          await owed.collection.updateOne({ fold }, { $inc: { 'entry.times': -1 } })
        },
      }
    }
    const _id = new Types.ObjectId(entry.id)
    const now = Date.now()
    await owed.create({ _id, entry, open, due_at: new Date(open ? now + OPEN_MS : now) })
    return {
      end: ({ id, count }) =>
        owed.collection.updateOne(
          { _id },
          {
            $set: {
              open: false,
              due_at: new Date(),
              ...(id !== undefined && { 'entry.subject.id': id.toLowerCase() }),
              ...(count !== undefined && { 'entry.count': count }),
            },
          },
        ),
      drop: async () => {
        await giveBack(entry)
        await owed.deleteOne({ _id })
      },
    }
  }

  const send = async (docs: OwedDoc[]): Promise<void> => {
    const entries = docs.flatMap(({ entry, open }) =>
      entry.times > 0 ? { ...entry, ...(open && { outcome: 'unknown' as const }) } : [],
    )
    if (entries.length > 0) await target.append(entries)
    await owed.deleteMany({ _id: { $in: docs.map(({ _id }) => _id) } })
  }
  /** Sends entries one by one: those that are refused must not keep back the others. */
  const sendEach = async (docs: OwedDoc[]): Promise<void> => {
    for (const doc of docs)
      await send([doc]).catch(async error => {
        if (!isFinalRefusal(error)) throw error
        log.warn({ err: error, action: doc.entry.action }, 'the audit log refuses an entry')
        await owed.updateOne({ _id: doc._id }, { $set: { due_at: new Date(Date.now() + REFUSED_MS) } })
      })
  }
  const handOverOwed = async (): Promise<number> => {
    for (let sent = 0; ; ) {
      const docs = await owed
        .find({ due_at: { $lte: new Date() } })
        .sort({ due_at: 1, _id: 1 })
        .limit(LIMITS.auditBatch)
        .lean<OwedDoc[]>()
      if (docs.length === 0) return sent
      await send(docs).catch(error => (isFinalRefusal(error) ? sendEach(docs) : Promise.reject(error)))
      sent += docs.length
      if (docs.length < LIMITS.auditBatch) return sent
    }
  }
  // Each call sends what was stored before it.
  const shared = createSharedReads<'owed', number>()
  const handOver = () => shared('owed', handOverOwed)
  /** What cannot be handed over now is left to the repair. */
  const handOverSoon = () =>
    void handOver().catch(error => log.debug({ err: error }, 'audit entries are not handed over yet'))

  return {
    async during(by, what, work) {
      const entry = newAuditEntry(by, what)
      const begun = await begin(entry, true)
      let result: AuditResult = {}
      try {
        const answer = await work(more => {
          result = { ...result, ...more }
        })
        // The action is done: an entry that cannot be completed goes to the log as it is.
        await (result.isNothing ? begun.drop() : begun.end(result)).catch(error =>
          log.warn({ err: error, action: what.action }, 'audit entry not completed'),
        )
        handOverSoon()
        return answer
      } catch (error) {
        if (error instanceof HttpError && error.status < 500) {
          const isDone = Object.keys(result).length > 0 && !result.isNothing
          await (isDone ? begun.end(result) : begun.drop()).catch(() => {})
          if (isDone) handOverSoon()
        }
        throw error
      }
    },
    async record(by, what) {
      await begin(newAuditEntry(by, what), false)
      handOverSoon()
    },
    handOver,
    keepLog(log) {
      target = log
    },
  }
}
