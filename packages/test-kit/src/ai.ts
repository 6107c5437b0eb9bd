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

/** What an answer is made of: the request, the text of its prompt, and where it goes. */
interface Asked {
  request: ChatRequest
  text: string
  response: ServerResponse
}

const complete = (
  { request, response }: Asked,
  ...content: [string | null, { refusal?: string; finish?: string }?]
) => sendCompletion(response, request.body.model, ...content)
const sendTriplets = (asked: Asked, triplets: AiTriplet[]) => complete(asked, JSON.stringify({ triplets }))
/** The error's text quotes the key and the prompt, which no log may repeat. */
const fail = ({ request, text, response }: Asked, status: number, code: string) =>
  sendError(response, status, code, `${code}: key ${request.key}, prompt ${text}`, {
    ...(status !== 401 && { 'retry-after-ms': '10' }),
  })
const sendText = ({ response }: Asked, mediaType: string, text: string) =>
  void response.writeHead(200, { 'content-type': mediaType }).end(text)

const HUGE = Array.from({ length: 201 }, (_, n) => ({
  subject: `s${n}`,
  verb: 'is',
  object: 'x'.repeat(500),
}))

const ANSWERS = {
  /** Triplets of the request's own text. */
  simple: asked => sendTriplets(asked, simpleTriplets(asked.text)),
  /** The triplets of the offline provider. */
  rules: async asked => {
    const { ruleTriplets } = await import('@iodine/offline-ai/triplets')
    return sendTriplets(asked, ruleTriplets(asked.text))
  },
  unauthorized: asked => fail(asked, 401, 'invalid_api_key'),
  'rate-limited': asked => fail(asked, 429, 'rate_limit_exceeded'),
  failing: asked => fail(asked, 500, 'server_error'),
  /** Never answers. */
  hang: () => {},
  /** Cuts the connection. */
  reset: ({ response }) => void response.socket?.resetAndDestroy(),
  html: asked => sendText(asked, 'text/html', '<!doctype html><h1>Welcome</h1>'),
  'broken-json': asked => sendText(asked, 'application/json', '{"id": "chatcmpl-1", "choices": ['),
  refusal: asked => complete(asked, null, { refusal: "I'm sorry, I can't help with that." }),
  /** No choices. */
  empty: ({ request, response }) =>
    sendJson(response, 200, {
      id: 'chatcmpl-1',
      object: 'chat.completion',
      created: 1,
      model: request.body.model,
      choices: [],
    }),
  'cut-off': asked => complete(asked, '{"triplets": [{"subject": "a", "verb"', { finish: 'length' }),
  /** JSON of another shape. */
  nonsense: asked => complete(asked, '{"answer": 42}'),
  /** 201 triplets, one more than the contract takes. */
  huge: asked => sendTriplets(asked, HUGE),
} satisfies Record<string, (asked: Asked) => unknown>

/**
 * How the provider answers one request: `{ triplets }` as asked, `{ content }` word for word, one of `ANSWERS` by its name,
 * `{ after, answer }` that many milliseconds later, or what a function makes of the text.
 */
export type AiAnswer =
  | ((text: string) => AiAnswer)
  | { triplets: AiTriplet[] }
  | { content: string }
  | { after: number; answer: AiAnswer }
  | keyof typeof ANSWERS

export interface AiProvider {
  /** For OPENAI_BASE_URL. */
  url: string
  /** What came in, oldest first. */
  requests: ChatRequest[]
  /** Answers the next requests so, one each, in order; after them `always` counts again. */
  next(...answers: AiAnswer[]): void
  /** Answers every further request so (at first: `simple`). */
  always(answer: AiAnswer): void
  stop(): Promise<void>
}

/** A scriptable OpenAI-compatible provider over real HTTP on a free loopback port. */
export const startAiProvider = async (): Promise<AiProvider> => {
  const requests: ChatRequest[] = []
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

async function respond(answer: AiAnswer, request: ChatRequest, response: ServerResponse): Promise<unknown> {
  const asked = { request, text: promptText(request.body), response }
  if (typeof answer === 'function') return respond(answer(asked.text), request, response)
  if (typeof answer === 'string') return ANSWERS[answer](asked)
  if ('triplets' in answer) return sendTriplets(asked, answer.triplets)
  if ('content' in answer) return complete(asked, answer.content)
  await sleep(answer.after)
  return respond(answer.answer, request, response)
}
