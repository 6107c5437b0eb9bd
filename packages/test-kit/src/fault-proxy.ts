import { once } from 'node:events'
import { type AddressInfo, createConnection, createServer, type Socket } from 'node:net'

/**
 * State of a link:
 * - `open` forwards traffic
 * - `reset` resets every connection, also new ones
 * - `silent` holds all traffic without closing connections, as when a cable is unplugged; held traffic is forwarded
 * once the link is open
 * - `slow` delays each chunk by `slowMs`
 */
export type FaultProxyState = 'open' | 'reset' | 'silent' | 'slow'

/** A TCP proxy on a loopback port between two parts. */
export interface FaultProxy {
  port: number
  set(state: FaultProxyState): void
  stop(): Promise<void>
}

/** Forwards one direction of a connection, in order. */
class Pipe {
  readonly #from: Socket
  readonly #to: Socket
  readonly #delayMs: () => number
  #waiting: { data: Buffer | null; due: number }[] = []
  #timer: NodeJS.Timeout | undefined
  #isHeld = false

  constructor(from: Socket, to: Socket, delayMs: () => number) {
    this.#from = from
    this.#to = to
    this.#delayMs = delayMs
    from.on('data', data => this.#take(data)).on('end', () => this.#take(null))
    to.on('drain', () => {
      if (!this.#isHeld) from.resume()
    })
  }

  hold(isHeld: boolean): void {
    this.#isHeld = isHeld
    if (isHeld) this.#from.pause()
    else {
      this.#from.resume()
      this.#flush()
    }
  }

  #take(data: Buffer | null): void {
    this.#waiting.push({ data, due: Date.now() + this.#delayMs() })
    this.#flush()
  }

  #flush(): void {
    clearTimeout(this.#timer)
    while (!this.#isHeld) {
      const [next] = this.#waiting
      if (!next) return
      const wait = next.due - Date.now()
      if (wait > 0) {
        this.#timer = setTimeout(() => this.#flush(), wait)
        return
      }
      this.#waiting.shift()
      if (next.data === null) this.#to.end()
      else if (!this.#to.destroyed && !this.#to.write(next.data)) this.#from.pause()
    }
  }
}

/** Starts a proxy to a port, which may change when the target restarts. */
export const startFaultProxy = async (
  target: () => number | undefined,
  { slowMs = 300 } = {},
): Promise<FaultProxy> => {
  let state: FaultProxyState = 'open'
  const pipes = new Set<Pipe>()
  const sockets = new Set<Socket>()
  /** Connections accepted while the link is silent. */
  let unanswered: (() => void)[] = []

  const keep = (socket: Socket) => {
    sockets.add(socket)
    socket.setNoDelay(true)
    socket.once('close', () => sockets.delete(socket))
  }
  const delayMs = () => (state === 'slow' ? slowMs : 0)

  const connect = (client: Socket): void => {
    const port = target()
    const upstream = createConnection({ host: '127.0.0.1', port: port ?? 1, allowHalfOpen: true })
    keep(upstream)
    upstream.once('connect', () => {
      if (client.destroyed) return void upstream.destroy()
      const both = [new Pipe(client, upstream, delayMs), new Pipe(upstream, client, delayMs)]
      for (const pipe of both) {
        pipes.add(pipe)
        pipe.hold(state === 'silent')
      }
      let isOver = false
      const end = (other: Socket, isCut: boolean) => {
        if (isOver && !isCut) return
        isOver = true
        for (const pipe of both) pipes.delete(pipe)
        if (isCut) other.resetAndDestroy()
        else other.destroySoon()
      }
      client.once('error', () => end(upstream, true)).once('close', () => end(upstream, false))
      upstream.once('close', () => end(client, false))
    })
    upstream.on('error', () => client.resetAndDestroy())
  }
  const server = createServer({ pauseOnConnect: true, allowHalfOpen: true }, client => {
    keep(client)
    client.on('error', () => {})
    const begin = () => connect(client)
    if (state === 'reset') client.resetAndDestroy()
    else if (state === 'silent') unanswered.push(begin)
    else begin()
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  return {
    port,
    set(next) {
      state = next
      if (state === 'reset') for (const socket of sockets) socket.resetAndDestroy()
      for (const pipe of pipes) pipe.hold(state === 'silent')
      if (state === 'silent') return
      const begins = unanswered
      unanswered = []
      for (const begin of begins) begin()
    },
    stop: () =>
      new Promise(resolve => {
        server.close(() => resolve())
        for (const socket of sockets) socket.destroy()
      }),
  }
}
