import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

interface AiRequest<Body> {
  /** Bearer token; empty without one. */
  key: string
  /** All request headers. */
  headers: IncomingHttpHeaders
  body: Body
}

export type ChatRequest = AiRequest<{
  model: string
  messages: { role: string; content: string }[]
  response_format?: { type: string; json_schema?: { strict?: boolean; schema: unknown } }
  tools?: unknown
}>

export type EmbeddingsRequest = AiRequest<{
  model: string
  input: string[]
  dimensions?: number
  encoding_format?: string
}>

export interface ChatServer {
  /** Value for OPENAI_BASE_URL. */
  url: string
  stop(): Promise<void>
}

const BODY_BYTES_MAX = 4 * 1_048_576

/** Parses the request's JSON; returns undefined if it is invalid, too long or lacks the list. */
const readBody = async <T>(request: IncomingMessage, list: keyof T & string): Promise<T | undefined> => {
  let text = ''
  for await (const chunk of request.setEncoding('utf8')) {
    text += chunk
    if (text.length > BODY_BYTES_MAX) return undefined
  }
  try {
    const body = JSON.parse(text)
    return Array.isArray(body?.[list]) ? body : undefined
  } catch {
    return undefined
  }
}

export const sendJson = (
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): void =>
  void response
    .writeHead(status, { 'content-type': 'application/json', ...headers })
    .end(JSON.stringify(body))

/** Sends an error in OpenAI's format. */
export const sendError = (
  response: ServerResponse,
  status: number,
  code: string,
  message: string,
  headers?: Record<string, string>,
): void => sendJson(response, status, { error: { message, type: code, param: null, code } }, headers)

let completions = 0

/** Sends a completion with one choice. */
export const sendCompletion = (
  response: ServerResponse,
  model: string,
  content: string | null,
  { refusal = null, finish = 'stop' }: { refusal?: string | null; finish?: string } = {},
): void =>
  sendJson(response, 200, {
    id: `chatcmpl-${++completions}`,
    object: 'chat.completion',
    created: Math.floor(Date.now() / 1000),
    model,
    choices: [
      { index: 0, message: { role: 'assistant', content, refusal }, logprobs: null, finish_reason: finish },
    ],
    usage: { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 },
  })

/** Returns the text between the marker lines of the last user message, or the whole message without markers. */
export const promptText = ({ messages }: ChatRequest['body']): string => {
  const content = String(messages.findLast(({ role }) => role === 'user')?.content ?? '')
  return /^<(text-[\w-]+)>\n([\s\S]*)\n<\/\1>$/.exec(content)?.[2] ?? content
}

/**
 * Starts an OpenAI-compatible server on a free loopback port. `respond` answers `POST /v1/chat/completions`, `embed`
 * answers `POST /v1/embeddings` for lists of texts.
 */
export const startChatServer = async (
  respond: (request: ChatRequest, response: ServerResponse) => unknown,
  embed?: (request: EmbeddingsRequest, response: ServerResponse) => unknown,
): Promise<ChatServer> => {
  const server = createServer(async (request, response) => {
    const { headers, method, url } = request
    const key = (headers.authorization ?? '').replace(/^Bearer +/i, '')
    if (embed && method === 'POST' && url === '/v1/embeddings') {
      const body = await readBody<EmbeddingsRequest['body']>(request, 'input').catch(() => undefined)
      if (!body) return sendError(response, 400, 'invalid_request_error', 'The body has no texts')
      await embed({ key, headers, body }, response)
      return
    }
    if (method !== 'POST' || url !== '/v1/chat/completions')
      return sendError(response, 404, 'unknown_url', `Unknown request URL: ${method} ${url}`)
    const body = await readBody<ChatRequest['body']>(request, 'messages').catch(() => undefined)
    if (!body) return sendError(response, 400, 'invalid_request_error', 'The body is not a chat')
    await respond({ key, headers, body }, response)
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, '127.0.0.1', resolve)
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    stop: () =>
      new Promise(resolve => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
