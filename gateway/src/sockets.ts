import type { Socket } from 'node:net'
import { addressKey } from '@iodine/service-kit'
import type { FastifyInstance } from 'fastify'
import type { Bounds, Refusal } from './bounds.js'

/** A connection's progress in sending, and how long it has stalled. */
interface Debt {
  /** Bytes that have gone out. */
  sent: number
  stalledMs: number
}

/**
 * Cuts connections that do not read their responses, and limits the number of connections.
 * @param countsAddresses whether a connection's address is a client's; behind a proxy it is the proxy's
 */
export const guardSockets = (
  app: FastifyInstance,
  { stallMs, lookMs, sockets: { all, address: most } }: Bounds,
  countsAddresses: boolean,
  refused: (reason: Refusal) => void,
): void => {
  const { server } = app
  const debts = new Map<Socket, Debt>()
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
    debts.set(socket, { sent: 0, stalledMs: 0 })
    socket.once('close', () => {
      debts.delete(socket)
      count(address, -1)
    })
  })
  const look = setInterval(() => {
    for (const [socket, debt] of debts) {
      const sent = socket.bytesWritten - socket.writableLength
      if (socket.writableLength === 0 || sent !== debt.sent) {
        debt.sent = sent
        debt.stalledMs = 0
      } else {
        debt.stalledMs += lookMs
        if (debt.stalledMs < stallMs) continue
        refused('stalled_answer')
        socket.destroy()
      }
    }
  }, lookMs)
  look.unref()
  app.addHook('onClose', async () => clearInterval(look))
}
