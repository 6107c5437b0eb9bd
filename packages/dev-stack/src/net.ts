import { createServer, type Server } from 'node:net'

const listening = (port: number, host: string): Promise<Server> =>
  new Promise((resolve, reject) => {
    const server = createServer().once('error', reject)
    server.listen(port, host, () => resolve(server))
  })

const portOf = (server: Server): number => {
  const address = server.address()
  return typeof address === 'object' && address ? address.port : 0
}

/** As many different TCP ports as asked for that are free on the host right now. */
export const freePorts = async (count: number, host = '127.0.0.1'): Promise<number[]> => {
  const probes = await Promise.all(Array.from({ length: count }, () => listening(0, host)))
  const ports = probes.map(portOf)
  await Promise.all(probes.map(probe => new Promise(resolve => probe.close(resolve))))
  return ports
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
