import mongoose, { type ClientSession, type Connection } from 'mongoose'

export type { Connection }

/** How long a database that is just starting, or busy, is waited for at first. */
const FIRST_CONNECTION_MS = 15_000

/**
 * A connection to the service's own database. Queries on a dead server fail within 2 s instead of waiting in a buffer;
 * writes are acknowledged by the majority and journaled.
 */
export const connectMongo = async (uri: string, dbName: string): Promise<Connection> => {
  mongoose.set('strictQuery', 'throw')
  for (const deadline = Date.now() + FIRST_CONNECTION_MS; ; ) {
    try {
      return await connectOnce(uri, dbName)
    } catch (error) {
      // A refusal, such as a wrong password, stays one.
      if (!(error instanceof mongoose.Error.MongooseServerSelectionError) || Date.now() > deadline)
        throw error
    }
  }
}

const connectOnce = async (uri: string, dbName: string): Promise<Connection> => {
  const connection = mongoose.createConnection(uri, {
    dbName,
    bufferCommands: false,
    autoIndex: false,
    autoCreate: false,
    serverSelectionTimeoutMS: 2_000,
    connectTimeoutMS: 5_000,
    maxPoolSize: 20,
    w: 'majority',
    journal: true,
    ignoreUndefined: true,
  })
  // Without a listener a lost server would end the process; queries report it themselves.
  connection.on('error', () => {})
  await connection.asPromise().catch(async error => {
    await connection.close()
    throw error
  })
  return connection
}

/** True when the error is MongoDB's duplicate key (11000). */
export const isDuplicateKey = (error: unknown): boolean => (error as { code?: unknown })?.code === 11_000

/** How often a transaction that met a duplicate key is run, where that may be another one's doing. */
const DUPLICATES_MAX = 10

/**
 * Runs `work` all or nothing, and again after a write conflict.
 * @param retriesDuplicates also after a duplicate key: two transactions that insert the same key at once may meet as one, and
 *   the second then finds what the first has written
 */
export const inTransaction = async <T>(
  mongo: Connection,
  work: (session: ClientSession) => Promise<T>,
  { retriesDuplicates = false } = {},
): Promise<T> => {
  for (let run = 1; ; run++) {
    try {
      return (await mongo.transaction(work)) as T
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
