import { EJSON } from 'bson'
import { type Document, MongoClient } from 'mongodb'
import { afterAll, beforeAll } from 'vitest'
import { type EmbeddedMongo, startEmbeddedMongo } from '../src/index.js'

/** Starts a server for the tests of a file. Returns helper functions. */
export const useServer = () => {
  let server: EmbeddedMongo
  let client: MongoClient
  let made = 0
  beforeAll(async () => {
    server = await startEmbeddedMongo()
    client = await new MongoClient(server.uri).connect()
  })
  afterAll(async () => {
    await client.close()
    await server.stop()
  })
  const run = (command: Document, db = 'semantics') =>
    client.db(db).command(command, { promoteValues: false, ignoreUndefined: true })
  return {
    run,
    /** Creates a collection with these documents and returns its name. */
    async holding(docs: Document[]): Promise<string> {
      const name = `c${++made}`
      if (docs.length > 0) await run({ insert: name, documents: docs })
      else await run({ create: name })
      return name
    },
    find: async (name: string, options: Document = {}): Promise<Document[]> =>
      (await run({ find: name, ...options, batchSize: 10_000 })).cursor.firstBatch,
    aggregate: async (name: string, pipeline: Document[]): Promise<Document[]> =>
      (await run({ aggregate: name, pipeline, cursor: { batchSize: 10_000 } })).cursor.firstBatch,
    /** Returns the error reply of a command, or its write error. */
    async failure(command: Document, db?: string): Promise<Document> {
      try {
        const reply = await run(command, db)
        const error = reply.writeErrors?.[0] ?? { code: 0 }
        return { ...error, code: plain(error.code) }
      } catch (error) {
        const { code, message, errorLabels } = error as Document
        return { code: plain(code), message, errorLabels }
      }
    },
    client: () => client,
    uri: () => server.uri,
    port: () => server.port,
  }
}

/** Returns a value as canonical extended JSON, which preserves types and the order of keys. */
export const exact = (value: unknown): string => EJSON.stringify(value, { relaxed: false })

/** Converts a number of any type to a JS number. */
export const plain = (value: unknown): number => Number(String(value))

/** Returns a branch of `$switch`. */
export const branch = (when: unknown, value: unknown): Document =>
  Object.fromEntries([
    ['case', when],
    ['then', value],
  ])
