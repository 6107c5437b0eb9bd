import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from '../observe/logging.js'
import { type Connection, ignoreDuplicateKey } from './mongo.js'

/** A change of documents stored by an earlier version of a service (`docs/migrations.md`). */
export interface Migration {
  /**
   * The file's name, `NNNN-what-changes`, which the database records: neither the name nor the order may ever
   * change.
   */
  name: string
  /**
   * Changes the documents through the connection, not the models, which may change later. Must be idempotent:
   * after an interruption it restarts from its beginning, and replicas of the previous version serve requests
   * meanwhile.
   */
  up(mongo: Connection): Promise<unknown>
}

/** Lease of the lock: how long it outlives a killed process. */
const LEASE_MS = 15_000
const POLL_MS = 200

interface LockDoc {
  _id: 'migrations'
  holder: string | null
  /** By the database's clock, as the replicas' clocks may differ. */
  until: Date
}

/**
 * Runs `work` under a lock shared by all processes of the service, and waits for the lock. The lease is
 * renewed until `work` ends; the signal is aborted if the lease is lost, as when the process was suspended
 * for longer.
 */
const withLock = async (
  mongo: Connection,
  leaseMs: number,
  work: (lost: AbortSignal) => Promise<void>,
): Promise<void> => {
  const locks = mongo.collection<LockDoc>('locks')
  const _id = 'migrations'
  const holder = randomUUID()
  const lease = [{ $set: { holder, until: { $add: ['$$NOW', leaseMs] } } }]
  const released = { holder: null, until: new Date(0) }
  // Another process may insert it concurrently.
  await locks.updateOne({ _id }, { $setOnInsert: released }, { upsert: true }).catch(ignoreDuplicateKey)
  const isFree = { $expr: { $lt: ['$until', '$$NOW'] } }
  while ((await locks.updateOne({ _id, ...isFree }, lease)).matchedCount === 0) await sleep(POLL_MS)
  const lost = new AbortController()
  const renewal = setInterval(() => {
    locks.updateOne({ _id, holder }, lease).then(
      ({ matchedCount }) => matchedCount === 0 && lost.abort(new Error('lost the lock on the migrations')),
      // While the database is down no other process can take the lock.
      () => {},
    )
  }, leaseMs / 5)
  try {
    await work(lost.signal)
  } finally {
    clearInterval(renewal)
    // If this fails, the lease expires.
    await locks.updateOne({ _id, holder }, { $set: released }).catch(() => {})
  }
}

/**
 * Runs pending migrations in order, one process at a time. Each completed one is recorded in the collection
 * `migrations`.
 * @throws Error if the database has a migration that is not in the list: a later version has changed it
 */
export const migrate = async (
  mongo: Connection,
  migrations: readonly Migration[],
  log: Logger,
  leaseMs = LEASE_MS,
): Promise<void> => {
  const collection = mongo.collection<{ migrationName: string }>('migrations')
  const isDue = async (): Promise<boolean> => {
    const had = new Set((await collection.find().toArray()).map(({ migrationName }) => migrationName))
    const unknown = [...had].filter(name => !migrations.some(migration => migration.name === name))
    if (unknown.length > 0)
      throw new Error(
        `The database ${mongo.name} is newer than this version, which does not know its migration ${unknown.join(', ')}: ` +
          'start the version that ran it or a later one, or restore an earlier backup.',
      )
    return migrations.some(({ name }) => !had.has(name))
  }
  if (!(await isDue())) return
  await withLock(mongo, leaseMs, async lost => {
    if (!(await isDue())) return
    // Imported lazily: its command-line module, unused here, takes 0.26 s and 17 MB.
    const { MongoDBStorage, Umzug } = await import('umzug')
    const umzug = new Umzug({
      migrations: migrations.map(({ name, up }) => ({ name, up: () => up(mongo) })),
      storage: new MongoDBStorage({ collection }),
      logger: undefined,
    })
    umzug.on('migrating', () => lost.throwIfAborted())
    umzug.on('migrated', ({ name }) => log.info({ migration: name }, 'migrated'))
    await umzug.up()
  })
}
