import { randomInt } from 'node:crypto'
import { createSocket } from 'node:dgram'
import { createServer, isIPv4, type Server } from 'node:net'

const listening = (port: number, host: string): Promise<Server> =>
  new Promise((resolve, reject) => {
    const server = createServer().once('error', reject)
    server.listen(port, host, () => resolve(server))
  })

/** Returns the error code of listening on the port (`EADDRINUSE`, `EACCES`, …); undefined if it is free. */
export const portFault = (port: number, host: string): Promise<string | undefined> =>
  listening(port, host).then(
    probe => new Promise(resolve => probe.close(() => resolve(undefined))),
    error => (error as NodeJS.ErrnoException).code ?? 'unusable',
  )

// Range below the ephemeral ports, so that the system does not assign these ports to other sockets.
const LOWEST = 10_240
const HIGHEST = 32_767

/**
 * Reserves a port for this process's lifetime by binding a UDP socket of the same number; false if another
 * process has reserved it. A TCP port counts as free until a process listens on it, hence the reservation.
 * Not get-port: its reservations are per process (4 processes with 400 ports each got 141 of 1,600 twice).
 */
const claim = (port: number): Promise<boolean> =>
  new Promise((resolve, reject) => {
    const mark = createSocket('udp4')
    mark.once('error', (error: NodeJS.ErrnoException) => {
      mark.close()
      if (error.code === 'EADDRINUSE') resolve(false)
      else reject(error)
    })
    mark.bind({ port, address: '127.0.0.1', exclusive: true }, () => {
      mark.unref()
      resolve(true)
    })
  })

/** Finds `count` different free TCP ports on the host, not reserved by another caller of this function. */
export const freePorts = async (count: number, host = '127.0.0.1'): Promise<number[]> => {
  const ports: number[] = []
  while (ports.length < count) {
    const port = randomInt(LOWEST, HIGHEST + 1)
    // Claimed first: the probe listens for a moment, and must not disturb the port's holder.
    if ((await claim(port)) && !(await portFault(port, host))) ports.push(port)
  }
  return ports
}

/** Returns true if a server on the host is reachable from this machine only. */
export const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '::1' || (isIPv4(host) && host.startsWith('127.'))

/** Returns the URL of a server on the host for a browser on this machine. */
export const localUrl = (host: string, port: number): string => {
  const name = ['127.0.0.1', '0.0.0.0', '::', '::1'].includes(host)
    ? 'localhost'
    : host.includes(':')
      ? `[${host}]`
      : host
  return `http://${name}:${port}`
}
