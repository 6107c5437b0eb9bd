import type { FailedWork } from '@iodine/contracts'
import { type Context, ROOT_CONTEXT } from '@opentelemetry/api'
import { createJobRunner } from '../observe/job-runs.js'
import type { Logger } from '../observe/logging.js'
import type { PartMetrics, QueueState } from '../observe/metrics.js'
import { type Connection, onCommit } from '../stores/mongo.js'
import { type EntryDoc, type EntryModel, entryModel, newEntry } from './entry.js'
import type { AddOptions, Kind, KindSpec } from './kind.js'
import { Lane, type Relay } from './lane.js'
import { readFailed, readStates } from './read-entries.js'

/** Timeout of running handlers at shutdown. Entries of those that take longer are released. */
const CLOSING_MS = 8_000

/** Interval of the search while the database cannot be read. */
const UNREAD_MS = 5_000

/** Durable work of a service, in its own database (pattern: transactional outbox). */
export interface Outbox {
  /** Defines the handler of a kind. Entries of kinds without one are left to other versions. */
  kind<P>(name: string, spec: KindSpec<P>): Kind<P>
  /** Starts to handle entries. */
  start(): void
  /** Looks for due entries now. */
  wake(): void
  /** Entries of each kind, for metrics. */
  states(): Promise<Record<string, QueueState>>
  /** Returns the entries that have failed permanently, newest first. */
  failed(limit: number): Promise<FailedWork[]>
  /** Removes the entries of a key, such as a deleted user's id. Entries that a handler holds end with the handler. */
  forget(key: string): Promise<void>
  /** Retries a failed entry now. Returns false if it does not exist. */
  retry(id: string): Promise<boolean>
  /** Removes a failed entry. Returns false if it does not exist. */
  drop(id: string): Promise<boolean>
  /** Waits for running handlers, then releases all claims. Idempotent. */
  close(): Promise<void>
}

interface OutboxOptions {
  mongo: Connection
  log: Logger
  metrics: Pick<PartMetrics, 'observeJob' | 'countGivenUp' | 'watchQueues'>
  /** Root context of the service's traces. */
  root?: Context | undefined
  /** Leaves heavy kinds to other processes. */
  skipsHeavy?: boolean
  /** Interval of the search for due entries that other processes have added or left. */
  pollMs?: number
}

const kindOf = <P>(model: EntryModel, lane: Lane, { payload: schema }: KindSpec<P>): Kind<P> => {
  const { name } = lane
  const addAll = async (payloads: readonly P[], { session, dueIn = 0 }: AddOptions = {}) => {
    if (payloads.length === 0) return
    const entries = payloads.map(payload => newEntry(name, lane.spec, payload, dueIn))
    // The driver inserts: the documents are complete, and Mongoose would cast each.
    await model.collection.insertMany(entries, session && { session })
    const wake = () => (dueIn > 0 ? lane.wakeIn(dueIn) : lane.wake())
    if (session) onCommit(session, wake)
    else wake()
  }
  return {
    add: (payload, options) => addAll([payload], options),
    addAll,
    async pending(limit) {
      const docs = await model.find({ kind: name }, { payload: 1 }).limit(limit).lean<EntryDoc[]>()
      return docs.flatMap(({ payload }) => schema.safeParse(payload).data ?? [])
    },
    has: async key => (await model.exists({ kind: name, key })) !== null,
    async complete(key) {
      await model.deleteMany({ kind: name, key })
    },
  }
}

/** Waits at most `CLOSING_MS` for the running handlers, which `abort` interrupts, and releases the claims of the others. */
const closeLanes = async (lanes: Lane[], abort: () => void): Promise<void> => {
  for (const lane of lanes) lane.clearTimers()
  const running = lanes.flatMap(lane => [...lane.running])
  let timer: NodeJS.Timeout | undefined
  const timeout = new Promise<void>(resolve => {
    timer = setTimeout(resolve, CLOSING_MS)
  })
  abort()
  await Promise.race([Promise.all(running), timeout])
  clearTimeout(timer)
  for (const lane of lanes) await lane.releaseAll()
}

/** Returns the milliseconds until the first entry of the kinds is due; undefined without entries. */
const msUntilDue = async (model: EntryModel, kinds: string[]): Promise<number | undefined> => {
  const first = await model
    .findOne({ kind: { $in: kinds } }, { due_at: 1 })
    .sort({ due_at: 1 })
    .lean<Pick<EntryDoc, 'due_at'>>()
  return first ? first.due_at.getTime() - Date.now() : undefined
}

const retryFailed = async (model: EntryModel, _id: string): Promise<boolean> => {
  const { matchedCount } = await model.updateOne(
    { _id, failed_at: { $exists: true }, lease: { $exists: false } },
    { $set: { due_at: new Date(), since: new Date(), attempts: 0 }, $unset: { failed_at: 1, error: 1 } },
  )
  return matchedCount > 0
}

/**
 * Creates a service's outbox. Each entry is handled at least once, oldest first, by one process at a time: a claim sets a
 * lease, which is extended while the handler runs. Clocks of the processes may differ by less than a lease.
 */
export const createOutbox = ({
  mongo,
  log,
  metrics,
  root = ROOT_CONTEXT,
  skipsHeavy = false,
  pollMs = 15_000,
}: OutboxOptions): Outbox => {
  const model = entryModel(mongo)
  const lanes = new Map<string, Lane>()
  const closing = new AbortController()
  let poll: NodeJS.Timeout | undefined
  let closed: Promise<void> | undefined
  const relay: Relay = {
    model,
    log,
    metrics,
    runJob: createJobRunner(log, metrics),
    root,
    closing: closing.signal,
    pollMs,
    isAtWork: () => poll !== undefined && !closing.signal.aborted,
  }

  const wake = () => {
    for (const lane of lanes.values()) lane.wake()
  }
  /** Wakes the lanes if an entry is due. Resolves to the milliseconds until the next search. */
  const lookForDue = async (): Promise<number> => {
    const kinds = [...lanes.values()].filter(({ isTaken }) => isTaken).map(({ name }) => name)
    const ms = (await msUntilDue(model, kinds)) ?? pollMs
    if (ms > 0) return Math.min(ms, pollMs)
    wake()
    return pollMs
  }
  const look = async () => {
    const ms = await lookForDue().catch(error => {
      log.debug({ err: error }, 'outbox not read')
      return Math.min(pollMs, UNREAD_MS)
    })
    if (closing.signal.aborted) return
    poll = setTimeout(look, ms)
    poll.unref()
  }
  const states = () => readStates(model, [...lanes.keys()])
  metrics.watchQueues(states)

  return {
    kind(name, spec) {
      if (lanes.has(name)) throw new Error(`the outbox has two handlers of ${name}`)
      const lane = new Lane(relay, name, spec as KindSpec<unknown>, !(skipsHeavy && spec.isHeavy))
      lanes.set(name, lane)
      // Start at 0: a counter whose first sample is 1 shows no increase.
      metrics.countGivenUp(name, 0)
      return kindOf(model, lane, spec)
    },
    start() {
      poll = setTimeout(look, 0)
      poll.unref()
    },
    wake,
    states,
    failed: limit => readFailed(model, limit),
    async forget(key) {
      await model.deleteMany({ kind: { $in: [...lanes.keys()] }, key, lease: { $exists: false } })
    },
    retry: id => retryFailed(model, id).finally(wake),
    async drop(id) {
      return (await model.deleteOne({ _id: id, failed_at: { $exists: true } })).deletedCount > 0
    },
    close() {
      clearTimeout(poll)
      closed ??= closeLanes([...lanes.values()], () => closing.abort())
      return closed
    },
  }
}
