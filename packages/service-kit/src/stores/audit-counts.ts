import type { AuditEntry } from '@iodine/contracts'
import { type ClientSession, Schema } from 'mongoose'
import { HttpError } from '../http/errors.js'
import { createRateLimit } from '../http/rate-limits.js'
import { type Connection, inTransaction, isDuplicateKey } from './mongo.js'
import type { Redis } from './redis.js'
import { hashOf } from './sealing.js'

/** Actions of one user within an hour that share one entry. */
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

/**
 * Maximum number of separate entries of an action per user and day. Further actions of an hour share an entry: a script
 * can neither hide an action in a flood nor fill the disk. At most 74 entries a day for each user and action.
 */
const SEPARATE_ENTRIES = 50
const DAY_S = 86_400
const HOUR_MS = 3_600_000

const limitKeyOf = ({ actor, action }: AuditEntry) => hashOf(`${actor.id} ${action}`)
const hourOf = ({ at }: AuditEntry) => Math.floor(Date.parse(at) / HOUR_MS)

interface CountsOptions {
  mongo: Connection
  redis: Redis
  /** Prefix of Redis keys. */
  prefix: string
  service: string
  /** Milliseconds after its hour until a count is due. Changes of open actions find it until then. */
  openMs: number
}

/** Creates the counts of actions past the limit of separate entries. */
export const createAuditCounts = ({ mongo, redis, prefix, service, openMs }: CountsOptions) => {
  const counts = mongo.model<CountDoc>('AuditCount', countSchema)
  const limit = createRateLimit(redis, {
    name: `audit-${service}`,
    points: SEPARATE_ENTRIES,
    seconds: DAY_S,
    prefix,
    enabled: true,
  })
  return {
    /** Returns the id of the count that an action belongs to; undefined if it has a separate entry. */
    async idOf(entry: AuditEntry): Promise<string | undefined> {
      if (entry.actor.kind !== 'user') return undefined
      const key = limitKeyOf(entry)
      // While Redis is down, the limit is counted in this process.
      return limit.use(key).then(
        () => undefined,
        error => {
          if (!(error instanceof HttpError)) throw error
          return `${key} ${hourOf(entry)}`
        },
      )
    },

    /** Restores the limit after a refused action: otherwise a script could hide later actions behind refusals. */
    async refund(entry: AuditEntry): Promise<void> {
      if (entry.actor.kind === 'user') await limit.refund(limitKeyOf(entry)).catch(() => {})
    },

    /** Adds an action on `subjects` subjects to a count. */
    async add(_id: string, entry: AuditEntry, subjects: number): Promise<void> {
      const { times: _times, count: _count, ...first } = entry
      const shared = { ...first, subject: { ...first.subject, id: null }, item: null }
      const fields = Object.entries(shared).map(([name, value]) => [`entry.${name}`, value])
      const due_at = new Date((hourOf(entry) + 1) * HOUR_MS + openMs)
      const change = {
        $inc: { 'entry.times': 1, 'entry.count': subjects },
        $setOnInsert: { due_at, ...Object.fromEntries(fields) },
      }
      // The driver writes: the dotted paths are inside a mixed field, which Mongoose does not cast.
      const upsert = () => counts.collection.updateOne({ _id: _id as never }, change, { upsert: true })
      // Another request may insert it concurrently.
      await upsert().catch(error => (isDuplicateKey(error) ? upsert() : Promise.reject(error)))
    },

    /** Changes the number of actions, or of their subjects, by `n`. */
    async change(_id: string, name: 'times' | 'count', n: number): Promise<void> {
      await counts.updateOne({ _id }, { $inc: { [`entry.${name}`]: n } })
    },

    /** Removes the counts that are due; `deliver` stores their entries in the same transaction. */
    async closeDue(
      deliver: (entry: AuditEntry, session: ClientSession) => Promise<void>,
      signal: AbortSignal,
    ): Promise<void> {
      const due = { due_at: { $lte: new Date() } }
      while (!signal.aborted && (await counts.exists(due)))
        await inTransaction(mongo, async session => {
          const past = await counts.findOneAndDelete(due, { session }).lean<CountDoc>()
          if (past && past.entry.times > 0) await deliver(past.entry, session)
        })
    },
  }
}
