import type { ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  type ChatRequest,
  promptText,
  sendCompletion,
  sendError,
  sendJson,
  startChatServer,
} from '@iodine/offline-ai'

export interface AiTriplet {
  subject: string
  verb: string
  object: string
}

/**
 * How the provider answers one request:
 * - `{ triplets }` as asked, `{ content }` word for word, `simple` triplets of the request's own text, `rules` those of the
 *   offline provider, `{ after, answer }` that many milliseconds later, or what a function makes of the text
 * - `unauthorized` 401, `rate-limited` 429, `failing` 500, each with a text that quotes the key and the prompt
 * - `hang` never, `reset` by cutting the connection, `html` 200 with a page, `broken-json` 200 with half an object
 * - `refusal`, `empty` (no choices), `cut-off` (finish_reason length), `nonsense` (JSON of another shape), `huge` (201 triplets)
 */
export type AiAnswer =
  | ((text: string) => AiAnswer)
  | { triplets: AiTriplet[] }
  | { content: string }
  | { after: number; answer: AiAnswer }
  | 'simple'
  | 'rules'
  | 'unauthorized'
  | 'rate-limited'
  | 'failing'
  | 'hang'
  | 'reset'
  | 'html'
  | 'broken-json'
  | 'refusal'
  | 'empty'
  | 'cut-off'
  | 'nonsense'
  | 'huge'

export type AiRequest = ChatRequest

export interface AiProvider {
  /** For OPENAI_BASE_URL. */
  url: string
  /** What came in, oldest first. */
  requests: AiRequest[]
  /** Answers the next requests so, one each, in order; after them `always` counts again. */
  next(...answers: AiAnswer[]): void
  /** Answers every further request so (at first: `simple`). */
  always(answer: AiAnswer): void
  stop(): Promise<void>
}

/** One triplet a sentence of three words or more: first word, second word, the rest. */
export const simpleTriplets = (text: string): AiTriplet[] =>
  text
    .split(/[.!?\n]+/)
    .map(sentence => sentence.trim().split(/\s+/))
    .filter(words => words.length > 2)
    .slice(0, 200)
    .map(([subject = '', verb = '', ...object]) => ({
      subject,
      verb,
      object: object.join(' ').slice(0, 500),
    }))

/** A scriptable OpenAI-compatible provider over real HTTP on a free loopback port. */
export const startAiProvider = async (): Promise<AiProvider> => {
  const requests: AiRequest[] = []
  const queue: AiAnswer[] = []
  let usual: AiAnswer = 'simple'

  const { url, stop } = await startChatServer(async (request, response) => {
    requests.push(request)
    await respond(queue.shift() ?? usual, request, response)
  })

  return {
    url,
    requests,
    next: (...answers) => void queue.push(...answers),
    always(answer) {
      usual = answer
    },
    stop,
  }
}

async function respond(answer: AiAnswer, request: AiRequest, response: ServerResponse): Promise<void> {
  const text = promptText(request.body)
  const completion = (content: string | null, more?: { refusal?: string; finish?: string }) =>
    sendCompletion(response, request.body.model, content, more)
  const fail = (status: number, code: string, headers?: Record<string, string>) =>
    sendError(response, status, code, `${code}: key ${request.key}, prompt ${text}`, headers)
  const triplets = (list: AiTriplet[]) => completion(JSON.stringify({ triplets: list }))

  if (typeof answer === 'function') return respond(answer(text), request, response)
  if (typeof answer === 'object') {
    if ('triplets' in answer) return triplets(answer.triplets)
    if ('content' in answer) return completion(answer.content)
    await sleep(answer.after)
    return respond(answer.answer, request, response)
  }
  switch (answer) {
    case 'simple':
      return triplets(simpleTriplets(text))
    case 'rules': {
      const { ruleTriplets } = await import('@iodine/offline-ai/triplets')
      return triplets(ruleTriplets(text))
    }
    case 'unauthorized':
      return fail(401, 'invalid_api_key')
    case 'rate-limited':
      return fail(429, 'rate_limit_exceeded', { 'retry-after-ms': '10' })
    case 'failing':
      return fail(500, 'server_error', { 'retry-after-ms': '10' })
    case 'hang':
      return
    case 'reset':
      return void response.socket?.resetAndDestroy()
    case 'html':
      return void response
        .writeHead(200, { 'content-type': 'text/html' })
        .end('<!doctype html><h1>Welcome</h1>')
    case 'broken-json':
      return void response
        .writeHead(200, { 'content-type': 'application/json' })
        .end('{"id": "chatcmpl-1", "choices": [')
    case 'refusal':
      return completion(null, { refusal: "I'm sorry, I can't help with that." })
    case 'empty':
      return sendJson(response, 200, {
        id: 'chatcmpl-1',
        object: 'chat.completion',
        created: 1,
        model: request.body.model,
        choices: [],
      })
    case 'cut-off':
      return completion('{"triplets": [{"subject": "a", "verb"', { finish: 'length' })
    case 'nonsense':
      return completion('{"answer": 42}')
    case 'huge':
      return triplets(
        Array.from({ length: 201 }, (_, n) => ({ subject: `s${n}`, verb: 'is', object: 'x'.repeat(500) })),
      )
  }
}
