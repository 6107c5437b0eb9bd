import { setTimeout as sleep } from 'node:timers/promises'

interface Server {
  /** Resolves when the server has exited, for any reason. */
  ended: Promise<void>
  stop(): Promise<void>
}

/**
 * Supervises a server: after an unexpected exit, `start` starts it again. `start` receives the previous server, so that
 * the new one can use the same address.
 */
export const restartOnExit = async <S extends Server>(
  name: string,
  start: (before?: S) => Promise<S>,
  progress: (line: string) => void,
): Promise<Omit<S, 'ended'>> => {
  let server = await start()
  let stopping = false
  const watch = async () => {
    for (;;) {
      await server.ended
      if (stopping) return
      progress(`${name} has exited unexpectedly: restarting it …`)
      const next = await start(server).catch(() => sleep(1_000))
      if (next) server = next
      if (stopping) return void server.stop()
    }
  }
  void watch()
  return {
    ...server,
    stop() {
      stopping = true
      return server.stop()
    },
  }
}
