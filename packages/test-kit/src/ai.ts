import type { ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  type ChatRequest,
  type EmbeddingsRequest,
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

/** Returns one triplet per sentence of three words or more: first word, second word, the rest. */
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

/** Input of an answer: the request, its prompt's text, and the response to write to. */
interface AnswerInput {
  request: ChatRequest
  text: string
  response: ServerResponse
}

const complete = (
  { request, response }: AnswerInput,
  ...content: [string | null, { refusal?: string; finish?: string }?]
) => sendCompletion(response, request.body.model, ...content)
const sendTriplets = (input: AnswerInput, triplets: AiTriplet[]) =>
  complete(input, JSON.stringify({ triplets }))
/** The error's text quotes the key and the prompt, which must never be logged. */
const fail = ({ request, text, response }: AnswerInput, status: number, code: string) =>
  sendError(response, status, code, `${code}: key ${request.key}, prompt ${text}`, {
    ...(status !== 401 && { 'retry-after-ms': '10' }),
  })
const sendText = ({ response }: AnswerInput, mediaType: string, text: string) =>
  void response.writeHead(200, { 'content-type': mediaType }).end(text)

const HUGE = Array.from({ length: 201 }, (_, n) => ({
  subject: `s${n}`,
  verb: 'is',
  object: 'x'.repeat(500),
}))

const ANSWERS = {
  /** Triplets of the request's text. */
  simple: input => sendTriplets(input, simpleTriplets(input.text)),
  /** Triplets as the offline provider extracts them. */
  rules: async input => {
    const { ruleTriplets } = await import('@iodine/offline-ai/triplets')
    return sendTriplets(input, ruleTriplets(input.text))
  },
  unauthorized: input => fail(input, 401, 'invalid_api_key'),
  'rate-limited': input => fail(input, 429, 'rate_limit_exceeded'),
  failing: input => fail(input, 500, 'server_error'),
  /** Never answers. */
  hang: () => {},
  /** Resets the connection. */
  reset: ({ response }) => void response.socket?.resetAndDestroy(),
  html: input => sendText(input, 'text/html', '<!doctype html><h1>Welcome</h1>'),
  'broken-json': input => sendText(input, 'application/json', '{"id": "chatcmpl-1", "choices": ['),
  refusal: input => complete(input, null, { refusal: "I'm sorry, I can't help with that." }),
  /** No choices. */
  empty: ({ request, response }) =>
    sendJson(response, 200, {
      id: 'chatcmpl-1',
      object: 'chat.completion',
      created: 1,
      model: request.body.model,
      choices: [],
    }),
  'cut-off': input => complete(input, '{"triplets": [{"subject": "a", "verb"', { finish: 'length' }),
  /** JSON that violates the schema. */
  nonsense: input => complete(input, '{"answer": 42}'),
  /** 201 triplets, one more than the contract's maximum. */
  huge: input => sendTriplets(input, HUGE),
} satisfies Record<string, (input: AnswerInput) => unknown>

/**
 * Answer to one request: a name in `ANSWERS`, a function of the text, or an object.
 * `{ triplets }` and `{ content }` are sent verbatim. `{ after, answer }` waits for milliseconds or a promise. `{ body
 * }` is a complete body of any provider. `{ knows }` refuses stricter response formats.
 */
export type AiAnswer =
  | ((text: string) => AiAnswer)
  | { triplets: AiTriplet[] }
  | { content: string }
  | { after: number | Promise<void>; answer: AiAnswer }
  | { body: unknown; status?: number; headers?: Record<string, string> }
  | { knows: 'json_object' | 'text'; refusal: { status: number; body: unknown }; answer: AiAnswer }
  | keyof typeof ANSWERS

/**
 * Answer to a request of embeddings: a function from a text to its vector, a name of an error, or `hang`, which never
 * answers.
 */
export type AiEmbedding = ((text: string) => unknown) | 'unauthorized' | 'not-found' | 'hang'

export interface AiProvider {
  /** For OPENAI_BASE_URL. */
  url: string
  /** Received requests, oldest first. */
  requests: ChatRequest[]
  /** Sets the answers of the next requests, one each, in order; later requests get the `always` answer. */
  next(...answers: AiAnswer[]): void
  /** Sets the default answer (initially `simple`). */
  always(answer: AiAnswer): void
  /** Received requests of embeddings, oldest first. */
  embedded: EmbeddingsRequest[]
  /** Sets the answer to requests of embeddings (initially `not-found`, as of a provider without embeddings). */
  embed(answer: AiEmbedding): void
  stop(): Promise<void>
}

/** Starts a scriptable OpenAI-compatible provider over HTTP on a free loopback port. */
export const startAiProvider = async (): Promise<AiProvider> => {
  const requests: ChatRequest[] = []
  const queue: AiAnswer[] = []
  let usual: AiAnswer = 'simple'

  const embedded: EmbeddingsRequest[] = []
  let embedding: AiEmbedding = 'not-found'

  const { url, stop } = await startChatServer(
    async (request, response) => {
      requests.push(request)
      await respond(queue.shift() ?? usual, request, response)
    },
    (request, response) => {
      embedded.push(request)
      sendEmbeddings(embedding, request, response)
    },
  )

  return {
    url,
    requests,
    next: (...answers) => void queue.push(...answers),
    always(answer) {
      usual = answer
    },
    embedded,
    embed(answer) {
      embedding = answer
    },
    stop,
  }
}

function sendEmbeddings(
  answer: AiEmbedding,
  { key, body }: EmbeddingsRequest,
  response: ServerResponse,
): unknown {
  const { model, input } = body
  if (answer === 'hang') return undefined
  if (answer === 'unauthorized') return sendError(response, 401, 'invalid_api_key', `key ${key}`)
  if (answer === 'not-found') return sendError(response, 404, 'unknown_url', 'no embeddings')
  return sendJson(response, 200, {
    object: 'list',
    data: input.map((text, index) => ({ object: 'embedding', index, embedding: answer(text) })),
    model,
    usage: { prompt_tokens: 0, total_tokens: 0 },
  })
}

async function respond(answer: AiAnswer, request: ChatRequest, response: ServerResponse): Promise<unknown> {
  const input = { request, text: promptText(request.body), response }
  if (typeof answer === 'function') return respond(answer(input.text), request, response)
  if (typeof answer === 'string') return ANSWERS[answer](input)
  if ('triplets' in answer) return sendTriplets(input, answer.triplets)
  if ('content' in answer) return complete(input, answer.content)
  if ('body' in answer) return sendJson(response, answer.status ?? 200, answer.body, answer.headers)
  if ('knows' in answer) {
    const asksFor = request.body.response_format?.type ?? 'text'
    if (asksFor === 'text' || asksFor === answer.knows) return respond(answer.answer, request, response)
    return sendJson(response, answer.refusal.status, answer.refusal.body)
  }
  await (typeof answer.after === 'number' ? sleep(answer.after) : answer.after)
  return respond(answer.answer, request, response)
}
