import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from '../observe/logging.js'
import { type Connection, isDuplicateKey } from './mongo.js'

/** A change of the documents that an earlier version of a service stored. `docs/migrations.md` says how to add one. */
export interface Migration {
  /** The file's name, `NNNN-what-changes`. The database records it: neither the name nor the order ever changes. */
  name: string
  /**
   * Changes the documents, by the connection and not by the models, which may change later. Interrupted, it runs again from
   * its beginning; replicas of the version before serve requests meanwhile.
   */
  up(mongo: Connection): Promise<unknown>
}

/** How long the lock outlives a process that was killed while it held it. */
const LEASE_MS = 15_000
const POLL_MS = 200

interface LockDoc {
  _id: 'migrations'
  holder: string | null
  /** On the database's clock, as those of the replicas may differ. */
  until: Date
}

/**
 * Runs `work` while no other process of the service does, and waits for one that does. The lock is renewed until `work`
 * ends; the signal is aborted when it was lost all the same, as by a process that was stopped for longer than the lease.
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
  await locks.updateOne({ _id }, { $setOnInsert: released }, { upsert: true }).catch(error => {
    // Another process has inserted it at the same time.
    if (!isDuplicateKey(error)) throw error
  })
  const isFree = { $expr: { $lt: ['$until', '$$NOW'] } }
  while ((await locks.updateOne({ _id, ...isFree }, lease)).matchedCount === 0) await sleep(POLL_MS)
  const lost = new AbortController()
  const renewal = setInterval(() => {
    locks.updateOne({ _id, holder }, lease).then(
      ({ matchedCount }) => matchedCount === 0 && lost.abort(new Error('lost the lock on the migrations')),
      // While the database is away nobody else can take the lock.
      () => {},
    )
  }, leaseMs / 5)
  try {
    await work(lost.signal)
  } finally {
    clearInterval(renewal)
    // Where this fails the lock expires.
    await locks.updateOne({ _id, holder }, { $set: released }).catch(() => {})
  }
}

/**
 * Runs what of the migrations the database has not had, in their order, one process at a time. Each is recorded in the
 * collection `migrations` once it is through.
 * @throws Error where the database has had one that is not in the list: a later version has changed it
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
          'start the version that ran it or a later one, or restore a backup from before.',
      )
    return migrations.some(({ name }) => !had.has(name))
  }
  if (!(await isDue())) return
  await withLock(mongo, leaseMs, async lost => {
    if (!(await isDue())) return
    // Loaded only here: its command line takes 0.26 s and 17 MB, though nobody calls it.
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
