import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { startEmbeddedMongo } from '@iodine/embedded-mongo'
import { endLeftover, freePorts, keepProcess, onPath, startSupervised } from '@iodine/local-servers'
import { MongoClient } from 'mongodb'

export interface Database {
  kind: 'mongod' | 'embedded'
  uri: string
  /** Resolves when the server has exited, for any reason. */
  ended: Promise<void>
  stop(): Promise<void>
}

/**
 * Starts a MongoDB on the folder: the `mongod` on PATH, else the embedded engine in a separate process. A folder with data
 * of the embedded engine keeps using it, since mongod can't read that data. Listens at the address of `before` if given,
 * else on a free port.
 */
export const startMongo = async (folder: string, before?: Database): Promise<Database> => {
  const port = before ? Number(new URL(before.uri).port) : (await freePorts(1))[0]!
  const embedded = join(folder, 'embedded-mongo')
  const mongod = existsSync(embedded) ? undefined : onPath('mongod')
  if (mongod) return startMongod(mongod, resolve(folder, 'mongod'), port)
  // The engine of a killed run may still be closing its files. This process holds the lock of DATA_DIR, so the engine
  // exits
  // soon.
  for (const deadline = Date.now() + 5_000; ; await sleep(100)) {
    try {
      const { uri, ended, stop } = await startEmbeddedMongo({ dataDir: embedded, port, isolate: 'process' })
      return { kind: 'embedded', uri, ended, stop }
    } catch (error) {
      if (Date.now() > deadline) throw error
    }
  }
}

/** Starts a mongod as a replica set of one member, as in production. */
const startMongod = async (program: string, dir: string, port: number): Promise<Database> => {
  mkdirSync(dir, { recursive: true, mode: 0o700 })
  await endLeftover(dir)
  const log = join(dir, 'mongod.log')
  const pidFile = join(dir, 'mongod.pid')
  const options = {
    dbpath: dir,
    bind_ip: '127.0.0.1',
    port,
    replSet: 'iodine',
    logpath: log,
    pidfilepath: pidFile,
  }
  const args = Object.entries(options).flatMap(([name, value]) => [`--${name}`, String(value)])
  const { ended, stop } = startSupervised(program, [...args, '--logappend'])
  const uri = `mongodb://127.0.0.1:${port}/?directConnection=true`
  const client = new MongoClient(uri, { serverSelectionTimeoutMS: 60_000 })
  try {
    const failed = ended.then(() => {
      throw new Error(`mongod did not start: see ${log}`)
    })
    await Promise.race([becomePrimary(client, `127.0.0.1:${port}`), failed])
    keepProcess(dir, Number(readFileSync(pidFile, 'utf8')))
    return { kind: 'mongod', uri: `${uri}&replicaSet=iodine`, ended, stop }
  } catch (error) {
    await stop()
    throw error
  } finally {
    await client.close()
  }
}

/** Configures the server as a replica set of one at its current address (the port changes with each start). */
const becomePrimary = async (client: MongoClient, host: string): Promise<void> => {
  const admin = client.db('admin')
  const members = [{ _id: 0, host }]
  try {
    await admin.command({ replSetInitiate: { _id: 'iodine', members } })
  } catch (error) {
    const alreadyInitialized = 23
    if ((error as { code?: number }).code !== alreadyInitialized) throw error
    const { config } = await admin.command({ replSetGetConfig: 1 })
    await admin.command({ replSetReconfig: { ...config, members, version: config.version + 1 }, force: true })
  }
  while (!(await admin.command({ hello: 1 })).isWritablePrimary) await sleep(50)
}
