import { authInternal, endpoint } from '@iodine/contracts'
import { createStoreService, readConfig, type StoreService, storeConfigSchema } from '@iodine/service-kit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import {
  apiClient,
  type ServiceFixture,
  startServiceFixture,
  startTestRedis,
  type TestServer,
} from '../src/index.js'

const addNote = endpoint('user', 'POST /notes', {
  summary: 'Keep a note',
  body: z.strictObject({ text: z.string() }),
  response: z.strictObject({ notes: z.int(), by: z.string().nullable() }),
  status: 201,
})

let fixture: ServiceFixture
let redis: TestServer
let service: StoreService
let url: string
beforeAll(async () => {
  fixture = await startServiceFixture()
  redis = await startTestRedis()
  const env = { ...fixture.env, REDIS_URL: redis.url }
  service = await createStoreService('notes', readConfig(storeConfigSchema, env), fixture.deps)
  service.route(addNote, async ({ body, user }) => {
    const notes = service.mongo.collection('notes')
    await notes.insertOne({ text: body.text, user: user.id })
    const names = await service.users.usernames([user.id])
    return { notes: await notes.countDocuments({ user: user.id }), by: names.get(user.id) ?? null }
  })
  url = await fixture.listen(service)
})
afterAll(async () => {
  await fixture?.stop()
  await redis?.stop()
})

test('runs one service on real databases, for users of the fixture', async () => {
  const [ana, nameless] = [await fixture.user('ana'), await fixture.user()]
  const add = (token: string) => apiClient(url, token).call(addNote, { body: { text: 'x' } })
  expect(await add(ana.token)).toEqual({ notes: 1, by: 'ana' })
  expect(await add(ana.token)).toEqual({ notes: 2, by: 'ana' })
  expect(await add(nameless.token)).toEqual({ notes: 1, by: null })
  expect((await fetch(`${url}/readyz`)).status).toBe(200)
})

test('answers 401 to a missing, malformed or expired token, and 403 to the collector’s', async () => {
  const { id } = await fixture.user('bo')
  const status = async (token?: string) =>
    (await apiClient(url, token).send('POST', '/notes', { text: 'x' })).status
  expect(await status()).toBe(401)
  expect(await status('ey.not.real')).toBe(401)
  expect(await status(await fixture.token({ id }, -1_000))).toBe(401)
  expect(await status(await fixture.token({ id, scope: 'collector' }))).toBe(403)
  expect(await status(await fixture.token({ id }))).toBe(201)
})

test('stubs the answers of other services over HTTP', async () => {
  fixture.answer(authInternal.getSealedAiKey, ({ params }) => ({ sealed: `of ${params.id}` }))
  const { id } = await fixture.user()
  expect(await service.peers.call('auth', authInternal.getSealedAiKey, { params: { id } })).toEqual({
    sealed: `of ${id}`,
  })
  await expect(service.peers.call('auth', authInternal.checkSession, { body: { sid: 'x' } })).rejects.toThrow(
    'Not found',
  )
})

test('a stopped database makes the service unready, without blocking it', async () => {
  await redis.stop()
  const answer = await fetch(`${url}/readyz`)
  expect(answer.status).toBe(503)
  expect(await answer.json()).toMatchObject({ status: 'down', parts: { mongodb: 'up', redis: 'down' } })
})
