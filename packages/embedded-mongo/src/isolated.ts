import { parentPort, workerData } from 'node:worker_threads'
import { type StartOptions, startHere } from './start.js'

/** A message of an isolated server to the thread that started it. */
export type Report = { port: number } | { error: string } | { stopped: true }

/** Runs the server in a worker thread or child process. */
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
        // Exit when the parent has ended. Acknowledged writes are on disk.
        process.once('disconnect', () => stop().finally(() => process.exit(0)))
      },
    )
  })
  // Ignore signals to the process group: the parent handles them and stops this process.
  process.on('SIGINT', () => {}).on('SIGTERM', () => {})
}
