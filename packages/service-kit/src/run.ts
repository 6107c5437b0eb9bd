import closeWithGrace from 'close-with-grace'
import { ConfigError } from './config.js'
import type { Part } from './service.js'

/**
 * Faults that end the process at once, as its state is unreliable. A listener would keep a crashed process
 * alive.
 */
const FAULTS: closeWithGrace.AllEvents[] = [
  'uncaughtException',
  'unhandledRejection',
  'SIGABRT',
  'SIGBUS',
  'SIGFPE',
  'SIGILL',
  'SIGSEGV',
  'SIGTRAP',
]

/** Longer than the longest answer: clients that wait for an extraction still receive it. */
const GRACE_MS = 90_000

/**
 * Runs one part as its own process: listens, and on SIGTERM or SIGINT drains, finishes active work and exits.
 * An invalid configuration lists every fault and exits with status 1.
 */
export const runPart = async (
  create: () => Promise<Pick<Part, 'listen' | 'drain' | 'close'>>,
): Promise<void> => {
  let part: Awaited<ReturnType<typeof create>>
  try {
    part = await create()
    await part.listen()
  } catch (error) {
    process.stderr.write(
      `${error instanceof ConfigError ? error.message : String((error as Error)?.stack ?? error)}\n`,
    )
    process.exitCode = 1
    // Connections opened before the fault would keep the process alive.
    setTimeout(() => process.exit(1), 1_000).unref()
    return
  }
  closeWithGrace({ delay: GRACE_MS, skip: FAULTS }, async () => {
    await part.drain()
    await part.close()
  })
}
