import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { replicaSet } from './commands/admin.js'
import { Engine } from './engine.js'
import { Store } from './storage/kv.js'
import { WireServer } from './wire/server.js'

export type EmbeddedMongoOptions = {
  /** Where the data is kept. Absent: a temporary folder, removed on stop. */
  dataDir?: string
  host?: '127.0.0.1'
  /** 0 or absent: any free port. */
  port?: number
  /** Where the engine runs: in this thread, or where a long query cannot hold this one up. */
  isolate?: 'none' | 'thread' | 'process'
}

export type EmbeddedMongo = {
  /** A connection string without a database. */
  uri: string
  /** A connection string for one database. */
  uriFor(db: string): string
  port: number
  stop(): Promise<void>
}

/** Starts a MongoDB-compatible server for this machine alone. The unchanged `mongodb` driver connects to its `uri`. */
export const startEmbeddedMongo = async (options: EmbeddedMongoOptions = {}): Promise<EmbeddedMongo> => {
  const host = options.host ?? '127.0.0.1'
  const folder = options.dataDir ?? mkdtempSync(join(tmpdir(), 'embedded-mongo-'))
  if (options.dataDir !== undefined) mkdirSync(folder, { recursive: true })
  let port = 0
  const store = new Store(folder, options.dataDir !== undefined)
  const engine = new Engine(store, () => `${host}:${port}`, 1000)
  const server = new WireServer(engine)
  port = await server.listen(host, options.port ?? 0)
  const uriFor = (db: string) => `mongodb://${host}:${port}/${db}?replicaSet=${replicaSet}`
  return {
    uri: uriFor(''),
    uriFor,
    port,
    async stop() {
      await server.close()
      await engine.close()
      if (options.dataDir === undefined) rmSync(folder, { recursive: true, force: true })
    },
  }
}
