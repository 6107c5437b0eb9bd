import { describe, expect, it } from 'vitest'
import {
  campaignsApi,
  capturesApi,
  createClient,
  iodsApi,
  profileApi,
  type Transport,
  type WireRequest,
} from '../src/index.js'

interface Sent extends WireRequest {
  target: string
}

/** A transport that answers every request alike, and records the requests. */
const answering = (body: unknown, init: ResponseInit = {}) => {
  const sent: Sent[] = []
  const transport: Transport<Response> = async (target, request) => {
    sent.push({ target, ...request })
    return new Response(JSON.stringify(body), init)
  }
  return { sent, transport }
}

/** A transport that never answers; it aborts with the signal, as fetch does. */
const silent: Transport = (_target, { signal }) =>
  new Promise((_, reject) => {
    signal?.addEventListener('abort', () => reject(signal.reason))
  })

describe('a call', () => {
  it('sends the bytes of a raw endpoint unchanged', async () => {
    const { sent, transport } = answering({})
    const body = Uint8Array.of(0, 255)
    const params = { id: 'a', sha256: 'b' }
    await createClient(transport).call(capturesApi.putBlob, { params, body })
    expect(sent).toEqual([
      {
        method: 'PUT',
        target: '/captures/a/blobs/b',
        headers: { accept: 'application/json', 'content-type': 'application/octet-stream' },
        body,
      },
    ])
  })
  it('sends method, path, query, body and token', async () => {
    const { sent, transport } = answering({})
    const { call } = createClient(transport, { token: () => 'secret' })
    await call(iodsApi.voteIod, { params: { id: 'a/b' }, body: { vote_type: 'POSITIVE' } })
    await call(iodsApi.listIods, { query: { category: ['URL', 'HASH'], limit: 5 } })
    const authorization = 'Bearer secret'
    expect(sent).toEqual([
      {
        method: 'POST',
        target: '/iods/a%2Fb/vote',
        headers: { accept: 'application/json', authorization, 'content-type': 'application/json' },
        body: '{"vote_type":"POSITIVE"}',
      },
      {
        method: 'GET',
        target: '/iods?category=URL&category=HASH&limit=5',
        headers: { accept: 'application/json', authorization },
      },
    ])
  })

  it('rejects with the call, the status, the detail and the time to wait', async () => {
    const { transport } = answering({ detail: ['a', 'b'] }, { status: 429, headers: { 'retry-after': '7' } })
    await expect(createClient(transport).call(profileApi.getProfile)).rejects.toMatchObject({
      name: 'ApiError',
      message: 'GET /profile/me: 429 a b',
      call: 'GET /profile/me',
      status: 429,
      detail: ['a', 'b'],
      retryAfterMs: 7_000,
    })
  })

  it('keeps the cause of a timeout or a failed request', async () => {
    await expect(createClient(silent, { ms: 1 }).call(profileApi.getProfile)).rejects.toMatchObject({
      status: 0,
      detail: null,
      cause: { name: 'TimeoutError' },
    })
    const broken: Transport = async () => {
      throw new TypeError('fetch failed')
    }
    await expect(createClient(broken).call(profileApi.getProfile)).rejects.toMatchObject({
      message: 'GET /profile/me: 0 no answer',
      cause: { message: 'fetch failed' },
    })
  })

  it('rejects with the abort of the caller’s signal, not as a failed request', async () => {
    const page = new AbortController()
    const call = createClient(silent, { ms: 60_000 }).call(profileApi.getProfile, { signal: page.signal })
    page.abort()
    await expect(call).rejects.toMatchObject({ name: 'AbortError' })
  })
})

it('checks an answer before the caller receives it, also an error', async () => {
  const seen: unknown[] = []
  for (const status of [200, 404])
    await createClient(answering({ detail: 'x' }, { status }).transport, {
      check: (endpoint, ...answer) => void seen.push([endpoint.path, ...answer]),
    })
      .call(profileApi.getProfile)
      .catch(() => {})
  expect(seen).toEqual([200, 404].map(status => ['/profile/me', status, { detail: 'x' }]))
})

it('leaves an opened answer unread, and reads an error', async () => {
  const params = { id: 'x' }
  const good = createClient(answering([1]).transport)
  const answer = await good.open(campaignsApi.getCampaign, { params })
  expect([answer.bodyUsed, await answer.json()]).toEqual([false, [1]])
  const bad = createClient(answering({ detail: 'no' }, { status: 404 }).transport)
  await expect(bad.open(campaignsApi.getCampaign, { params })).rejects.toMatchObject({
    status: 404,
    detail: 'no',
  })
})
