import { setTimeout as sleep } from 'node:timers/promises'
import type { ProcessName } from './names.js'
import { type RunningProcess, START_MS } from './start-process.js'

const RESTART_PAUSE_MS = 300

/** A process that exited unexpectedly and was restarted. */
export interface Crash {
  name: ProcessName
  code: number | null
  output: string
}

const withRetries = async <T>(start: () => Promise<T>, isStopping: () => boolean): Promise<T> => {
  for (const deadline = Date.now() + START_MS; ; )
    try {
      return await start()
    } catch (error) {
      if (Date.now() > deadline || isStopping()) throw error
      await sleep(RESTART_PAUSE_MS)
    }
}

/**
 * Creates a supervisor, which restarts processes that exit unexpectedly.
 * @param startOnce starts a process and resolves when it is ready
 * @param outputOf reads the output of a process
 */
export const createSupervisor = (
  startOnce: (name: ProcessName) => Promise<RunningProcess>,
  outputOf: (name: ProcessName) => string,
) => {
  const running = new Map<ProcessName, RunningProcess>()
  /** Last port of each process, also after its end. */
  const ports = new Map<ProcessName, number>()
  const crashes: Crash[] = []
  let stopping = false

  const start = async (name: ProcessName): Promise<void> => {
    if (running.has(name)) return
    const part = await withRetries(
      () => startOnce(name),
      () => stopping,
    )
    running.set(name, part)
    ports.set(name, part.port)
    void part.ended.then(async code => {
      if (running.get(name) !== part) return
      running.delete(name)
      crashes.push({ name, code, output: outputOf(name).slice(-1_000) })
      await sleep(RESTART_PAUSE_MS)
      if (!stopping) await start(name).catch(() => {})
    })
  }
  const killAll = () => {
    for (const { pid } of running.values())
      try {
        process.kill(pid, 'SIGKILL')
      } catch {}
  }
  process.once('exit', killAll)

  return {
    crashes,
    port: (name: ProcessName): number | undefined => ports.get(name),
    pid: (name: ProcessName): number => running.get(name)?.pid ?? 0,
    /** Starts a process and waits until it is ready. Retries until the timeout. */
    start,
    signal(name: ProcessName, which: NodeJS.Signals): void {
      const part = running.get(name)
      if (part) process.kill(part.pid, which)
    },
    /** Sends SIGKILL. Resolves when the process has exited. */
    async kill(name: ProcessName): Promise<void> {
      const part = running.get(name)
      if (!part) return
      // Removed first, so that the exit counts as requested.
      running.delete(name)
      process.kill(part.pid, 'SIGKILL')
      await part.ended
    },
    /**
     * Starts a new instance, then ends the old one by SIGTERM. Resolves to the old one's exit code and its duration.
     */
    async replace(name: ProcessName): Promise<{ code: number | null; ms: number }> {
      const old = running.get(name)
      if (!old) throw new Error(`${name} does not run`)
      running.delete(name)
      await start(name)
      const from = Date.now()
      process.kill(old.pid, 'SIGTERM')
      return { code: await old.ended, ms: Date.now() - from }
    },
    /** Kills all processes. */
    async stop(): Promise<void> {
      stopping = true
      const ended = [...running.values()].map(part => part.ended)
      killAll()
      // From here on all exits are requested.
      running.clear()
      await Promise.all(ended)
      process.off('exit', killAll)
    },
  }
}
