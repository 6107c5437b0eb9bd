import { randomInt } from 'node:crypto'
import { createServer, type Server } from 'node:net'

const listening = (port: number, host: string): Promise<Server> =>
  new Promise((resolve, reject) => {
    const server = createServer().once('error', reject)
    server.listen(port, host, () => resolve(server))
  })

// Below the ports that systems give to clients and to whoever asks for any: what is free there stays so.
const LOWEST = 10_240
const HIGHEST = 32_767

/** As many different TCP ports as asked for that are free on the host right now. */
export const freePorts = async (count: number, host = '127.0.0.1'): Promise<number[]> => {
  const probes = new Map<number, Server>()
  while (probes.size < count) {
    const port = randomInt(LOWEST, HIGHEST + 1)
    const probe = probes.has(port) ? undefined : await listening(port, host).catch(() => undefined)
    if (probe) probes.set(port, probe)
  }
  await Promise.all([...probes.values()].map(probe => new Promise(resolve => probe.close(resolve))))
  return [...probes.keys()]
}

/** Why the port cannot be listened on (`EADDRINUSE`, `EACCES`, …); undefined when it can. */
export const portFault = (port: number, host: string): Promise<string | undefined> =>
  listening(port, host).then(
    probe => new Promise(resolve => probe.close(() => resolve(undefined))),
    error => (error as NodeJS.ErrnoException).code ?? 'unusable',
  )

/** The address to type into a browser on this machine for something that listens on the host. */
export const localUrl = (host: string, port: number): string => {
  const name = ['127.0.0.1', '0.0.0.0', '::', '::1'].includes(host)
    ? 'localhost'
    : host.includes(':')
      ? `[${host}]`
      : host
  return `http://${name}:${port}`
}
