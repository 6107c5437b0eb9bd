import { readDoc } from './bson/read.js'
import { Binary, Doc, Double, order, type RawDoc, type Value } from './bson/values.js'
import { writeDoc } from './bson/write.js'
import { ClusterClock } from './clock.js'
import { adminCommands } from './commands/admin.js'
import { checkConcerns, writeConcernError } from './commands/concerns.js'
import { type Activity, type Command, type Context, checkApi, natural, ok, open } from './commands/context.js'
import { Cursors } from './commands/cursors.js'
import { readCommands } from './commands/find.js'
import { Progress } from './commands/progress.js'
import { writeCommands } from './commands/write.js'
import { fail, MongoError, writeConflict } from './errors.js'
import { after, classBounds, encodeBound } from './indexes/key.js'
import { due, type Pause, pause, Timer, type Work } from './slices.js'
import { Catalog, type IndexInfo, space } from './storage/catalog.js'
import type { RecordNumbers } from './storage/collection.js'
import type { Store, Transaction } from './storage/kv.js'
import { View } from './storage/view.js'

type Reply = Doc | RawDoc

/** The connection of a command. A read ends when its connection is closed. */
export type Client = { readonly destroyed: boolean }

/** A command that is queued, running or paused between two slices. */
type Operation = {
  readonly command: Doc
  readonly writes: boolean
  /** The session that the command locks while it runs; only for a command with a `txnNumber`. */
  readonly session: string | undefined
  readonly client: Client | undefined
  readonly timer: Timer
  work: Work<Reply> | undefined
  resolve(reply: Reply): void
}

type Session = {
  number: bigint
  state: 'open' | 'committed' | 'aborted'
  transaction: Transaction
  catalog: Catalog
  id: string
  began: number
  /** The client of the transaction's last command. */
  client: Client | undefined
  /** The timer of the transaction's running command. */
  running: Timer | undefined
}

const commands: ReadonlyMap<string, Command> = new Map([...adminCommands, ...readCommands, ...writeCommands])

const inTransactions = new Set([
  'insert',
  'update',
  'delete',
  'findAndModify',
  'findandmodify',
  'find',
  'getMore',
  'killCursors',
  'aggregate',
  'distinct',
  'bulkWrite',
  'create',
  'createIndexes',
])

/** The largest number of commands in one write transaction, which share one flush to disk. */
const batchSize = 200
/** The first slice of a command is short, so that a burst of slow commands does not delay quick ones. */
const firstSliceMs = 3
const sliceMs = 10
const transactionMs = 60_000
/** Each open transaction takes one slot of LMDB's reader table (`mostReaders` in storage/kv.ts). */
const mostTransactions = 100
const mostSessions = 10_000
const sessionMs = 30 * 60_000
const sweepSessionsMs = 60_000

/**
 * Runs commands against a store in turns of the event loop. Each command gets a short time slice; a longer
 * command continues in later turns, interleaved with new commands. A read continues on a snapshot. The writes
 * of a turn share one write transaction and are acknowledged once it is on disk.
 */
export class Engine {
  private readonly store: Store
  private readonly clock: ClusterClock
  private catalog: Catalog
  private readonly numbers: RecordNumbers = new Map()
  private readonly cursors = new Cursors()
  private readonly activity: Activity
  private readonly sessions = new Map<string, Session>()
  private readonly address: () => string
  private queue: Operation[] = []
  /** Writes of this turn, or of the next one once the time of this one is used up. */
  private postponed: Operation[] = []
  /** Commands between two slices, in the order of resumption. */
  private paused: Operation[] = []
  /** Sessions locked by a running command with a `txnNumber`, and the commands queued behind it. */
  private readonly busy = new Map<string, Operation[]>()
  private scheduled = false
  /** Callbacks for when the current write transaction is on disk. */
  private onStored: (() => void)[] = []
  private sweeping = false
  private closed = false
  private readonly timer: NodeJS.Timeout
  private sweptSessions = Date.now()

  constructor(store: Store, address: () => string, sweepMs: number) {
    this.store = store
    this.clock = new ClusterClock(store)
    this.address = address
    this.catalog = Catalog.load(store)
    const engine = this
    this.activity = {
      get readers() {
        return engine.paused.length - this.writers
      },
      get writers() {
        return engine.paused.filter(({ writes }) => writes).length
      },
      endedByDisconnect: 0,
      endedByTimeLimit: 0,
      requests: 0,
      flushes: 0,
    }
    this.timer = setInterval(() => this.sweep(), sweepMs)
    this.timer.unref()
  }

  /** Runs a command and resolves to its reply. Errors resolve to error replies. */
  submit(command: Doc, client?: Client): Promise<Reply> {
    this.activity.requests++
    return new Promise(done => {
      const resolve = (reply: Reply) => done(this.completed(command, reply))
      const timer = new Timer()
      try {
        this.clock.receiveGossip(command)
        const most = natural(command, 'maxTimeMS')
        // A getMore gets the remaining time of its cursor.
        if (most && !command.has('getMore')) timer.deadline = performance.now() + most
        const name = nameOf(command)
        this.queue.push({
          command,
          writes:
            name === 'commitTransaction' ||
            (!isTransactional(command) && (commands.get(name)?.writes === true || name === 'endSessions')),
          session: command.has('txnNumber') ? sessionText(command) : undefined,
          client,
          timer,
          work: undefined,
          resolve,
        })
      } catch (error) {
        resolve(asReply(error))
      }
      this.schedule()
    })
  }

  /** Adds the fields of a replica set's replies: cluster times, and an unmet write concern. */
  private completed(command: Doc, reply: Reply): Reply {
    if (!(reply instanceof Doc)) return reply
    if (reply.get('ok') instanceof Double) {
      const error = writeConcernError(command)
      if (error) reply.set('writeConcernError', error)
    }
    return this.clock.stamp(reply)
  }

  async close() {
    clearInterval(this.timer)
    this.closed = true
    while (this.hasWork()) {
      this.read()
      this.write()
      for (const { timer } of this.paused) timer.stop(new MongoError(11600, 'interrupted at shutdown'))
    }
    for (const session of this.sessions.values()) this.end(session, 'aborted')
    await this.store.close()
  }

  private hasWork() {
    return this.queue.length > 0 || this.postponed.length > 0 || this.paused.length > 0
  }

  private schedule() {
    if (this.scheduled || this.closed) return
    this.scheduled = true
    setImmediate(() => {
      if (this.closed) return
      this.read()
      // The replies of reads are sent before the writes of the turn run.
      if (this.postponed.length > 0) setImmediate(() => this.endTurn())
      else this.endTurn()
    })
  }

  private endTurn() {
    this.scheduled = false
    if (this.closed) return
    this.write()
    if (this.hasWork()) this.schedule()
  }

  /** Starts queued commands and runs one slice of one paused command. Writes are postponed. */
  private read() {
    const until = performance.now() + sliceMs
    const hadPaused = this.paused.length > 0
    const waiting = this.queue
    this.queue = []
    let next = 0
    while (next < waiting.length && next < batchSize && performance.now() < until) {
      const operation = waiting[next++]!
      if (!this.lockSession(operation)) continue
      if (operation.writes) this.postponed.push(operation)
      else this.advance(operation)
    }
    this.queue = [...waiting.slice(next), ...this.queue]
    const resumed = hadPaused ? this.paused.shift() : undefined
    if (resumed?.writes) this.postponed.push(resumed)
    else if (resumed) this.advance(resumed)
  }

  /** Locks the session of a command with a `txnNumber`. If it is locked, queues the command and returns false. */
  private lockSession(operation: Operation): boolean {
    if (operation.session === undefined) return true
    const others = this.busy.get(operation.session)
    if (others) others.push(operation)
    else this.busy.set(operation.session, [])
    return !others
  }

  private finish(operation: Operation, reply: Reply) {
    operation.timer.view?.release()
    if (operation.session !== undefined) {
      const others = this.busy.get(operation.session) ?? []
      this.busy.delete(operation.session)
      this.queue.unshift(...others)
    }
    operation.resolve(reply)
  }

  private rest(operation: Operation) {
    operation.timer.pauses++
    operation.timer.view?.hold()
    this.paused.push(operation)
  }

  /** Runs one slice of a command that needs no write transaction. */
  private advance(operation: Operation) {
    const reply = this.slice(operation, asReply)
    if (reply === pause) this.rest(operation)
    else this.finish(operation, reply)
  }

  /** Runs slices of writes in one write transaction. Writes beyond the turn's time wait for the next turn. */
  private write(batch = this.postponed.splice(0)) {
    if (batch.length === 0) return
    const until = performance.now() + sliceMs
    const ran: { operation: Operation; reply: Reply | Pause }[] = []
    let begun = 0
    try {
      this.store.write(() => {
        while (begun < batch.length && (begun === 0 || performance.now() < until)) {
          const operation = batch[begun++]!
          ran.push({ operation, reply: this.slice(operation, onlyMongoErrors) })
        }
        this.clock.persist(this.store)
      })
    } catch (error) {
      // The transaction of these slices was rolled back. Commands in their first slice run again, one by one,
      // so that only the faulty one fails. Commands with earlier slices fail: those slices are on disk and
      // cannot be repeated.
      this.clock.undo()
      this.onStored = []
      this.catalog = Catalog.load(this.store)
      this.postponed.push(...batch.slice(begun))
      for (const operation of batch.slice(0, begun)) {
        operation.work?.return(new Doc())
        operation.work = undefined
        if (operation.timer.pauses === 0 && batch.length > 1) this.write([operation])
        else {
          if (nameOf(operation.command) === 'commitTransaction') this.abort(operation.command)
          this.finish(operation, internalError(error))
        }
      }
      return
    }
    this.activity.flushes++
    for (const then of this.onStored.splice(0)) then()
    for (const { operation, reply } of ran) {
      if (reply === pause) this.rest(operation)
      else this.finish(operation, reply)
    }
    this.postponed.push(...batch.slice(begun))
  }

  /** Runs a command until it ends or pauses. */
  private slice(operation: Operation, onError: (error: unknown) => Reply): Reply | Pause {
    const { timer, client } = operation
    if (client?.destroyed && !operation.writes) timer.stop(new MongoError(279, 'the client has disconnected'))
    try {
      return timer.run(timer.pauses === 0 ? firstSliceMs : sliceMs, () => {
        if (!operation.work) {
          const begun = this.begin(operation)
          if (!('next' in begun)) return begun
          operation.work = begun
        }
        const { work } = operation
        const step = timer.stopped ? work.throw(timer.stopped) : work.next()
        return step.done ? step.value : pause
      })
    } catch (error) {
      if (error instanceof MongoError && error.code === 279) this.activity.endedByDisconnect++
      if (error instanceof MongoError && error.code === 50) this.activity.endedByTimeLimit++
      return onError(error)
    }
  }

  private begin({ command, timer, client }: Operation): Reply | Work<Reply> {
    if (isTransactional(command)) return this.runInTransaction(command, timer, client)
    const name = nameOf(command)
    if (name === 'endSessions') return this.endSessions(command)
    const handler = commands.get(name) ?? fail(59, `no such command: '${name}'`)
    checkApi(command)
    checkConcerns(command, this.clock, { name, writes: handler.writes, transaction: false, starts: false })
    const context = this.context(command)
    const number = command.get('txnNumber')
    if (!handler.writes) {
      const view = new View(this.store, () => this.catalog)
      timer.view = view
      return handler.run(command, reading(context, view))
    }
    return typeof number === 'bigint'
      ? this.runRetryable(command, number, handler, context)
      : handler.run(command, context)
  }

  private context(command: Doc): Context {
    const db = command.get('$db')
    if (typeof db !== 'string') return fail(40414, "BSON field '$db' is missing but a required field")
    if (!/^[^/\\. "$*<>:|?\0]{1,63}$/.test(db)) fail(73, `Invalid database name: '${db}'`)
    const engine = this
    return {
      db,
      kv: this.store,
      get catalog() {
        return engine.catalog
      },
      numbers: this.numbers,
      cursors: this.cursors,
      activity: this.activity,
      transaction: undefined,
      address: this.address(),
      clock: this.clock,
    }
  }

  /**
   * Runs a retryable write. Returns the stored reply for a repeated `txnNumber`, even after a restart. A write that was
   * interrupted between two slices resumes from its stored progress.
   */
  private *runRetryable(command: Doc, number: bigint, handler: Command, context: Context): Work<Reply> {
    const key = sessionKey(command)
    const stored = this.store.get(key)
    const known = stored && readDoc(stored, 0, new Set(['number']))
    let progress = new Progress()
    if (known) {
      const last = known.get('number') as bigint
      if (number < last)
        fail(
          225,
          `Retryable write with txnNumber ${number} is prohibited on session because a newer retryable write with txnNumber ${last} has already started on this session.`,
        )
      const whole = number === last ? readDoc(stored) : undefined
      const reply = whole?.get('reply')
      if (reply instanceof Doc) return reply
      const done = whole?.get('progress')
      if (done instanceof Doc) progress = Progress.of(done)
    }
    const keep = (state: Record<string, Value>) =>
      this.store.put(key, writeDoc(Doc.of({ number, at: new Date(), ...state })))
    const work = handler.run(command, { ...context, progress })
    if (work instanceof Doc) {
      keep({ reply: work })
      return work
    }
    let ended = false
    try {
      for (;;) {
        const step = work.next()
        if (step.done) {
          ended = true
          keep({ reply: step.value })
          return step.value
        }
        keep({ progress: progress.toDoc() })
        yield pause
      }
    } finally {
      if (!ended) work.return(new Doc())
    }
  }

  private *runInTransaction(command: Doc, timer: Timer, client: Client | undefined): Work<Reply> {
    const name = nameOf(command)
    const id = sessionText(command)
    const number = command.get('txnNumber')
    if (typeof number !== 'bigint') return fail(72, "'autocommit' needs a txnNumber")
    if (command.get('autocommit') !== false) return fail(72, "'startTransaction' needs autocommit: false")
    const starts = command.get('startTransaction') === true
    checkConcerns(command, this.clock, { name, writes: true, transaction: true, starts })
    let session = this.sessions.get(id)
    if (starts) {
      if (session && number < session.number)
        fail(
          225,
          `Cannot start transaction ${number} on session because a newer transaction ${session.number} has already started.`,
        )
      if (session && number === session.number)
        fail(117, `Only a transaction that was aborted can be started again: ${number}`)
      if (session?.state === 'open') this.end(session, 'aborted')
      this.limitSessions()
      const transaction = this.store.begin()
      const begun: Session = {
        number,
        state: 'open',
        transaction,
        catalog: this.catalog.fork(transaction),
        id: `${id}:${number}`,
        began: Date.now(),
        client,
        running: undefined,
      }
      transaction.endIfAbandoned = () => this.endIfAbandoned(begun)
      session = begun
      this.sessions.set(id, session)
    }
    if (!session || session.number !== number) {
      if (name === 'commitTransaction' && this.wasCommitted(command, number)) return ok()
      throw transient(251, `Given transaction number ${number} does not match any in-progress transactions.`)
    }
    if (name === 'commitTransaction') return this.commit(session, sessionKey(command))
    if (session.state === 'committed') return fail(256, `Transaction ${number} has been committed.`)
    if (session.state === 'aborted') throw transient(251, `Transaction ${number} has been aborted.`)
    if (name === 'abortTransaction') {
      this.end(session, 'aborted')
      return ok()
    }
    session.client = client
    session.running = timer
    try {
      if (!inTransactions.has(name)) {
        if (!commands.has(name)) fail(59, `no such command: '${name}'`)
        fail(263, `Cannot run '${name}' in a multi-document transaction.`)
      }
      const context = {
        ...this.context(command),
        kv: session.transaction,
        catalog: session.catalog,
        transaction: session.id,
      }
      const work = commands.get(name)!.run(command, context)
      const reply = work instanceof Doc ? work : yield* work
      if (reply.has('writeErrors')) this.end(session, 'aborted')
      return reply
    } catch (error) {
      this.end(session, 'aborted')
      throw error
    } finally {
      session.running = undefined
    }
  }

  /** Limits the number of open transactions and of stored sessions. */
  private limitSessions() {
    const open = [...this.sessions.values()].filter(({ state }) => state === 'open').length
    if (open >= mostTransactions) throw transient(112, `Too many open transactions: ${open}`)
    if (this.sessions.size < mostSessions) return
    for (const [id, { state }] of this.sessions) {
      if (state !== 'open') this.sessions.delete(id)
      if (this.sessions.size < mostSessions) return
    }
  }

  /** Returns whether a transaction was committed, also after a restart: clients retry a commit whose reply was lost. */
  private wasCommitted(command: Doc, number: bigint): boolean {
    const stored = this.store.get(sessionKey(command))
    const known = stored && readDoc(stored)
    return known?.get('number') === number && known.get('committed') === true
  }

  /** Stores the transaction's changes in the current write transaction, which other writes of the turn share. */
  private commit(session: Session, key: Buffer): Reply {
    if (session.state === 'committed') return ok()
    if (session.state === 'aborted') throw transient(251, `Transaction ${session.number} has been aborted.`)
    try {
      this.store.check(session.transaction)
      if (!this.catalog.canAdopt(session.catalog, session.transaction.written())) throw writeConflict()
    } catch (error) {
      this.end(session, 'aborted')
      throw error
    }
    this.store.apply(session.transaction)
    this.catalog.adopt(session.catalog)
    this.store.put(key, writeDoc(Doc.of({ number: session.number, at: new Date(), committed: true })))
    this.onStored.push(() => this.end(session, 'committed'))
    return ok()
  }

  private abort(command: Doc) {
    const session = this.sessions.get(sessionText(command))
    if (session) this.end(session, 'aborted')
  }

  /**
   * Ends a transaction whose client has disconnected, such as a killed process: its claims would cause write conflicts
   * until it expires. A client that continues it on another connection receives a transient error and repeats it.
   */
  private endIfAbandoned(session: Session): boolean {
    if (session.state !== 'open' || session.running || !session.client?.destroyed) return false
    this.end(session, 'aborted')
    return true
  }

  private end(session: Session, state: 'committed' | 'aborted') {
    if (session.state !== 'open') return
    session.state = state
    session.running?.stop(transient(251, `Transaction ${session.number} has been aborted.`))
    this.cursors.endTransaction(session.id)
    this.store.end(session.transaction)
  }

  private endSessions(command: Doc): Doc {
    const ids = command.get('endSessions')
    if (!Array.isArray(ids)) return fail(14, "BSON field 'endSessions' must be an array")
    for (const lsid of ids) {
      const id = sessionText(new Doc([['lsid', lsid]]))
      const session = this.sessions.get(id)
      if (session) this.end(session, 'aborted')
      this.sessions.delete(id)
      this.store.remove(Buffer.from(id, 'latin1'))
    }
    return ok()
  }

  /** Expires documents, aborts old transactions, and removes old cursors and sessions. Runs periodically. */
  private sweep() {
    const now = Date.now()
    this.cursors.sweep(now)
    for (const [id, session] of this.sessions) {
      if (session.state === 'open' && now - session.began > transactionMs) this.end(session, 'aborted')
      if (now - session.began > sessionMs) this.sessions.delete(id)
    }
    if (this.sweeping || !(this.hasExpired(now) || this.hasOldSessions(now))) return
    this.sweeping = true
    this.queue.push({
      command: new Doc(),
      writes: true,
      session: undefined,
      client: undefined,
      timer: new Timer(),
      work: this.expire(now),
      // A failed sweep (a full disk, for example) is rolled back. The next sweep retries it.
      resolve: () => {
        this.sweeping = false
      },
    })
    this.schedule()
  }

  private hasExpired(now: number): boolean {
    for (const { info, index } of this.expiringIndexes()) {
      const [found] = open(this.context(Doc.of({ $db: info.db })), info).indexRange(
        index,
        rangeUntil(index, now),
      )
      if (found !== undefined) return true
    }
    return false
  }

  private *expiringIndexes() {
    for (const info of this.catalog.list())
      for (const index of info.indexes) if (index.expireAfterSeconds !== undefined) yield { info, index }
  }

  private *expire(now: number): Work<Reply> {
    for (const { info, index } of this.expiringIndexes()) {
      for (let more = true; more; ) {
        more = false
        const there = this.catalog.get(info.db, info.name)
        if (there?.id !== info.id || !there.indexes.some(one => one.id === index.id)) break
        const collection = open(this.context(Doc.of({ $db: info.db })), there)
        for (const id of [...first(collection.indexRange(index, rangeUntil(index, now)), expiredAtOnce)]) {
          const bytes = collection.get(id)
          if (bytes) collection.remove(id, readDoc(bytes))
          more = true
        }
        if (due()) yield pause
      }
    }
    for (const key of this.oldSessions(now)) this.store.remove(key)
    return new Doc()
  }

  private hasOldSessions(now: number): boolean {
    if (now - this.sweptSessions <= sweepSessionsMs) return false
    this.sweptSessions = now
    return this.oldSessions(now).length > 0
  }

  private oldSessions(now: number): Buffer[] {
    const old: Buffer[] = []
    const at = new Set(['at'])
    for (const { key, value } of this.store.entries(
      Buffer.from([space.session]),
      Buffer.from([space.session + 1]),
    )) {
      const used = readDoc(value, 0, at).get('at')
      if (!(used instanceof Date) || now - used.getTime() > sessionMs) old.push(key)
    }
    return old
  }
}

/** Returns the range of expired dates in a TTL index. */
const rangeUntil = (index: IndexInfo, now: number): { from: Buffer; to: Buffer } => {
  const time = now - (index.expireAfterSeconds ?? 0) * 1000
  const direction = index.directions[0]!
  const [first, last] = classBounds(order.date, direction)
  const at = encodeBound(new Date(Math.max(time, -8.64e15)), direction)
  return direction > 0 ? { from: first, to: after(at) } : { from: at, to: last }
}

const expiredAtOnce = 100

function* first<T>(items: Iterable<T>, most: number): Iterable<T> {
  let left = most
  for (const item of items) {
    yield item
    if (--left === 0) return
  }
}

/** Returns the context of a read-only command. */
const reading = (context: Context, view: View): Context => ({
  ...context,
  kv: view,
  get catalog() {
    return view.catalog
  },
})

const nameOf = (command: Doc): string => command.keys().next().value ?? ''

const isTransactional = (command: Doc) => command.has('autocommit') || command.has('startTransaction')

const sessionText = (command: Doc): string => {
  const lsid = command.get('lsid')
  const id = lsid instanceof Doc ? lsid.get('id') : undefined
  if (!(id instanceof Binary) || id.bytes.length !== 16) return fail(72, "'lsid.id' must be a UUID")
  return String.fromCharCode(space.session) + id.bytes.toString('latin1')
}

const sessionKey = (command: Doc) => Buffer.from(sessionText(command), 'latin1')

const transient = (code: number, message: string) =>
  new MongoError(code, message, new Map(), ['TransientTransactionError'])

const internalError = (error: unknown) =>
  new MongoError(1, `internal error: ${error instanceof Error ? error.message : String(error)}`).toReply()

/** Returns the reply for an error. An error other than a `MongoError` becomes an InternalError. */
const asReply = (error: unknown): Reply =>
  error instanceof MongoError ? error.toReply() : internalError(error)

/** Returns the reply for a `MongoError`. Throws other errors, to roll back the write transaction. */
const onlyMongoErrors = (error: unknown): Reply => {
  if (error instanceof MongoError) return error.toReply()
  throw error
}
