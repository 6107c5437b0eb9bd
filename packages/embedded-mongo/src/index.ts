import { fork } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { Worker } from 'node:worker_threads'
import { replicaSet } from './commands/admin.js'
import type { Report } from './isolated.js'
import { type Started, type StartOptions, startHere } from './start.js'

export { backupData } from './backup.js'
export { DataFolderError } from './storage/folder.js'

export type EmbeddedMongoOptions = {
  /** The data folder. Default: a temporary folder that is removed on stop and not flushed to disk. */
  dataDir?: string
  host?: '127.0.0.1'
  /** Default: 0, any free port. */
  port?: number
  /** Thread or process of the engine. Default: this thread. An isolated engine does not block this thread. */
  isolate?: 'none' | 'thread' | 'process'
  /** The interval of the sweep for expired documents, in milliseconds. Default: 10,000. */
  sweepMs?: number
}

export type EmbeddedMongo = {
  /** A connection string without a database. */
  uri: string
  /** Returns a connection string for one database. */
  uriFor(db: string): string
  port: number
  /** Resolves when the server has ended, also unexpectedly: an isolated server may be killed. */
  ended: Promise<void>
  stop(): Promise<void>
}

/**
 * Starts a MongoDB-compatible server on loopback. The unmodified `mongodb` driver connects to its `uri`. Rejects if the
 * folder is in use, damaged, or contains another program's data.
 */
export const startEmbeddedMongo = async (options: EmbeddedMongoOptions = {}): Promise<EmbeddedMongo> => {
  const host = options.host ?? '127.0.0.1'
  const settings: StartOptions = {
    dataDir: options.dataDir,
    host,
    port: options.port ?? 0,
    sweepMs: options.sweepMs ?? 10_000,
  }
  const start = { none: startHere, thread: startThread, process: startProcess }[options.isolate ?? 'none']
  const { port, ended, stop } = await start(settings)
  const uriFor = (db: string) => `mongodb://${host}:${port}/${db}?replicaSet=${replicaSet}`
  let stopping: Promise<void> | undefined
  return {
    uri: uriFor(''),
    uriFor,
    port,
    ended,
    stop() {
      stopping ??= stop()
      return stopping
    },
  }
}

/** Returns the compiled entry file of an isolated server: threads and processes cannot run TypeScript. */
const entry = (): string => {
  const path = fileURLToPath(
    new URL(import.meta.url.endsWith('.ts') ? '../dist/isolated.js' : './isolated.js', import.meta.url),
  )
  if (!existsSync(path))
    throw new Error('Build packages/embedded-mongo first: an isolated server runs its compiled code.')
  return path
}

const startThread = (settings: StartOptions): Promise<Started> => {
  const worker = new Worker(entry(), { workerData: settings, execArgv: [] })
  return attach(worker, () => worker.postMessage('stop'))
}

const startProcess = (settings: StartOptions): Promise<Started> => {
  const child = fork(entry(), [], { execArgv: [], stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
  child.send(settings)
  return attach(child, () => child.connected && child.send('stop'))
}

type Isolated = {
  on(event: 'message', listener: (message: Report) => void): unknown
  once(event: 'exit', listener: () => void): unknown
  once(event: 'error', listener: (error: Error) => void): unknown
}

/** Waits until an isolated server listens. Its `stop` waits until the server has ended. */
const attach = (other: Isolated, askToStop: () => void): Promise<Started> =>
  new Promise((resolve, reject) => {
    const ended = new Promise<void>(done => other.once('exit', done))
    other.once('error', reject)
    ended.then(() => reject(new Error('The embedded database ended before it was ready.')))
    other.on('message', message => {
      if ('error' in message) {
        askToStop()
        reject(new Error(message.error))
      } else if ('port' in message) {
        resolve({
          port: message.port,
          ended,
          stop() {
            askToStop()
            return ended
          },
        })
      }
    })
  })
