import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Engine } from './engine.js'
import { checkData, lockFolder, noteClosed } from './storage/folder.js'
import { Store } from './storage/kv.js'
import { WireServer } from './wire/server.js'

/** Options of a server in this thread. */
export type StartOptions = { dataDir?: string | undefined; host: string; port: number; sweepMs: number }

export type Started = {
  port: number
  /** Resolves when the server has ended, also unexpectedly. */
  ended: Promise<void>
  stop(): Promise<void>
}

/** Starts the server in this thread. */
export const startHere = async ({ dataDir, host, port: wanted, sweepMs }: StartOptions): Promise<Started> => {
  const folder = dataDir ?? mkdtempSync(join(tmpdir(), 'embedded-mongo-'))
  const unlock = lockFolder(folder)
  const release = () => {
    unlock()
    if (dataDir === undefined) rmSync(folder, { recursive: true, force: true })
  }
  try {
    checkData(folder)
    const store = new Store(folder, dataDir !== undefined)
    let port = wanted
    const engine = new Engine(store, () => `${host}:${port}`, sweepMs)
    const server = new WireServer(engine)
    try {
      port = await server.listen(host, wanted)
    } catch (error) {
      await engine.close()
      throw error
    }
    let hasEnded = () => {}
    const ended = new Promise<void>(done => {
      hasEnded = done
    })
    return {
      port,
      ended,
      async stop() {
        await server.close()
        await engine.close()
        if (dataDir !== undefined) noteClosed(folder)
        release()
        hasEnded()
      },
    }
  } catch (error) {
    release()
    throw error
  }
}
