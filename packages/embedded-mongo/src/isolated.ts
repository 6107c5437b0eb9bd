import { parentPort, workerData } from 'node:worker_threads'
import { type StartOptions, startHere } from './start.js'

/** What an isolated server tells the thread that started it. */
export type Report = { port: number } | { error: string } | { stopped: true }

/** The other end of a server that runs in a worker thread or a process of its own. */
const run = async (
  options: StartOptions,
  report: (message: Report) => void,
  onStop: (stop: () => Promise<void>) => void,
) => {
  try {
    const server = await startHere(options)
    onStop(async () => {
      await server.stop()
      report({ stopped: true })
    })
    report({ port: server.port })
  } catch (error) {
    report({ error: error instanceof Error ? error.message : String(error) })
    onStop(async () => {})
  }
}

if (parentPort) {
  const port = parentPort
  run(
    workerData as StartOptions,
    message => port.postMessage(message),
    stop => port.once('message', () => stop().then(() => port.close())),
  )
} else if (process.send) {
  process.once('message', options => {
    run(
      options as StartOptions,
      message => process.connected && process.send?.(message),
      stop => {
        process.once('message', () => stop().then(() => process.exit(0)))
        // The parent is gone: what was acknowledged is on disk, so nothing is left to wait for.
        process.once('disconnect', () => stop().finally(() => process.exit(0)))
      },
    )
  })
  // A signal to the whole group is the parent's to handle: it stops this process when it is done with it.
  process.on('SIGINT', () => {}).on('SIGTERM', () => {})
}
