import { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'
import { createSharedReads } from '../single-flight.js'

export const JSON_TYPE = 'application/json; charset=utf-8'

/** The reply as a handler may use it, besides its return value. */
export interface ReplyHeaders {
  header(name: string, value: string): unknown
}

/** The reply's head: a handler may set another status of success than its endpoint's. */
export interface ReplyHead extends ReplyHeaders {
  code(status: number): unknown
}

type Content = string | Uint8Array

/** An answer that is text or bytes, whole or in pieces: JSON of a `T`, or a file of another media type. */
export class Streamed<T> {
  /** Type of the text's content; exists at compile time only. */
  declare protected readonly shape: T
  readonly #content: Content | AsyncIterable<Content>
  readonly #mediaType: string
  #settle: () => void = () => {}
  /** Resolves when the answer has been sent, or its client has gone. */
  readonly sent = new Promise<void>(resolve => {
    this.#settle = resolve
  })

  constructor(content: Content | AsyncIterable<Content>, mediaType: string = JSON_TYPE) {
    this.#content = content
    this.#mediaType = mediaType
  }

  send(reply: FastifyReply): FastifyReply {
    const content = this.#content
    reply.type(this.#mediaType)
    if (typeof content === 'string' || content instanceof Uint8Array) {
      this.#settle()
      return reply.send(content)
    }
    return reply.send(Readable.from(content).once('close', this.#settle))
  }
}

/** How a file is answered. */
export interface FileOptions {
  /** Letters, digits, dots, hyphens and underscores. */
  name: string
  mediaType: string
  /** Browsers may show it in the page; by default they save it. Never for what may run scripts. */
  inline?: boolean
}

/** Answers a file, whose media type no browser guesses again and from which nothing runs or loads. */
export const sendFile = (
  reply: ReplyHeaders,
  content: Content | AsyncIterable<Content>,
  { name, mediaType, inline = false }: FileOptions,
): Streamed<unknown> => {
  reply.header('content-disposition', `${inline ? 'inline' : 'attachment'}; filename="${name}"`)
  reply.header('x-content-type-options', 'nosniff')
  reply.header('content-security-policy', "default-src 'none'; sandbox")
  return new Streamed(content, mediaType)
}

/** Answers a request, under a key, by `make`, whose headers and value depend on nothing else than the key. */
export type SharedAnswers = <T>(
  reply: ReplyHeaders,
  key: string,
  make: (reply: ReplyHeaders) => Promise<T>,
) => Promise<Streamed<T>>

/**
 * Makes one answer for all requests with the same key that wait at the same time, as JSON text. Each is made
 * after the requests that get it arrived, so that they see what was acknowledged before.
 */
export const createSharedAnswers = (): SharedAnswers => {
  const shared = createSharedReads<string, { headers: [string, string][]; text: string }>()
  return async (reply, key, make) => {
    const { headers, text } = await shared(key, async () => {
      const headers: [string, string][] = []
      const value = await make({ header: (name, value) => headers.push([name, value]) })
      return { headers, text: JSON.stringify(value) }
    })
    for (const [name, value] of headers) reply.header(name, value)
    return new Streamed(text)
  }
}
