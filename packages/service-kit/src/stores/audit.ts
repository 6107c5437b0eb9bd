import { type AuditEntry, deliveredEntry, LIMITS } from '@iodine/contracts'
import { HttpError } from '../http/errors.js'
import type { Logger } from '../observe/logging.js'
import { PEER_BACKOFF_MAX_MS } from '../outbox/events.js'
import type { Kind } from '../outbox/kind.js'
import type { Outbox } from '../outbox/outbox.js'
import type { Tasks } from '../outbox/tasks.js'
import { createAuditCounts } from './audit-counts.js'
import { type AuditBy, type AuditedAction, newAuditEntry } from './audit-entry.js'
import type { Connection } from './mongo.js'
import type { Redis } from './redis.js'

/** Properties of an action that are known only when it is done. */
interface AuditResult {
  /** Id of the subject, such as of a created document. */
  id?: string
  count?: number
  /** The action has changed nothing, such as the removal of a missing document: no entry. */
  isNothing?: boolean
}

/** Destination of entries: the auth service's log. Idempotent by the entry's id. */
export interface AuditLog {
  append(entries: AuditEntry[]): Promise<unknown>
}

export interface Audit {
  /**
   * Runs `work` and records it. The entry is stored before the work begins: if the process ends meanwhile, the log
   * receives it with the outcome `unknown`. Refused work (an HttpError below 500) leaves no entry, unless it has noted
   * the completion of a part.
   * @param work receives a function that notes the action's result
   */
  during<T>(
    by: AuditBy,
    what: AuditedAction,
    work: (note: (result: AuditResult) => void) => Promise<T>,
  ): Promise<T>
  /** Records an action that is done, or that begins with the answer, such as a download. */
  record(by: AuditBy, what: AuditedAction): Promise<void>
  /** For the auth service: delivers entries to its own log, not over the network. */
  keepLog(log: AuditLog): void
}

/** Longer than any request may take. An action without a result by then was interrupted. */
const OPEN_MS = 300_000
/** Interval of the search for counts of past hours. */
const COUNTS_EVERY_MS = 600_000

interface AuditOptions {
  mongo: Connection
  redis: Redis
  outbox: Outbox
  tasks: Tasks
  /** Prefix of Redis keys. */
  prefix: string
  service: string
  log: Logger
  /** Receives the entries, unless the service keeps the log itself. */
  to: AuditLog
}

/** An action in progress. */
interface OpenAction {
  /** Records that the action is done. */
  end(result: AuditResult): Promise<unknown>
  /** Removes the record: the action has changed nothing. */
  drop(): Promise<unknown>
}

type Counts = ReturnType<typeof createAuditCounts>

/** Begins an action that a count records. */
const beginCounted = async (counts: Counts, id: string, entry: AuditEntry): Promise<OpenAction> => {
  await counts.add(id, entry, 0)
  return {
    end: async ({ count = entry.count }) => count && counts.change(id, 'count', count),
    async drop() {
      await counts.refund(entry)
      await counts.change(id, 'times', -1)
    },
  }
}

/** Begins an action with a separate entry: `open` until its end, then `done`. */
const beginSeparate = async (
  counts: Counts,
  { open, done }: { open: Kind<AuditEntry>; done: Kind<AuditEntry> },
  entry: AuditEntry,
): Promise<OpenAction> => {
  await open.add(entry, { dueIn: OPEN_MS })
  return {
    async end({ id = entry.subject.id, count = entry.count }) {
      const subject = { ...entry.subject, id: id?.toLowerCase() ?? null }
      await done.add({ ...entry, subject, count })
      await open.complete(entry.id)
    },
    async drop() {
      await counts.refund(entry)
      await open.complete(entry.id)
    },
  }
}

/**
 * Creates the recorder of a service's audit entries. It stores them in the service's own database before the action is
 * answered. The outbox delivers them to the log, which keeps the first version of an entry.
 */
export const createAudit = ({ outbox, tasks, log, to, ...options }: AuditOptions): Audit => {
  let target = to
  const done = outbox.kind<AuditEntry>('audit', {
    payload: deliveredEntry,
    batch: LIMITS.auditBatch,
    backoffMaxMs: PEER_BACKOFF_MAX_MS,
    handle: entries => target.append([...entries]),
  })
  /** Entries of actions that have begun. They are due when the action must have been interrupted. */
  const open = outbox.kind<AuditEntry>('audit.open', {
    payload: deliveredEntry,
    keyOf: entry => entry.id,
    backoffMaxMs: PEER_BACKOFF_MAX_MS,
    handle: ([entry]) => target.append([{ ...(entry as AuditEntry), outcome: 'unknown' }]),
  })
  const counts = createAuditCounts({ ...options, openMs: OPEN_MS })
  tasks.every('audit-counts', COUNTS_EVERY_MS, signal =>
    counts.closeDue((entry, session) => done.add(entry, { session }), signal),
  )

  const begin = async (entry: AuditEntry): Promise<OpenAction> => {
    const countId = await counts.idOf(entry)
    return countId === undefined
      ? beginSeparate(counts, { open, done }, entry)
      : beginCounted(counts, countId, entry)
  }

  return {
    async during(by, what, work) {
      const entry = newAuditEntry(by, what)
      const action = await begin(entry)
      let result: AuditResult = {}
      try {
        const answer = await work(more => {
          result = { ...result, ...more }
        })
        // The action is done: an entry that cannot be completed is delivered as it is.
        await (result.isNothing ? action.drop() : action.end(result)).catch(error =>
          log.warn({ err: error, action: what.action }, 'audit entry not completed'),
        )
        return answer
      } catch (error) {
        if (error instanceof HttpError && error.status < 500) {
          const isDone = Object.keys(result).length > 0 && !result.isNothing
          await (isDone ? action.end(result) : action.drop()).catch(() => {})
        }
        throw error
      }
    },
    async record(by, what) {
      const entry = newAuditEntry(by, what)
      const countId = await counts.idOf(entry)
      await (countId === undefined ? done.add(entry) : counts.add(countId, entry, entry.count ?? 0))
    },
    keepLog(log) {
      target = log
    },
  }
}
