import { connect, type Socket } from 'node:net'

/** Sockets of a slow-client attack: a client that writes or reads too slowly. */
interface Crowd {
  /** Number of open sockets. */
  open(): number
  /** Statuses of the answers read, oldest first; empty if answers are not read. */
  statuses(): number[]
  stop(): Promise<void>
}

interface CrowdOptions {
  count: number
  /** Sent first by each socket: a request, or its beginning. */
  text: string
  /** Then sends one byte per interval, in milliseconds. */
  dripMs?: number
  /** Never reads answers. */
  isDeaf?: boolean
}

const RECONNECT_MS = 100

/** Opens the given number of sockets, and replaces each that closes, until stopped. */
export const startSlowClients = async (
  url: string,
  { count, text, dripMs, isDeaf = false }: CrowdOptions,
): Promise<Crowd> => {
  const { hostname, port } = new URL(url)
  const host = hostname === 'localhost' ? '127.0.0.1' : hostname
  const sockets = new Set<Socket>()
  const statuses: number[] = []
  let isOver = false
  const join = (): Promise<void> =>
    new Promise(resolve => {
      const socket = connect(Number(port), host)
      let drip: NodeJS.Timeout | undefined
      socket.once('connect', () => {
        sockets.add(socket)
        socket.write(text)
        if (dripMs) drip = setInterval(() => socket.write('x'), dripMs)
        resolve()
      })
      if (isDeaf) socket.pause()
      else
        socket.on('data', chunk => {
          for (const [, status] of chunk.toString('latin1').matchAll(/HTTP\/1\.1 (\d{3})/g))
            statuses.push(Number(status))
        })
      socket.on('error', () => {})
      socket.once('close', () => {
        clearInterval(drip)
        sockets.delete(socket)
        resolve()
        if (!isOver) setTimeout(join, RECONNECT_MS)
      })
    })
  await Promise.all(Array.from({ length: count }, join))
  return {
    open: () => sockets.size,
    statuses: () => statuses,
    async stop() {
      isOver = true
      await Promise.all(
        [...sockets].map(socket => new Promise(resolve => socket.once('close', resolve).destroy())),
      )
    },
  }
}
