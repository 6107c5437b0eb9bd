import { randomUUID } from 'node:crypto'
import { type FailedWork, id } from '@iodine/contracts'
import { type Context, context, ROOT_CONTEXT, SpanKind, trace } from '@opentelemetry/api'
import { UnrecoverableError } from 'bullmq'
import { type ClientSession, Schema, Types } from 'mongoose'
import { z } from 'zod'
import { HttpError, isFinalRefusal } from '../http/errors.js'
import { createJobRunner } from '../observe/job-runs.js'
import type { Logger } from '../observe/logging.js'
import type { PartMetrics, QueueState } from '../observe/metrics.js'
import { originOf, withOrigin } from '../observe/work-context.js'
import { type Connection, onCommit } from '../stores/mongo.js'

interface EntryDoc {
  _id: Types.ObjectId
  kind: string
  /** Entries of one kind and key are handled together, never two at a time. */
  key?: string
  payload: unknown
  /** Number of runs that were begun. */
  attempts: number
  /** When it may be claimed; while it is leased: when the lease ends. */
  due_at: Date
  /** Id of the claim that holds it. */
  lease?: string
  created_at: Date
  /** When it became due, if that was later than its creation. Retries do not change it. */
  since?: Date
  /** Request id and trace context of what added it. */
  origin?: Record<string, string>
  /** Set once it is given up, with the reason. It is tried again each day. */
  failed_at?: Date
  error?: string
}

const required = true
const entrySchema = new Schema<EntryDoc>(
  {
    kind: { type: String, required },
    key: String,
    payload: { type: Schema.Types.Mixed, required },
    attempts: { type: Number, required },
    due_at: { type: Date, required },
    lease: String,
    created_at: { type: Date, required },
    since: Date,
    origin: Schema.Types.Mixed,
    failed_at: Date,
    error: String,
  },
  { collection: 'outbox', versionKey: false, minimize: false },
)
entrySchema.index({ kind: 1, due_at: 1 })
entrySchema.index({ kind: 1, key: 1 }, { partialFilterExpression: { key: { $exists: true } } })
entrySchema.index({ failed_at: 1 }, { partialFilterExpression: { failed_at: { $exists: true } } })

/** How often entries are looked for that another process has left. */
const POLL_MS = 5_000
const LEASE_MS = 30_000
const FIRST_BACKOFF_MS = 500
const BACKOFF_MAX_MS = 300_000
const FAILED_MS = 24 * 3_600_000
/** Wait while another process handles the same key. */
const SAME_KEY_MS = 200
/** A run that takes longer at shutdown is left: its entries are given back. */
const CLOSING_MS = 8_000
const ERROR_MAX = 500

export interface KindSpec<P> {
  payload: z.ZodType<P>
  /** Returns the key of an entry. One call handles the entries of a key, with the newest payload. Default: no key. */
  keyOf?: (payload: P) => string
  /**
   * Does the work of entries: of one, or of up to `batch`. It may run again for the same entries, also in another process.
   * A number that it resolves to has the entries run again after so many milliseconds, unless they are completed before.
   * An HttpError with a final status or an UnrecoverableError gives them up; any other error has them tried again later.
   */
  handle(payloads: readonly P[], run: { signal: AbortSignal }): Promise<number | unknown>
  /** Entries without a key that one call takes; 1 by default. If the call fails for good, each is tried by itself. */
  batch?: number
  /** Calls at the same time in this process; 1 by default. */
  concurrency?: number
  /** How long a process may be silent before another takes over; prolonged while the handler runs. */
  leaseMs?: number
  /** Attempts after which a failure is final; unbounded by default. */
  giveUpAfter?: number
  /** Longest wait between two attempts; 5 minutes by default. */
  backoffMaxMs?: number
  /** Takes seconds of CPU or more: a process that serves requests alone (`ROLE=api`) leaves it to others. */
  isHeavy?: boolean
}

export interface AddOptions {
  /** Milliseconds until the entry is due. */
  dueIn?: number
  /** Has the entry be stored by this transaction, which changes the data that the work is about. */
  session?: ClientSession | undefined
}

/** Part of a kind's spec: its entries name a document, whose id is their key. */
export const byId = {
  payload: z.strictObject({ id }),
  keyOf: ({ id }: { id: string }): string => id,
}

/** Work of one kind. */
export interface Kind<P> {
  /** Stores work to be done. It is begun after the commit. */
  add(payload: P, options?: AddOptions): Promise<void>
  /** The same for many. */
  addAll(payloads: readonly P[], options?: AddOptions): Promise<void>
  /** Returns payloads of at most `limit` entries, in no order. */
  pending(limit: number): Promise<P[]>
  /** Removes the entries of a key: their work is done. */
  complete(key: string): Promise<void>
}

/** Durable work of a service, in its own database (pattern: transactional outbox). */
export interface Outbox {
  /** Defines how work of a kind is done. Entries of kinds that are not defined here are left to other versions. */
  kind<P>(name: string, spec: KindSpec<P>): Kind<P>
  /** Begins to handle entries. */
  start(): void
  /** Looks for due entries now. */
  wake(): void
  /** Entries of each kind, for metrics. */
  states(): Promise<Record<string, QueueState>>
  /** The entries that were given up, newest first. */
  failed(limit: number): Promise<FailedWork[]>
  /** Removes the entries of a key, such as a deleted user's id. Entries that a handler holds end with the handler. */
  forget(key: string): Promise<void>
  /** Has a failed entry tried again now. False if it is not there. */
  retry(id: string): Promise<boolean>
  /** Removes a failed entry. False if it is not there. */
  drop(id: string): Promise<boolean>
  /** Waits for runs, gives leases back. Idempotent. */
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
}

interface Lane {
  name: string
  spec: KindSpec<unknown>
  running: Set<Promise<void>>
  /** Claims that are being handled. */
  held: Set<Claim>
  /** Entries may have become due since the last claim began. */
  isWoken: boolean
}

interface Claim {
  lease: string
  entries: EntryDoc[]
}

const backoffMs = (attempts: number, max = BACKOFF_MAX_MS): number =>
  Math.min(FIRST_BACKOFF_MS * 2 ** Math.min(attempts - 1, 20), max) * (0.75 + Math.random() / 2)

/** Why work was given up, for administrators: of an unexpected error its class alone, as its message may hold data. */
const reasonOf = (error: unknown): string => {
  if (!(error instanceof Error)) return 'unknown'
  const isOurs = error instanceof HttpError || error instanceof UnrecoverableError
  return (isOurs ? error.message : error.name).slice(0, ERROR_MAX)
}

/**
 * Creates a service's outbox. Each entry is handled at least once, oldest first, by one process at a time: a claim sets a
 * lease, which is prolonged while the handler runs. Clocks of the processes may differ by less than a lease.
 */
export const createOutbox = ({
  mongo,
  log,
  metrics,
  root = ROOT_CONTEXT,
  skipsHeavy = false,
}: OutboxOptions): Outbox => {
  const runJob = createJobRunner(log, metrics)
  const model = mongo.model<EntryDoc>('OutboxEntry', entrySchema)
  const lanes = new Map<string, Lane>()
  const timers = new Set<NodeJS.Timeout>()
  const closing = new AbortController()
  let poll: NodeJS.Timeout | undefined
  let closed: Promise<void> | undefined
  const isAtWork = () => poll !== undefined && !closing.signal.aborted

  const leased = ({ lease, entries }: Claim) => ({ _id: { $in: entries.map(({ _id }) => _id) }, lease })

  /**
   * Leases the other entries of the key that are due or were given up. Undefined if another process holds one: then all
   * are given back.
   */
  const joinKey = async (kind: string, key: string, { lease, entries }: Claim, end: Date) => {
    const same = { kind, key }
    const joined = {
      ...same,
      $or: [{ due_at: { $lte: new Date() } }, { failed_at: { $exists: true }, lease: { $exists: false } }],
    }
    await model.updateMany(joined, { $set: { lease, due_at: end } })
    const all = await model
      .find({ ...same, lease: { $exists: true } })
      .sort({ created_at: 1 })
      .lean<EntryDoc[]>()
    const own = all.filter(entry => entry.lease === lease)
    const isHeld = all.some(entry => entry.lease !== lease && entry.due_at.getTime() > Date.now())
    if (!isHeld) return { lease, entries: own.length > 0 ? own : entries }
    await model.updateMany(
      { ...same, lease },
      { $set: { due_at: new Date(Date.now() + SAME_KEY_MS * (0.5 + Math.random())) }, $unset: { lease: 1 } },
    )
    return undefined
  }

  /** Leases further due entries without a key. */
  const fillBatch = async (kind: string, claim: Claim, end: Date, max: number): Promise<Claim> => {
    const { lease } = claim
    const due = { kind, key: { $exists: false }, due_at: { $lte: new Date() } }
    const found = await model.find(due, { _id: 1 }).sort({ due_at: 1 }).limit(max).lean<EntryDoc[]>()
    if (found.length === 0) return claim
    const ids = { $in: found.map(({ _id }) => _id) }
    await model.updateMany({ ...due, _id: ids }, { $set: { lease, due_at: end }, $inc: { attempts: 1 } })
    const more = await model.find({ _id: ids, lease }).sort({ created_at: 1 }).lean<EntryDoc[]>()
    return { lease, entries: [...claim.entries, ...more] }
  }

  /** The oldest due entries of a kind, leased. `busy`: there are some that another process handles at present. */
  const claim = async ({ name, spec }: Lane): Promise<Claim | 'none' | 'busy'> => {
    const lease = randomUUID()
    const end = new Date(Date.now() + (spec.leaseMs ?? LEASE_MS))
    const first = await model
      .findOneAndUpdate(
        { kind: name, due_at: { $lte: new Date() } },
        { $set: { lease, due_at: end }, $inc: { attempts: 1 } },
        { sort: { due_at: 1 }, returnDocument: 'after' },
      )
      .lean<EntryDoc>()
    if (!first) return 'none'
    const claimed = { lease, entries: [first] }
    if (first.key !== undefined) return (await joinKey(name, first.key, claimed, end)) ?? 'busy'
    const batch = spec.batch ?? 1
    return batch > 1 ? fillBatch(name, claimed, end, batch - 1) : claimed
  }

  const after = (lane: Lane, ms: number) => {
    // What is due later is found by the poll.
    if (ms >= POLL_MS || !isAtWork()) return
    const timer = setTimeout(() => {
      timers.delete(timer)
      wakeLane(lane)
    }, ms)
    timer.unref()
    timers.add(timer)
  }
  /** Gives a claim back, to be handled again after `ms`. */
  const setDue = async (lane: Lane, held: Claim, ms: number, change: Partial<EntryDoc> = {}) => {
    const due_at = new Date(Date.now() + ms)
    await model.updateMany(leased(held), { $set: { ...change, due_at }, $unset: { lease: 1 } })
    after(lane, ms)
  }
  /** Has a claim handled again after `ms`: of the entries of a key the newest is enough. */
  const runAgain = async (lane: Lane, { lease, entries }: Claim, ms: number) => {
    const isKeyed = entries[0]?.key !== undefined
    const kept = isKeyed ? entries.slice(-1) : entries
    const rest = isKeyed ? entries.slice(0, -1) : []
    if (rest.length > 0) await model.deleteMany(leased({ lease, entries: rest }))
    const since = new Date(Date.now() + ms)
    await setDue(lane, { lease, entries: kept }, ms, { attempts: 0, since })
  }
  const giveUp = async ({ name }: Lane, held: Claim, error: unknown) => {
    metrics.countGivenUp(name, held.entries.length)
    const now = Date.now()
    await model.updateMany(leased(held), {
      $set: { failed_at: new Date(now), error: reasonOf(error), due_at: new Date(now + FAILED_MS) },
      $unset: { lease: 1 },
    })
  }

  /** Entries whose payloads can be read. The others are given up: a version that reads them may come. */
  const readable = async (lane: Lane, { lease, entries }: Claim) => {
    const read = entries.map(entry => ({ entry, parsed: lane.spec.payload.safeParse(entry.payload) }))
    for (const { entry, parsed } of read)
      if (!parsed.success) {
        const faults = parsed.error.issues.map(({ path, message }) => `${path.join('.')} ${message}`.trim())
        const error = new UnrecoverableError(`unreadable payload: ${faults.join('; ')}`)
        await giveUp(lane, { lease, entries: [entry] }, error)
      }
    return {
      held: { lease, entries: read.flatMap(({ entry, parsed }) => (parsed.success ? [entry] : [])) },
      payloads: read.flatMap(({ parsed }) => (parsed.success ? [parsed.data] : [])),
    }
  }

  const settleFailure = async (lane: Lane, held: Claim, error: unknown): Promise<void> => {
    const isFinal = error instanceof UnrecoverableError || isFinalRefusal(error)
    const { entries } = held
    const isKeyed = entries[0]?.key !== undefined
    if (isFinal && entries.length > 1 && !isKeyed) {
      // One of them is to blame.
      for (const entry of entries) await handle(lane, { lease: held.lease, entries: [entry] })
      return
    }
    const attempts = Math.max(...entries.map(each => each.attempts))
    const isGivenUp = isFinal || attempts >= (lane.spec.giveUpAfter ?? Infinity)
    log.warn({ err: error, queue: lane.name, attempt: attempts, given_up: isGivenUp }, 'job failed')
    if (isGivenUp) await giveUp(lane, held, error)
    else await setDue(lane, held, backoffMs(attempts, lane.spec.backoffMaxMs))
  }

  const handle = async (lane: Lane, claimed: Claim): Promise<void> => {
    const { held, payloads } = await readable(lane, claimed)
    const [first] = held.entries
    if (!first) return
    const { spec, name } = lane
    const leaseMs = spec.leaseMs ?? LEASE_MS
    const stop = new AbortController()
    const prolong = setInterval(() => {
      model
        .updateMany(leased(held), { $set: { due_at: new Date(Date.now() + leaseMs) } })
        .then(({ matchedCount }) => matchedCount === 0 && stop.abort())
        .catch(() => {})
    }, leaseMs / 3)
    const signal = AbortSignal.any([closing.signal, stop.signal])
    const given = first.key === undefined ? payloads : payloads.slice(-1)
    const run = () =>
      runJob(
        { queue: name, id: first._id.toHexString(), attempt: first.attempts },
        () => spec.handle(given, { signal }),
        again => (typeof again === 'number' ? 'postponed' : 'completed'),
      )
    lane.held.add(held)
    try {
      const work = withOrigin(context.active(), first.origin ?? {})
      const again = await trace
        .getTracer('iodine')
        .startActiveSpan(`process ${name}`, { kind: SpanKind.CONSUMER }, work, span =>
          run().finally(() => span.end()),
        )
      if (typeof again === 'number') await runAgain(lane, held, again)
      else await model.deleteMany(leased(held))
    } catch (error) {
      // What ends with this process is no failure.
      if (closing.signal.aborted) await setDue(lane, held, 0)
      else await settleFailure(lane, held, error)
    } finally {
      clearInterval(prolong)
      lane.held.delete(held)
    }
  }

  const drain = async (lane: Lane): Promise<void> => {
    while (isAtWork()) {
      lane.isWoken = false
      const claimed = await claim(lane)
      if (claimed === 'busy') after(lane, SAME_KEY_MS)
      else if (claimed !== 'none') {
        wakeLane(lane)
        await handle(lane, claimed)
      } else if (!lane.isWoken) return
    }
  }
  const isTaken = ({ spec }: Lane) => !(skipsHeavy && spec.isHeavy)
  const wakeLane = (lane: Lane) => {
    if (!isTaken(lane)) return
    lane.isWoken = true
    if (!isAtWork() || lane.running.size >= (lane.spec.concurrency ?? 1)) return
    const run = context
      .with(root, () => drain(lane))
      // The database is away: the poll tries again.
      .catch(error => log.debug({ err: error, queue: lane.name }, 'outbox not read'))
      .finally(() => lane.running.delete(run))
    lane.running.add(run)
  }
  const wake = () => {
    for (const lane of lanes.values()) wakeLane(lane)
  }
  const lookForDue = async () => {
    const kinds = [...lanes.values()].filter(isTaken).map(({ name }) => name)
    const due = { kind: { $in: kinds }, due_at: { $lte: new Date() } }
    if (await model.exists(due)) wake()
  }

  const insert = async (lane: Lane, docs: EntryDoc[], { session, dueIn = 0 }: AddOptions) => {
    await model.collection.insertMany(docs, session && { session })
    const begin = () => (dueIn > 0 ? after(lane, dueIn) : wakeLane(lane))
    if (session) onCommit(session, begin)
    else begin()
  }
  const docOf = ({ name: kind, spec }: Lane, payload: unknown, { dueIn = 0 }: AddOptions): EntryDoc => {
    const now = Date.now()
    const origin = originOf()
    const key = spec.keyOf?.(payload)
    return {
      _id: new Types.ObjectId(),
      kind,
      payload,
      attempts: 0,
      due_at: new Date(now + dueIn),
      created_at: new Date(now),
      ...(dueIn > 0 && { since: new Date(now + dueIn) }),
      ...(key !== undefined && { key }),
      ...(Object.keys(origin).length > 0 && { origin }),
    }
  }

  const states: Outbox['states'] = async () => {
    const since = { $ifNull: ['$since', '$created_at'] }
    const isIdle = { $or: [{ $gt: ['$failed_at', null] }, { $gt: [since, new Date()] }] }
    const counts = await model.aggregate<{ _id: string; all: number; failed: number; oldest: Date }>([
      {
        $group: {
          _id: '$kind',
          all: { $sum: 1 },
          failed: { $sum: { $cond: [{ $gt: ['$failed_at', null] }, 1, 0] } },
          oldest: { $min: { $cond: [isIdle, null, since] } },
        },
      },
    ])
    const none = [...lanes.keys()].map(name => [name, { jobs: { waiting: 0, failed: 0 }, oldestSeconds: 0 }])
    const found = counts.map(({ _id, all, failed, oldest }) => {
      // Another version defines this kind. This process must not handle its entries.
      const jobs = lanes.has(_id) ? { waiting: all - failed, failed } : { unknown: all }
      return [_id, { jobs, oldestSeconds: oldest ? (Date.now() - oldest.getTime()) / 1000 : 0 }]
    })
    return Object.fromEntries([...none, ...found])
  }
  metrics.watchQueues(states)

  const close = async () => {
    clearInterval(poll)
    for (const timer of timers) clearTimeout(timer)
    const running = [...lanes.values()].flatMap(lane => [...lane.running])
    let timer: NodeJS.Timeout | undefined
    const patience = new Promise<void>(resolve => {
      timer = setTimeout(resolve, CLOSING_MS)
    })
    closing.abort()
    await Promise.race([Promise.all(running), patience])
    clearTimeout(timer)
    for (const lane of lanes.values())
      for (const held of lane.held) await setDue(lane, held, 0).catch(() => {})
  }

  return {
    kind(name, spec) {
      if (lanes.has(name)) throw new Error(`the outbox has two handlers of ${name}`)
      const lane: Lane = {
        name,
        spec: spec as KindSpec<unknown>,
        running: new Set(),
        held: new Set(),
        isWoken: false,
      }
      lanes.set(name, lane)
      // Start at 0: a counter whose first sample is 1 shows no increase.
      metrics.countGivenUp(name, 0)
      return {
        add: (payload, options = {}) => insert(lane, [docOf(lane, payload, options)], options),
        async addAll(payloads, options = {}) {
          const docs = payloads.map(payload => docOf(lane, payload, options))
          if (docs.length > 0) await insert(lane, docs, options)
        },
        async pending(limit) {
          const docs = await model.find({ kind: name }, { payload: 1 }).limit(limit).lean<EntryDoc[]>()
          return docs.flatMap(({ payload }) => spec.payload.safeParse(payload).data ?? [])
        },
        async complete(key) {
          await model.deleteMany({ kind: name, key })
        },
      }
    },
    start() {
      poll = setInterval(() => {
        lookForDue().catch(error => log.debug({ err: error }, 'outbox not read'))
      }, POLL_MS)
      poll.unref()
      wake()
    },
    wake,
    states,
    async failed(limit) {
      const docs = await model
        .find({ failed_at: { $exists: true } })
        .sort({ failed_at: -1 })
        .limit(limit)
        .lean<EntryDoc[]>()
      return docs.map(({ _id, kind, error = '', attempts, created_at, failed_at = created_at }) => ({
        id: _id.toHexString(),
        kind,
        error,
        attempts,
        created_at: created_at.toISOString(),
        failed_at: failed_at.toISOString(),
      }))
    },
    async forget(key) {
      await model.deleteMany({ kind: { $in: [...lanes.keys()] }, key, lease: { $exists: false } })
    },
    async retry(id) {
      const { matchedCount } = await model.updateOne(
        { _id: id, failed_at: { $exists: true } },
        { $set: { due_at: new Date(), since: new Date(), attempts: 0 }, $unset: { failed_at: 1, error: 1 } },
      )
      wake()
      return matchedCount > 0
    },
    async drop(id) {
      return (await model.deleteOne({ _id: id, failed_at: { $exists: true } })).deletedCount > 0
    },
    close() {
      closed ??= close()
      return closed
    },
  }
}
