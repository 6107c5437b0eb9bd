import { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'

export const JSON_TYPE = 'application/json; charset=utf-8'

/** What a handler does with its reply besides what it returns. */
export interface ReplyHeaders {
  header(name: string, value: string): unknown
}

/** An answer that is text already, or becomes it piece by piece: JSON of a `T`, or a file of another media type. */
export class Streamed<T> {
  /** What the text is, for the compiler alone. */
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
