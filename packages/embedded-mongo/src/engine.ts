import { readDoc } from './bson/read.js'
import { Binary, Doc, Double, order, type RawDoc } from './bson/values.js'
import { writeDoc } from './bson/write.js'
import { ClusterClock } from './clock.js'
import { adminCommands } from './commands/admin.js'
import { checkConcerns, writeConcernError } from './commands/concerns.js'
import { type Command, type Context, checkApi, ok, open } from './commands/context.js'
import { Cursors } from './commands/cursors.js'
import { readCommands } from './commands/find.js'
import { writeCommands } from './commands/write.js'
import { fail, MongoError, writeConflict } from './errors.js'
import { after, classBounds, encodeBound } from './indexes/key.js'
import { Catalog, type IndexInfo, space } from './storage/catalog.js'
import type { Collection, RecordNumbers } from './storage/collection.js'
import type { Store, Transaction } from './storage/kv.js'

type Reply = Doc | RawDoc
type Pending = { command: Doc; resolve(reply: Reply): void }

type Session = {
  number: bigint
  state: 'open' | 'committed' | 'aborted'
  transaction: Transaction
  catalog: Catalog
  id: string
  began: number
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

/** Most commands that share one write transaction, and so one wait for the disk. */
const batchSize = 200
const transactionMs = 60_000
/** Each open transaction takes one of the store's 126 places for readers. */
const mostTransactions = 100
const mostSessions = 10_000
const sessionMs = 30 * 60_000

/**
 * Runs commands against a store. Handlers are synchronous; all that arrive together run inside one write
 * transaction, and none is answered before it is on disk.
 */
export class Engine {
  private readonly store: Store
  private readonly clock: ClusterClock
  private catalog: Catalog
  private readonly numbers: RecordNumbers = new Map()
  private readonly cursors = new Cursors()
  private readonly sessions = new Map<string, Session>()
  private readonly address: () => string
  private queue: Pending[] = []
  private scheduled = false
  private readonly timer: NodeJS.Timeout
  private sweptSessions = Date.now()

  constructor(store: Store, address: () => string, sweepMs: number) {
    this.store = store
    this.clock = new ClusterClock(store)
    this.address = address
    this.catalog = Catalog.load(store)
    this.timer = setInterval(() => {
      try {
        this.sweep()
      } catch {
        // A full disk, say: nothing was kept, and the next round tries again.
        this.catalog = Catalog.load(store)
      }
    }, sweepMs)
    this.timer.unref()
  }

  /** Runs a command and answers its reply; errors are replies too. */
  submit(command: Doc): Promise<Reply> {
    return new Promise(done => {
      const resolve = (reply: Reply) => done(this.completed(command, reply))
      try {
        this.clock.hear(command)
      } catch (error) {
        resolve((error as MongoError).toReply())
        return
      }
      this.queue.push({ command, resolve })
      if (this.scheduled) return
      this.scheduled = true
      setImmediate(() => this.drain())
    })
  }

  /** A reply with what every reply of a replica set has: its times, and whether the write concern was met. */
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
    this.drain()
    for (const session of this.sessions.values()) this.end(session, 'aborted')
    await this.store.close()
  }

  private drain() {
    this.scheduled = false
    const batch = this.queue.splice(0, batchSize)
    if (this.queue.length > 0) {
      this.scheduled = true
      setImmediate(() => this.drain())
    }
    let together: Pending[] = []
    for (const pending of batch) {
      if (!isTransactional(pending.command)) {
        together.push(pending)
        continue
      }
      this.runTogether(together)
      together = []
      pending.resolve(this.guarded(() => this.runInTransaction(pending.command)))
    }
    this.runTogether(together)
  }

  private runTogether(batch: readonly Pending[]) {
    if (batch.length === 0) return
    if (
      !batch.some(({ command }) => commands.get(nameOf(command))?.writes || nameOf(command) === 'endSessions')
    ) {
      for (const { command, resolve } of batch) resolve(this.guarded(() => this.run(command)))
      return
    }
    let replies: Reply[]
    try {
      replies = this.store.write(() => {
        const made = batch.map(({ command }) => this.run(command))
        this.clock.keep(this.store)
        return made
      })
    } catch (error) {
      // Nothing of the batch was kept. Run it one by one, so that only the command at fault fails.
      this.catalog = Catalog.load(this.store)
      if (batch.length > 1) for (const one of batch) this.runTogether([one])
      else batch[0]!.resolve(internalError(error))
      return
    }
    for (const [i, { resolve }] of batch.entries()) resolve(replies[i]!)
  }

  /** An error becomes a reply; one that is not MongoDB's is the server's own fault and says so. */
  private guarded(run: () => Reply): Reply {
    try {
      return run()
    } catch (error) {
      return error instanceof MongoError ? error.toReply() : internalError(error)
    }
  }

  /** Runs a command outside of transactions. Only MongoDB's own errors become replies here. */
  private run(command: Doc): Reply {
    try {
      const name = nameOf(command)
      if (name === 'endSessions') return this.endSessions(command)
      const handler = commands.get(name) ?? fail(59, `no such command: '${name}'`)
      checkApi(command)
      checkConcerns(command, this.clock, { name, writes: handler.writes, transaction: false, starts: false })
      const context = this.context(command)
      const number = command.get('txnNumber')
      if (!handler.writes || typeof number !== 'bigint') return handler.run(command, context)
      return this.once(command, number, () => handler.run(command, context))
    } catch (error) {
      if (error instanceof MongoError) return error.toReply()
      throw error
    }
  }

  private context(command: Doc): Context {
    const db = command.get('$db')
    if (typeof db !== 'string') return fail(40414, "BSON field '$db' is missing but a required field")
    if (!/^[^/\\. "$*<>:|?\0]{1,63}$/.test(db)) fail(73, `Invalid database name: '${db}'`)
    return {
      db,
      kv: this.store,
      catalog: this.catalog,
      numbers: this.numbers,
      cursors: this.cursors,
      transaction: undefined,
      address: this.address(),
      clock: this.clock,
    }
  }

  /** A retryable write: a number seen before gets the reply it got then, even after a restart. */
  private once(command: Doc, number: bigint, run: () => Doc): Reply {
    const key = sessionKey(command)
    const stored = this.store.get(key)
    const known = stored && readDoc(stored, 0, new Set(['number']))
    if (known) {
      const last = known.get('number') as bigint
      if (number < last)
        fail(
          225,
          `Retryable write with txnNumber ${number} is prohibited on session because a newer retryable write with txnNumber ${last} has already started on this session.`,
        )
      const reply = number === last ? readDoc(stored).get('reply') : undefined
      if (reply instanceof Doc) return reply
    }
    const reply = run()
    this.store.put(key, writeDoc(Doc.of({ number, at: new Date(), reply })))
    return reply
  }

  private runInTransaction(command: Doc): Reply {
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
      this.makeRoom()
      const transaction = this.store.begin()
      session = {
        number,
        state: 'open',
        transaction,
        catalog: this.catalog.fork(transaction),
        id: `${id}:${number}`,
        began: Date.now(),
      }
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
      const reply = commands.get(name)!.run(command, context)
      if (reply.has('writeErrors')) this.end(session, 'aborted')
      return reply
    } catch (error) {
      this.end(session, 'aborted')
      throw error
    }
  }

  /** Keeps the number of transactions that are open, and of sessions that are remembered, within bounds. */
  private makeRoom() {
    const open = [...this.sessions.values()].filter(({ state }) => state === 'open').length
    if (open >= mostTransactions) throw transient(112, `Too many open transactions: ${open}`)
    if (this.sessions.size < mostSessions) return
    for (const [id, { state }] of this.sessions) {
      if (state !== 'open') this.sessions.delete(id)
      if (this.sessions.size < mostSessions) return
    }
  }

  /** A commit whose answer was lost is answered again, even after a restart: otherwise all would be done twice. */
  private wasCommitted(command: Doc, number: bigint): boolean {
    const stored = this.store.get(sessionKey(command))
    const known = stored && readDoc(stored)
    return known?.get('number') === number && known.get('committed') === true
  }

  private commit(session: Session, key: Buffer): Reply {
    if (session.state === 'committed') return ok()
    if (session.state === 'aborted') throw transient(251, `Transaction ${session.number} has been aborted.`)
    try {
      this.store.write(() => {
        this.store.check(session.transaction)
        if (!this.catalog.canAdopt(session.catalog, session.transaction.written())) throw writeConflict()
        this.store.apply(session.transaction)
        this.catalog.adopt(session.catalog)
        this.store.put(key, writeDoc(Doc.of({ number: session.number, at: new Date(), committed: true })))
        this.clock.keep(this.store)
      })
    } catch (error) {
      this.end(session, 'aborted')
      if (!(error instanceof MongoError)) this.catalog = Catalog.load(this.store)
      throw error
    }
    this.end(session, 'committed')
    return ok()
  }

  private end(session: Session, state: 'committed' | 'aborted') {
    if (session.state !== 'open') return
    session.state = state
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

  /** What a server does on its own: expires documents, ends old transactions, forgets old cursors and sessions. */
  private sweep() {
    const now = Date.now()
    this.cursors.sweep(now)
    for (const [id, session] of this.sessions) {
      if (session.state === 'open' && now - session.began > transactionMs) this.end(session, 'aborted')
      if (now - session.began > sessionMs) this.sessions.delete(id)
    }
    const expired = this.expired(now)
    const sessions = now - this.sweptSessions > 60_000 ? this.oldSessions(now) : []
    if (expired.length === 0 && sessions.length === 0) return
    this.store.write(() => {
      for (const { collection, ids } of expired)
        for (const id of ids) {
          const bytes = collection.get(id)
          if (bytes) collection.remove(id, readDoc(bytes))
        }
      for (const key of sessions) this.store.remove(key)
    })
  }

  private expired(now: number): { collection: Collection; ids: Set<number> }[] {
    const found: { collection: Collection; ids: Set<number> }[] = []
    for (const info of this.catalog.list()) {
      for (const index of info.indexes) {
        if (index.expireAfterSeconds === undefined) continue
        const collection = open(this.context(Doc.of({ $db: info.db })), info)
        const range = datesUntil(index, now - index.expireAfterSeconds * 1000)
        const ids = new Set<number>()
        for (const id of collection.indexRange(index, range)) {
          ids.add(id)
          if (ids.size >= 10_000) break
        }
        if (ids.size > 0) found.push({ collection, ids })
      }
    }
    return found
  }

  private oldSessions(now: number): Buffer[] {
    this.sweptSessions = now
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

/** The range of an index that holds dates up to and including a time. */
const datesUntil = (index: IndexInfo, time: number): { from: Buffer; to: Buffer } => {
  const direction = index.directions[0]!
  const [first, last] = classBounds(order.date, direction)
  const at = encodeBound(new Date(Math.max(time, -8.64e15)), direction)
  return direction > 0 ? { from: first, to: after(at) } : { from: at, to: last }
}

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
