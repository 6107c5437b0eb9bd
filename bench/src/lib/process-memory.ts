import { once } from 'node:events'
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'
import { WebSocket } from 'undici'

/** The process that listens on a loopback port (Linux). */
export const pidListeningOn = (port: number): number => {
  const hex = port.toString(16).toUpperCase().padStart(4, '0')
  const inodes = ['/proc/net/tcp', '/proc/net/tcp6'].flatMap(file =>
    readFileSync(file, 'utf8')
      .split('\n')
      .map(line => line.trim().split(/\s+/))
      .filter(fields => fields[1]?.endsWith(`:${hex}`) && fields[3] === '0A')
      .map(fields => `socket:[${fields[9]}]`),
  )
  for (const pid of readdirSync('/proc').filter(name => /^\d+$/.test(name)))
    try {
      for (const fd of readdirSync(`/proc/${pid}/fd`))
        if (inodes.includes(readlinkSync(`/proc/${pid}/fd/${fd}`))) return Number(pid)
    } catch {
      // Not ours to look into, or gone by now.
    }
  throw new Error(`nothing listens on port ${port}`)
}

const INSPECTOR = '127.0.0.1:9229'
const INSPECTOR_MS = 5_000

/**
 * The memory that a Node process can reach, asked of its inspector, which SIGUSR1 opens on its standard port.
 * @throws when another process has that port
 */
export const inspectMemory = async (
  pid: number,
): Promise<{
  /** Collects the garbage, then counts megabytes of heap and buffers. */
  live(): Promise<number>
  close(): void
}> => {
  process.kill(pid, 'SIGUSR1')
  const targets = async (): Promise<{ webSocketDebuggerUrl: string }[]> =>
    (await fetch(`http://${INSPECTOR}/json/list`)).json() as never
  const until = Date.now() + INSPECTOR_MS
  let target: { webSocketDebuggerUrl: string } | undefined
  while (!target) {
    ;[target] = await targets().catch(error => {
      if (Date.now() > until) throw error
      return setTimeout(100, [])
    })
  }
  const socket = new WebSocket(target.webSocketDebuggerUrl)
  await once(socket, 'open')
  let calls = 0
  const call = (method: string, params = {}) =>
    new Promise<{ result: { value: unknown } }>(resolve => {
      const id = ++calls
      const hear = ({ data }: { data: unknown }) => {
        const answer = JSON.parse(String(data))
        if (answer.id !== id) return
        socket.removeEventListener('message', hear)
        resolve(answer.result)
      }
      socket.addEventListener('message', hear)
      socket.send(JSON.stringify({ id, method, params }))
    })
  const evaluate = async (expression: string) =>
    (await call('Runtime.evaluate', { expression, returnByValue: true })).result.value
  if ((await evaluate('process.pid')) !== pid) throw new Error(`another process has ${INSPECTOR}`)
  return {
    async live() {
      // What the first round sets free may hold buffers that the second finds.
      for (let round = 0; round < 2; round++) await call('HeapProfiler.collectGarbage')
      const bytes = await evaluate('(({ heapUsed, external }) => heapUsed + external)(process.memoryUsage())')
      return Number(bytes) / 2 ** 20
    },
    close: () => socket.close(),
  }
}
