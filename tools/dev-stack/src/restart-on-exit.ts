import { setTimeout as sleep } from 'node:timers/promises'

interface Server {
  /** Resolves when the server has gone, asked for or not. */
  ended: Promise<void>
  stop(): Promise<void>
}

/**
 * Keeps a server running: whenever it ends unasked, it is started again by `start`, which is given the one before so
 * that the new one is found at the same address.
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
      progress(`${name} has ended unasked: starting it again …`)
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
