import { DONE, notificationsInternal } from '@iodine/contracts'
import {
  createService,
  feedSecretContext,
  HttpError,
  type Part,
  readConfig,
  type Service,
  seal,
  serviceConfigSchema,
} from '@iodine/service-kit'
import { newId, type ServiceFixture, startServiceFixture } from '@iodine/test-kit'
import { type Feed, startFeed } from '@iodine/test-kit/feed'
import { Webhook } from 'standardwebhooks'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { createApp, workersConfigSchema } from '../src/index.js'

const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
interface Received {
  body: string
  headers: Record<string, string>
}

let fixture: ServiceFixture
let receiver: Feed
let workers: Part
let producer: Service
let received: Received[]
let results: Map<string, string | null>
const deliveries = new Map<string, { url: string; sealed: string; payload: string }>()

beforeAll(async () => {
  receiver = await startFeed(() => {})
  fixture = await startServiceFixture()
  fixture.answer(notificationsInternal.getDelivery, ({ params: { id } }) => {
    const delivery = deliveries.get(id)
    if (!delivery) throw new HttpError(404, 'Not found')
    return { id, user_id: USER, ...delivery }
  })
  fixture.answer(notificationsInternal.finishDelivery, ({ params, body }) => {
    results.set(params.id, body.error)
    return DONE
  })
  const config = readConfig(workersConfigSchema, {
    ...fixture.env,
    SMTP_URL: 'smtp://127.0.0.1:1',
    WEBHOOKS_ALLOW: receiver.host,
    // Only subscriptions, which administrators create, may query this host.
    SUBSCRIPTIONS_ALLOW: '10.0.0.1',
    SUBSCRIPTIONS_CA: receiver.ca,
  })
  workers = await createApp(config, fixture.deps)
  producer = await createService('producer', readConfig(serviceConfigSchema, fixture.env), fixture.deps)
})
afterAll(async () => {
  await workers?.close()
  await producer?.close()
  await receiver?.stop()
  await fixture?.stop()
})
beforeEach(() => {
  received = []
  results = new Map()
})

const USER = newId()
const answer = (status: number) =>
  receiver.answer((_url, request, response) => {
    let body = ''
    request.on('data', chunk => {
      body += chunk
    })
    request.on('end', () => {
      received.push({ body, headers: request.headers as Record<string, string> })
      response.writeHead(status).end()
    })
  })
const deliver = async (payload: object, url = `${receiver.url}hook`, secret = SECRET): Promise<string> => {
  const id = newId()
  const sealed = seal(fixture.env.SECRETS_KEY ?? '', feedSecretContext(USER, url), secret)
  deliveries.set(id, { url, sealed, payload: JSON.stringify(payload) })
  await producer.queues.add('webhooks', { delivery_id: id }, { removeOnComplete: true })
  return id
}
const resultOf = async (id: string) => {
  await expect.poll(() => results.has(id)).toBe(true)
  return results.get(id)
}

it('signs deliveries: a receiver verifies them with the library, and refuses changed and replayed ones', async () => {
  answer(204)
  const payload = { type: 'notification.created', data: { title: 'Wörter' } }
  const id = await deliver(payload)
  expect(await resultOf(id)).toBeNull()
  const [{ body, headers } = { body: '', headers: {} }] = received
  const webhook = new Webhook(SECRET)
  expect(webhook.verify(body, headers)).toEqual(payload)
  expect(headers['webhook-id']).toBe(`msg_${id}`)
  expect(() => webhook.verify(body.replace('W', 'M'), headers)).toThrow()
  expect(() => webhook.verify(body, { ...headers, 'webhook-id': 'msg_other' })).toThrow()
  // Replayed with the present time: the signature covers the time.
  const later = String(Number(headers['webhook-timestamp']) + 60)
  expect(() => webhook.verify(body, { ...headers, 'webhook-timestamp': later })).toThrow()
  // Replayed after the tolerance of five minutes.
  const at = new Date(Date.now() - 6 * 60_000)
  const old = {
    ...headers,
    'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
    'webhook-signature': webhook.sign(`msg_${id}`, at, body),
  }
  expect(() => webhook.verify(body, old)).toThrow(/too old/)
  expect(() => new Webhook(`whsec_${Buffer.alloc(32).toString('base64')}`).verify(body, headers)).toThrow()
})

it('reports failures with a reason, and requests no private host', async () => {
  answer(500)
  expect(await resultOf(await deliver({}))).toBe('The webhook answered with status 500')
  receiver.answer((_url, _request, response) =>
    response.writeHead(302, { location: 'https://127.0.0.1/' }).end(),
  )
  expect(await resultOf(await deliver({}))).toContain('redirects')
  for (const url of ['https://127.0.0.1/', 'https://10.0.0.1/', 'https://[::1]/', 'https://localhost/'])
    expect([url, await resultOf(await deliver({}, url))]).toEqual([
      url,
      expect.stringContaining('not public'),
    ])
  expect(await resultOf(await deliver({}, undefined, 'no secret'))).toContain('secret cannot be read')
})

it('skips completed deliveries, and limits the time of a receiver that never answers', {
  tags: 'long',
}, async () => {
  receiver.answer(() => {})
  const silent = await deliver({})
  await producer.queues.add('webhooks', { delivery_id: newId() }, { removeOnComplete: true })
  expect(await resultOf(silent)).toBe('The response took too long')
  expect(results.size).toBe(1)
})
