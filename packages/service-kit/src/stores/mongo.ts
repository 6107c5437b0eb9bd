import mongoose, { type ClientSession, type Connection } from 'mongoose'

export type { Connection }

/** Each attempt to connect, and each query on a dead server, ends after this time. */
const SELECTION_MS = 2_000
/** Interval at which the connection pool removes connections that are too old. */
const POOL_CHECK_MS = 10_000
/**
 * Maximum attempts of the first connection while the database starts or is busy. A number, not a time: a process that
 * is blocked for seconds at start makes no attempt meanwhile.
 */
const FIRST_ATTEMPTS = 30

/**
 * Connects to the service's own database. Queries on a dead server fail within 2 s instead of being buffered;
 * writes are acknowledged by the majority and journaled.
 * @param maxPoolSize concurrent operations
 */
export const connectMongo = async (uri: string, dbName: string, maxPoolSize = 20): Promise<Connection> => {
  mongoose.set('strictQuery', 'throw')
  for (let attempts = 1; ; attempts++) {
    try {
      return await connectOnce(uri, dbName, maxPoolSize)
    } catch (error) {
      // A permanent error, such as a wrong password, is not retried.
      if (!(error instanceof mongoose.mongo.MongoServerSelectionError) || attempts >= FIRST_ATTEMPTS)
        throw error
    }
  }
}

const connectOnce = async (uri: string, dbName: string, maxPoolSize: number): Promise<Connection> => {
  const client = new mongoose.mongo.MongoClient(uri, {
    serverSelectionTimeoutMS: SELECTION_MS,
    connectTimeoutMS: 5_000,
    maxPoolSize,
    w: 'majority',
    journal: true,
    ignoreUndefined: true,
  })
  // The constructor refuses both. The default of the interval wakes an idle process ten times a second.
  Object.assign(client.options, { dbName, minPoolSizeCheckFrequencyMS: POOL_CHECK_MS })
  await client.connect().catch(async error => {
    await client.close()
    throw error
  })
  const connection = mongoose.createConnection()
  for (const option of ['bufferCommands', 'autoIndex', 'autoCreate']) connection.set(option, false)
  // An unhandled `error` event would end the process; queries report a lost server themselves.
  connection.on('error', () => {})
  return connection.setClient(client)
}

/** Returns true if the error is MongoDB's duplicate key (11000). */
export const isDuplicateKey = (error: unknown): boolean => (error as { code?: unknown })?.code === 11_000

/** For `catch`: rethrows every error except a duplicate key, for inserts of documents that may exist. */
export const ignoreDuplicateKey = (error: unknown): void => {
  if (!isDuplicateKey(error)) throw error
}

/** Attempts of a transaction that hits a duplicate key, when a concurrent insert may be the cause. */
const DUPLICATES_MAX = 10

/** Callbacks of sessions, called after the commit. */
const committed = new WeakMap<ClientSession, Set<() => void>>()

/** Calls `run` after `inTransaction` has committed this session. `run` must be idempotent: each attempt of the transaction may add it. */
export const onCommit = (session: ClientSession, run: () => void): void => {
  const runs = committed.get(session) ?? new Set()
  committed.set(session, runs.add(run))
}

/**
 * Runs `work` in a transaction, with retries after write conflicts.
 * @param retriesDuplicates retries also after a duplicate key: when two transactions insert the same key
 *   concurrently, one may fail, and its retry finds the other's document
 */
export const inTransaction = async <T>(
  mongo: Connection,
  work: (session: ClientSession) => Promise<T>,
  { retriesDuplicates = false } = {},
): Promise<T> => {
  for (let run = 1; ; run++) {
    try {
      let used: ClientSession | undefined
      const result = await mongo.transaction(session => {
        used = session
        return work(session)
      })
      for (const then of (used && committed.get(used)) ?? []) then()
      return result as T
    } catch (error) {
      if (!retriesDuplicates || !isDuplicateKey(error) || run === DUPLICATES_MAX) throw error
    }
  }
}

/** Creates the collections and indexes of all models registered on the connection. */
export const prepareModels = async (connection: Connection): Promise<void> => {
  for (const model of Object.values(connection.models)) {
    await model.createCollection()
    await model.createIndexes()
  }
}
