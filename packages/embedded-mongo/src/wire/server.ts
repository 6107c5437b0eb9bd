import { createServer, type Server, type Socket } from 'node:net'
import type { Doc, RawDoc } from '../bson/values.js'
import type { Engine } from '../engine.js'
import { MongoError } from '../errors.js'
import { headerSize, largestMessage, type Message, readMessage, writeReply } from './message.js'

const handshakes = new Set(['hello', 'ismaster', 'isMaster'])
const mostConnections = 2_000

/** A server of MongoDB's wire protocol. */
export class WireServer {
  private readonly server: Server
  private readonly sockets = new Set<Socket>()

  constructor(engine: Engine) {
    this.server = createServer({ noDelay: true }, socket => {
      this.sockets.add(socket)
      socket.on('close', () => this.sockets.delete(socket))
      serve(socket, engine)
    })
    this.server.maxConnections = mostConnections
  }

  /** Starts listening and resolves to the port. */
  listen(host: string, port: number): Promise<number> {
    return new Promise((resolve, reject) => {
      this.server.once('error', reject)
      this.server.listen(port, host, () => {
        this.server.off('error', reject)
        const address = this.server.address()
        resolve(typeof address === 'object' && address ? address.port : port)
      })
    })
  }

  async close(): Promise<void> {
    const closed = new Promise<void>(resolve => this.server.close(() => resolve()))
    for (const socket of this.sockets) socket.destroy()
    await closed
  }
}

/** Serves one connection. Messages are handled sequentially: each is read after the reply to the previous one. */
const serve = async (socket: Socket, engine: Engine) => {
  socket.on('error', () => socket.destroy())
  const frames = new Frames()
  try {
    for await (const chunk of socket) {
      frames.push(chunk as Buffer)
      for (let bytes = frames.next(); bytes; bytes = frames.next()) {
        if (!(await answer(socket, engine, bytes))) return
      }
    }
  } catch {
    // After a malformed message or a connection error no reply can be sent.
  } finally {
    socket.destroy()
  }
}

const answer = async (socket: Socket, engine: Engine, bytes: Buffer): Promise<boolean> => {
  let message: Message
  try {
    message = readMessage(bytes)
  } catch (error) {
    if (!(error instanceof MongoError)) throw error
    return send(socket, { requestId: bytes.readInt32LE(4), kind: 'msg' }, error.toReply())
  }
  const name = message.command.keys().next().value ?? ''
  const reply =
    message.kind === 'query' && !handshakes.has(name)
      ? new MongoError(
          352,
          `Unsupported OP_QUERY command: ${name}. The client driver may require an upgrade.`,
        ).toReply()
      : await engine.submit(message.command, socket)
  return !message.wantsReply || send(socket, message, reply)
}

const send = async (
  socket: Socket,
  to: Pick<Message, 'requestId' | 'kind'>,
  reply: Doc | RawDoc,
): Promise<boolean> => {
  if (socket.destroyed) return false
  const parts = encoded(to, reply)
  socket.cork()
  let drained = true
  for (const part of parts) drained = socket.write(part)
  socket.uncork()
  if (!drained) {
    await new Promise<void>(resolve => {
      const done = () => {
        socket.off('drain', done)
        socket.off('close', done)
        resolve()
      }
      socket.on('drain', done)
      socket.on('close', done)
    })
  }
  return !socket.destroyed
}

/** Encodes a reply, or an error reply if a value cannot be encoded as BSON. */
const encoded = (to: Pick<Message, 'requestId' | 'kind'>, reply: Doc | RawDoc): Buffer[] => {
  try {
    return writeReply(to, reply)
  } catch (error) {
    if (!(error instanceof MongoError)) throw error
    return writeReply(to, error.toReply())
  }
}

/** Splits a byte stream into messages by their length prefix. */
class Frames {
  private chunks: Buffer[] = []
  private size = 0

  push(chunk: Buffer) {
    this.chunks.push(chunk)
    this.size += chunk.length
  }

  /**
   * Returns the next complete message, or undefined.
   * @throws for an invalid length
   */
  next(): Buffer | undefined {
    if (this.size < headerSize) return undefined
    if (this.chunks[0]!.length < headerSize) this.chunks = [Buffer.concat(this.chunks)]
    const length = this.chunks[0]!.readInt32LE(0)
    if (length < headerSize || length > largestMessage) throw new Error(`message of ${length} bytes`)
    if (this.size < length) return undefined
    const all = this.chunks.length === 1 ? this.chunks[0]! : Buffer.concat(this.chunks)
    this.size -= length
    this.chunks = this.size > 0 ? [all.subarray(length)] : []
    return all.subarray(0, length)
  }
}
