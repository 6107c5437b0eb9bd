import { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'

export const JSON_TYPE = 'application/json; charset=utf-8'

/** The reply as a handler may use it, besides its return value. */
export interface ReplyHeaders {
  header(name: string, value: string): unknown
}

/** An answer that is text or a stream of text: JSON of a `T`, or a file of another media type. */
export class Streamed<T> {
  /** Type of the text's content; exists at compile time only. */
  declare protected readonly shape: T
  readonly #text: string | AsyncIterable<string>
  readonly #mediaType: string

  constructor(text: string | AsyncIterable<string>, mediaType: string = JSON_TYPE) {
    this.#text = text
    this.#mediaType = mediaType
  }

  send(reply: FastifyReply): FastifyReply {
    const text = this.#text
    return reply.type(this.#mediaType).send(typeof text === 'string' ? text : Readable.from(text))
  }
}
