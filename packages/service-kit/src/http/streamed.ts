import { Readable } from 'node:stream'
import type { AnswerHeader } from '@iodine/contracts'
import type { FastifyReply } from 'fastify'
import { createSharedReads } from '../single-flight.js'

export const JSON_TYPE = 'application/json; charset=utf-8'

/** The reply as a handler may use it, besides its return value. */
export interface ReplyHeaders {
  header(name: AnswerHeader, value: string): unknown
}
/** The reply of an endpoint with more than one success status. */
export interface ReplyHead extends ReplyHeaders {
  code(status: number): unknown
}

type Content = string | Uint8Array | AsyncIterable<string | Uint8Array> | null

/**
 * An answer of text or bytes, whole or as a stream: JSON of a `T`, or a file of another media type. Null means no
 * content, as for status 304.
 */
export class Streamed<T> {
  /** Type of the content; exists at compile time only. */
  declare protected readonly shape: T
  readonly #content: Content
  readonly #mediaType: string
  #complete: () => void = () => {}
  /** Resolves when the answer has been sent, or its client has gone. */
  readonly sent = new Promise<void>(resolve => {
    this.#complete = resolve
  })

  constructor(content: Content, mediaType: string = JSON_TYPE) {
    this.#content = content
    this.#mediaType = mediaType
  }

  send(reply: FastifyReply): FastifyReply {
    const content = this.#content
    if (content === null) {
      this.#complete()
      return reply.send()
    }
    reply.type(this.#mediaType)
    if (typeof content === 'string' || content instanceof Uint8Array) {
      this.#complete()
      return reply.send(content)
    }
    return reply.send(Readable.from(content).once('close', this.#complete))
  }
}

/** Answers a request by `make`, whose headers and value depend only on the key. */
export type SharedAnswers = <T>(
  reply: ReplyHeaders,
  key: string,
  make: (reply: ReplyHeaders) => Promise<T>,
) => Promise<Streamed<T>>

/**
 * Creates a function that makes one JSON answer for all waiting requests with the same key. It makes the answer after
 * they arrived, so that it reflects every write acknowledged before.
 */
export const createSharedAnswers = (): SharedAnswers => {
  const shared = createSharedReads<string, { headers: [AnswerHeader, string][]; text: string }>()
  return async (reply, key, make) => {
    const { headers, text } = await shared(key, async () => {
      const headers: [AnswerHeader, string][] = []
      const value = await make({ header: (name, value) => headers.push([name, value]) })
      return { headers, text: JSON.stringify(value) }
    })
    for (const [name, value] of headers) reply.header(name, value)
    return new Streamed(text)
  }
}
