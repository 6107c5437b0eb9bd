import { randomInt } from 'node:crypto'
import { createSocket } from 'node:dgram'
import { createServer, isIPv4, type Server } from 'node:net'

const listening = (port: number, host: string): Promise<Server> =>
  new Promise((resolve, reject) => {
    const server = createServer().once('error', reject)
    server.listen(port, host, () => resolve(server))
  })

/** Why the port cannot be listened on (`EADDRINUSE`, `EACCES`, …); undefined when it can. */
export const portFault = (port: number, host: string): Promise<string | undefined> =>
  listening(port, host).then(
    probe => new Promise(resolve => probe.close(() => resolve(undefined))),
    error => (error as NodeJS.ErrnoException).code ?? 'unusable',
  )

// Below the ports that systems give to clients and to whoever asks for any: what is free there stays so.
const LOWEST = 10_240
const HIGHEST = 32_767

/**
 * Marks a port as given away for as long as this process lives, by a UDP socket of the same number; false when somebody else
 * has. What is looked for are free TCP ports, but others would find it free until somebody listens there. Not get-port: its
 * reservations end at the process (4 processes with 400 ports each got 141 of 1,600 twice).
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

/** As many different TCP ports as asked for that are free on the host right now, and given to nobody else who asks here. */
export const freePorts = async (count: number, host = '127.0.0.1'): Promise<number[]> => {
  const ports: number[] = []
  while (ports.length < count) {
    const port = randomInt(LOWEST, HIGHEST + 1)
    if (!(await portFault(port, host)) && (await claim(port))) ports.push(port)
  }
  return ports
}

/** Whether what listens on the host can be reached from this machine alone. */
export const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '::1' || (isIPv4(host) && host.startsWith('127.'))

/** The address to type into a browser on this machine for something that listens on the host. */
export const localUrl = (host: string, port: number): string => {
  const name = ['127.0.0.1', '0.0.0.0', '::', '::1'].includes(host)
    ? 'localhost'
    : host.includes(':')
      ? `[${host}]`
      : host
  return `http://${name}:${port}`
}
