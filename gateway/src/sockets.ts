import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { addressKey } from '@iodine/service-kit'
import type { FastifyInstance } from 'fastify'
import type { Bounds, Refusal } from './bounds.js'

/** Bytes above which a head is long; few requests have one. */
const LONG_HEAD = 16_384

/** State of a connection: its progress in sending, and the head that it is receiving. */
interface Progress {
  address: string
  /** Bytes sent. */
  sent: number
  stalledMs: number
  /** Response to the last request; undefined once the request is complete and the response is sent. */
  last: ServerResponse | undefined
  /** Bytes received before the current head. */
  headFrom: number
}

/**
 * Closes connections that do not read their responses. Limits the number of connections and the bytes of long
 * incomplete heads.
 * @param countsAddresses whether a connection's address is a client's; behind a proxy it is the proxy's
 */
export const guardSockets = (
  app: FastifyInstance,
  { stallMs, checkMs, sockets: { all, address: most }, heads }: Bounds,
  countsAddresses: boolean,
  refused: (reason: Refusal) => void,
): void => {
  const { server } = app
  const connections = new Map<Socket, Progress>()
  const addresses = new Map<string, number>()
  const count = (address: string, change: number): number => {
    const now = (addresses.get(address) ?? 0) + change
    if (now > 0) addresses.set(address, now)
    else addresses.delete(address)
    return now
  }
  server.maxConnections = all
  server.on('drop', () => refused('sockets'))
  server.on('connection', (socket: Socket) => {
    const address = addressKey(socket.remoteAddress ?? '')
    if (count(address, 1) > most && countsAddresses) {
      refused('sockets')
      socket.destroy()
    }
    connections.set(socket, { address, sent: 0, stalledMs: 0, last: undefined, headFrom: 0 })
    socket.once('close', () => {
      connections.delete(socket)
      count(address, -1)
    })
  })
  server.on('request', ({ socket }, response) => {
    const progress = connections.get(socket)
    if (progress) progress.last = response
  })
  const cutHeads = () => {
    const long: { socket: Socket; address: string; bytes: number }[] = []
    for (const [socket, progress] of connections) {
      const { address, last } = progress
      if (last?.closed && last.req.complete)
        Object.assign(progress, { last: undefined, headFrom: socket.bytesRead })
      const bytes = progress.last ? 0 : socket.bytesRead - progress.headFrom
      if (bytes > LONG_HEAD) long.push({ socket, address, bytes })
    }
    const held = new Map<string, number>()
    let together = 0
    for (const { address, bytes } of long) {
      together += bytes
      held.set(address, (held.get(address) ?? 0) + bytes)
    }
    for (const { socket, address } of long) {
      if (together <= heads.all && (!countsAddresses || (held.get(address) ?? 0) <= heads.address)) continue
      refused('heads')
      socket.destroy()
    }
  }
  const checkTimer = setInterval(() => {
    cutHeads()
    for (const [socket, progress] of connections) {
      const sent = socket.bytesWritten - socket.writableLength
      if (socket.writableLength === 0 || sent !== progress.sent) {
        progress.sent = sent
        progress.stalledMs = 0
      } else {
        progress.stalledMs += checkMs
        if (progress.stalledMs < stallMs) continue
        refused('stalled_answer')
        socket.destroy()
      }
    }
  }, checkMs)
  checkTimer.unref()
  app.addHook('onClose', async () => clearInterval(checkTimer))
}
