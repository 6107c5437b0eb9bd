import { connect, type Socket } from 'node:net'

/** Sockets of one client that does harm by how slowly it writes or reads. */
export interface Crowd {
  /** Sockets that stand at the moment. */
  open(): number
  /** Status lines of the answers that were read, oldest first; empty where answers are not read. */
  statuses(): number[]
  stop(): Promise<void>
}

export interface CrowdOptions {
  count: number
  /** What each socket sends first: a request, or its beginning. */
  text: string
  /** Then sends a byte every so many milliseconds. */
  dripMs?: number
  /** Answers stay unread. */
  isDeaf?: boolean
}

const AGAIN_MS = 100

/** Opens so many sockets, and another for each that ends, until told to stop. */
export const startCrowd = async (
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
        if (!isOver) setTimeout(join, AGAIN_MS)
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
