import { isAscii } from 'node:buffer'
import { Readable } from 'node:stream'
import { type HttpError, JSON_TYPE } from '@iodine/service-kit'
import type { FastifyReply } from 'fastify'
import { type Dispatcher, errors } from 'undici'
import { HOP_BY_HOP } from './headers.js'

/** Maximum bytes of a buffered response, which costs less than a stream. */
const BUFFERED_BYTES_MAX = 65_536

interface RelayEvents {
  sent(reply: FastifyReply): void
  failed(error: unknown): void
  /** Called when the service has sent data. */
  heard(): void
  /** Called when the service has finished with the request. */
  over(): void
}

/** Relays a service's response: buffered when it is short, else streamed at the client's pace. */
export class ResponseRelay implements Dispatcher.DispatchHandler {
  readonly #reply: FastifyReply
  readonly #on: RelayEvents
  #controller: Dispatcher.DispatchController | undefined
  #chunks: Buffer[] | undefined
  #stream: Readable | undefined
  #isAborted = false
  #isOver = false

  constructor(reply: FastifyReply, on: RelayEvents) {
    this.#reply = reply
    this.#on = on
  }

  abort(): void {
    this.#isAborted = true
    if (!this.#isOver) this.#controller?.abort(new errors.RequestAbortedError())
  }

  /** Fails the request unless a part of the response has arrived. */
  giveUp(error: HttpError): void {
    if (this.#isOver || this.#stream || this.#chunks) return
    this.#on.failed(error)
    this.abort()
    this.#isOver = true
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller
    if (this.#isAborted) this.abort()
  }

  onResponseStart(
    controller: Dispatcher.DispatchController,
    status: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    this.#on.heard()
    // 1xx responses concern only the gateway and the service.
    if (status < 200) return
    this.#reply.code(status).header('cache-control', 'no-store')
    for (const name in headers) {
      const value = headers[name]
      if (value !== undefined && !HOP_BY_HOP.has(name)) this.#reply.header(name, value)
    }
    if (Number(headers['content-length']) <= BUFFERED_BYTES_MAX) {
      this.#chunks = []
      return
    }
    this.#stream = new Readable({
      read: () => controller.resume(),
      destroy: (error, done) => {
        this.abort()
        done(error)
      },
    })
    this.#on.sent(this.#reply.send(this.#stream))
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#on.heard()
    if (this.#chunks) this.#chunks.push(chunk)
    else if (!this.#stream?.push(chunk)) controller.pause()
  }

  onResponseEnd(): void {
    this.#isOver = true
    this.#on.over()
    if (this.#stream) this.#stream.push(null)
    else {
      const [first = Buffer.alloc(0), ...rest] = this.#chunks ?? []
      const body = rest.length === 0 ? first : Buffer.concat([first, ...rest])
      // Node sends a text in one write with its head. Fastify adds no charset to this type.
      const isText = this.#reply.getHeader('content-type') === JSON_TYPE && isAscii(body)
      this.#on.sent(this.#reply.send(isText ? body.toString('latin1') : body))
    }
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#on.over()
    if (this.#isOver) return
    this.#isOver = true
    if (this.#stream) this.#stream.destroy(error)
    else this.#on.failed(error)
  }
}
