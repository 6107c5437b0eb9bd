import closeWithGrace from 'close-with-grace'
import { ConfigError } from './config.js'
import type { Part } from './service.js'

/** A fault ends the process at once: what it left behind is not to be served. A listener would keep a crashed process alive. */
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

/** More than the longest answer takes: somebody who waits for an extraction is to hear of it. */
const GRACE_MS = 90_000

/**
 * Runs one part as a process of its own: listens, and on SIGTERM or SIGINT drains, finishes what is under way and ends.
 * A wrong configuration lists every fault and ends with status 1.
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
