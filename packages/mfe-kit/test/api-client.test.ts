// @vitest-environment node
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { errorDetail, hasStatus } from '../src'
import { createApiClient } from '../src/host'

interface Seen {
  method: string | undefined
  url: string | undefined
  headers: IncomingMessage['headers']
  body: string
}

let answer: { status: number; body: string; headers?: Record<string, string> }
let seen: Seen[]
let baseUrl: string
let close: () => void

beforeEach(async () => {
  answer = { status: 200, body: '{}' }
  seen = []
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    seen.push({ method: request.method, url: request.url, headers: request.headers, body })
    response.writeHead(answer.status, { 'content-type': 'application/json', ...answer.headers })
    response.end(answer.body)
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/v1`
  close = () => {
    server.closeAllConnections()
    server.close()
  }
})

afterEach(() => close())

const client = (token: string | null = 'secret', onUnauthorized?: (token: string | null) => void) =>
  createApiClient({ baseUrl, getToken: () => token, ...(onUnauthorized && { onUnauthorized }) })

test('sends method, encoded path, bearer token and JSON body', async () => {
  await client().call('POST /iods/:id/vote', { params: { id: 'a/b' }, body: { vote_type: 'POSITIVE' } })
  expect(seen[0]).toMatchObject({
    method: 'POST',
    url: '/api/v1/iods/a%2Fb/vote',
    body: '{"vote_type":"POSITIVE"}',
  })
  expect(seen[0]?.headers).toMatchObject({
    authorization: 'Bearer secret',
    'content-type': 'application/json',
  })
})

test('downloads the bytes of a response, and rejects an error response like any call', async () => {
  answer = { status: 200, body: 'PK\u0003', headers: { 'content-type': 'application/wacz+zip' } }
  const file = await client().download('GET /captures/:id/wacz', { params: { id: 'a' } })
  expect([await file.text(), file.type]).toEqual(['PK\u0003', 'application/wacz+zip'])
  expect(seen[0]).toMatchObject({ method: 'GET', url: '/api/v1/captures/a/wacz' })
  answer = { status: 404, body: '{"detail":"Not found"}' }
  await expect(client().download('GET /captures/:id/wacz', { params: { id: 'a' } })).rejects.toMatchObject({
    status: 404,
    detail: 'Not found',
  })
})

test('omits both headers without a token and a body', async () => {
  await client(null).call('GET /profile/me')
  expect(seen[0]?.headers.authorization).toBeUndefined()
  expect(seen[0]?.headers['content-type']).toBeUndefined()
})

test('repeats list parameters, omits absent ones, and sends numbers as text', async () => {
  await client().call('GET /iods', {
    query: { q: 'a&b', category: ['URL', 'HASH'], source_type: undefined, limit: 5 },
  })
  expect(seen[0]?.url).toBe('/api/v1/iods?q=a%26b&category=URL&category=HASH&limit=5')
})

test('returns the total, its relation and the next cursor from the headers', async () => {
  answer = { status: 200, body: '[]', headers: { 'X-Total-Count': '7', 'X-Next-Cursor': 'abc' } }
  await expect(client().page('GET /iods', { query: { limit: 1 } })).resolves.toEqual({
    items: [],
    total: 7,
    nextCursor: 'abc',
  })
  answer.headers = { 'X-Total-Count': '10000', 'X-Total-Relation': 'gte' }
  await expect(client().page('GET /iods', { query: { limit: 1 } })).resolves.toEqual({
    items: [],
    total: 10_000,
    exact: false,
    nextCursor: null,
  })
})

test.each([
  ['{"detail":"Invalid beta code"}', 'Invalid beta code'],
  ['{"detail":["email is missing","code is wrong"]}', 'email is missing, code is wrong'],
  ['{"detail":{"msg":"x"}}', 'fallback'],
  ['<html>', 'fallback'],
])('reads the error response %s as "%s"', async (body, text) => {
  answer = { status: 400, body }
  const error = await client()
    .call('GET /profile/me')
    .catch((caught: unknown) => caught)
  expect(hasStatus(error, 400)).toBe(true)
  expect(errorDetail(error, 'fallback')).toBe(text)
})

test('rejects a response that is not JSON even with status 200', async () => {
  answer = { status: 200, body: 'oops' }
  await expect(client().call('GET /profile/me')).rejects.toMatchObject({ name: 'ApiError', status: 200 })
})

test('rejects with status 0 and no detail if there is no response', async () => {
  close()
  await expect(client().call('GET /profile/me')).rejects.toMatchObject({ status: 0, detail: null })
})

test('reports the rejected token of a 401 to the host, and still rejects', async () => {
  answer = { status: 401, body: '{"detail":"Not authenticated"}' }
  const refused = vi.fn()
  await expect(client('old', refused).call('GET /iods')).rejects.toMatchObject({ status: 401 })
  expect(refused).toHaveBeenCalledExactlyOnceWith('old')
})

test('rejects an aborted call with the abort, not with an ApiError', async () => {
  const page = new AbortController()
  page.abort()
  await expect(client().call('GET /iods', { signal: page.signal })).rejects.toMatchObject({
    name: 'AbortError',
  })
})
