import { type Context, context, SpanKind, trace } from '@opentelemetry/api'
import { UnrecoverableError } from 'bullmq'
import { isPermanentError } from '../http/errors.js'
import type { JobRunner } from '../observe/job-runs.js'
import type { Logger } from '../observe/logging.js'
import type { PartMetrics } from '../observe/metrics.js'
import { withOrigin } from '../observe/work-context.js'
import {
  type Claim,
  claimDue,
  extendLease,
  keepNewest,
  leaseMsOf,
  markFailed,
  postpone,
  release,
  removeClaimed,
  SAME_KEY_MS,
} from './claims.js'
import type { EntryDoc, EntryModel } from './entry.js'
import type { KindSpec } from './kind.js'

const FIRST_BACKOFF_MS = 500
const BACKOFF_MAX_MS = 300_000

const backoffMs = (attempts: number, max = BACKOFF_MAX_MS): number =>
  Math.min(FIRST_BACKOFF_MS * 2 ** Math.min(attempts - 1, 20), max) * (0.75 + Math.random() / 2)

/** Shared by the lanes of an outbox. */
export interface Relay {
  model: EntryModel
  log: Logger
  metrics: Pick<PartMetrics, 'countGivenUp'>
  runJob: JobRunner
  /** Root context of the service's traces. */
  root: Context
  /** Aborted at shutdown. */
  closing: AbortSignal
  /** Returns true between start and shutdown. */
  isAtWork(): boolean
  /** Interval of the search for due entries that other processes have added or left. */
  pollMs: number
}

/** Claims and handles the entries of one kind in this process. */
export class Lane {
  readonly name: string
  readonly spec: KindSpec<unknown>
  /** False for kinds that this process leaves to others. */
  readonly isTaken: boolean
  readonly running = new Set<Promise<void>>()
  readonly #relay: Relay
  /** Claims whose handler runs. */
  readonly #held = new Set<Claim>()
  readonly #timers = new Set<NodeJS.Timeout>()
  /** Entries may have become due since the last claim began. */
  #isWoken = false

  constructor(relay: Relay, name: string, spec: KindSpec<unknown>, isTaken: boolean) {
    this.#relay = relay
    this.name = name
    this.spec = spec
    this.isTaken = isTaken
  }

  /** Claims due entries now, if a concurrency slot is free. */
  wake(): void {
    if (!this.isTaken) return
    this.#isWoken = true
    const { root, log, isAtWork } = this.#relay
    if (!isAtWork() || this.running.size >= (this.spec.concurrency ?? 1)) return
    const run = context
      .with(root, () => this.#drain())
      // The database is unreachable: the poll retries.
      .catch(error => log.debug({ err: error, queue: this.name }, 'outbox not read'))
      .finally(() => this.running.delete(run))
    this.running.add(run)
  }

  /** Wakes in `ms` milliseconds. */
  wakeIn(ms: number): void {
    // The poll finds entries that are due later.
    if (ms >= this.#relay.pollMs || !this.#relay.isAtWork()) return
    const timer = setTimeout(() => {
      this.#timers.delete(timer)
      this.wake()
    }, ms)
    timer.unref()
    this.#timers.add(timer)
  }

  clearTimers(): void {
    for (const timer of this.#timers) clearTimeout(timer)
  }

  /** Releases the claims whose handler has not ended. */
  async releaseAll(): Promise<void> {
    for (const held of this.#held) await this.#release(held, 0).catch(() => {})
  }

  async #release(claim: Claim, ms: number, change?: Pick<EntryDoc, 'attempts'>): Promise<void> {
    await release(this.#relay.model, claim, ms, change)
    this.wakeIn(ms)
  }

  async #drain(): Promise<void> {
    while (this.#relay.isAtWork()) {
      this.#isWoken = false
      const claim = await claimDue(this.#relay.model, this.name, this.spec)
      if (claim === 'busy') this.wakeIn(SAME_KEY_MS)
      else if (claim !== 'none') {
        this.wake()
        await this.#handle(claim)
      } else if (!this.#isWoken) return
    }
  }

  async #handle(claimed: Claim): Promise<void> {
    const { claim, payloads } = await this.#readable(claimed)
    const [first] = claim.entries
    if (!first) return
    const { model, closing } = this.#relay
    const lost = new AbortController()
    const leaseMs = leaseMsOf(this.spec)
    const extending = setInterval(() => {
      extendLease(model, claim, leaseMs)
        .then(isHeld => isHeld || lost.abort())
        .catch(() => {})
    }, leaseMs / 3)
    this.#held.add(claim)
    try {
      const given = first.key === undefined ? payloads : payloads.slice(-1)
      const rerunMs = await this.#run(first, given, AbortSignal.any([closing, lost.signal]))
      if (typeof rerunMs === 'number') {
        await postpone(model, claim, rerunMs)
        this.wakeIn(rerunMs)
      } else await removeClaimed(model, claim)
    } catch (error) {
      // Work that the shutdown interrupts has not failed.
      if (closing.aborted) await this.#release(claim, 0)
      else await this.#fail(claim, error)
    } finally {
      clearInterval(extending)
      this.#held.delete(claim)
    }
  }

  /** Runs the handler in the context of the request that added the entry, with a separate span and log line. */
  #run({ _id, attempts, origin = {} }: EntryDoc, payloads: unknown[], signal: AbortSignal): Promise<unknown> {
    const { spec, name } = this
    const run = () =>
      this.#relay.runJob(
        { queue: name, id: _id.toHexString(), attempt: attempts },
        () => spec.handle(payloads, { signal }),
        rerunMs => (typeof rerunMs === 'number' ? 'postponed' : 'completed'),
      )
    return trace
      .getTracer('iodine')
      .startActiveSpan(
        `process ${name}`,
        { kind: SpanKind.CONSUMER },
        withOrigin(context.active(), origin),
        span => run().finally(() => span.end()),
      )
  }

  /** Returns the entries whose payloads are valid. The others fail permanently: a later version may read them. */
  async #readable({ lease, entries }: Claim): Promise<{ claim: Claim; payloads: unknown[] }> {
    const read = entries.map(entry => ({ entry, parsed: this.spec.payload.safeParse(entry.payload) }))
    for (const { entry, parsed } of read)
      if (!parsed.success) {
        const faults = parsed.error.issues.map(({ path, message }) => `${path.join('.')} ${message}`.trim())
        const error = new UnrecoverableError(`unreadable payload: ${faults.join('; ')}`)
        await this.#giveUp({ lease, entries: [entry] }, error)
      }
    return {
      claim: { lease, entries: read.flatMap(({ entry, parsed }) => (parsed.success ? [entry] : [])) },
      payloads: read.flatMap(({ parsed }) => (parsed.success ? [parsed.data] : [])),
    }
  }

  /** Releases the entries for a retry, or marks them as permanently failed. */
  async #fail(claim: Claim, error: unknown): Promise<void> {
    const isFinal = error instanceof UnrecoverableError || isPermanentError(error)
    const { lease, entries } = claim
    if (isFinal && entries.length > 1 && entries[0]?.key === undefined) {
      // Finds the entry of the batch that fails.
      for (const entry of entries) await this.#handle({ lease, entries: [entry] })
      return
    }
    const attempts = Math.max(...entries.map(each => each.attempts))
    this.#relay.log.warn({ err: error, queue: this.name, attempt: attempts, given_up: isFinal }, 'job failed')
    const kept = await keepNewest(this.#relay.model, claim)
    if (isFinal) await this.#giveUp(kept, error)
    else await this.#release(kept, backoffMs(attempts, this.spec.backoffMaxMs), { attempts })
  }

  async #giveUp(claim: Claim, error: unknown): Promise<void> {
    this.#relay.metrics.countGivenUp(this.name, claim.entries.length)
    await markFailed(this.#relay.model, claim, error)
  }
}
