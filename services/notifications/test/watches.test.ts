import { campaignsInternal, DETAILS, iodsInternal, LIMITS, watchesApi } from '@iodine/contracts'
import { type FixtureUser, newId } from '@iodine/test-kit'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { startTestServer, type TestServer } from './test-server.js'

let server: TestServer
let ana: FixtureUser
let bo: FixtureUser
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server?.fixture.stop())
beforeEach(async () => {
  ;[ana, bo] = [await server.fixture.user('ana'), await server.fixture.user('bo')]
})

const add = (user: FixtureUser, body: unknown) => server.as(user).send('POST', '/watches', body)

it('creates, lists, changes and deletes watches, hidden from other users', async () => {
  const subject_id = newId()
  const { status, body } = await add(ana, { kind: 'iod', subject_id })
  expect([status, body]).toMatchObject([
    201,
    {
      kind: 'iod',
      subject_id,
      name: `Value ${subject_id}`,
      paused: false,
      channels: ['mail', 'webhook', 'feed'],
    },
  ])
  const { id } = body as { id: string }
  const changes = { name: 'Mine', paused: true, channels: ['mail'] as 'mail'[] }
  expect(await server.as(ana).call(watchesApi.updateWatch, { params: { id }, body: changes })).toMatchObject(
    changes,
  )
  expect(await server.as(bo).call(watchesApi.listWatches)).toEqual([])
  expect((await server.as(bo).send('PATCH', `/watches/${id}`, { paused: false })).status).toBe(404)
  expect((await server.as(bo).send('DELETE', `/watches/${id}`)).status).toBe(404)
  expect(await server.as(ana).call(watchesApi.listWatches)).toHaveLength(1)
  expect(await server.as(ana).call(watchesApi.deleteWatch, { params: { id } })).toEqual({ id })
  expect(await server.as(ana).call(watchesApi.listWatches)).toEqual([])
})

it('watches a subject once, also under concurrency, and ignores the order of a list', async () => {
  const search = { q: 'vaccine', category: ['KEYWORDS'], sort: 'votes' }
  const answers = await Promise.all([1, 2, 3, 4].map(() => add(ana, { kind: 'search', search })))
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 200, 201])
  const [watch, ...others] = await server.as(ana).call(watchesApi.listWatches)
  expect(others).toEqual([])
  expect(watch).toMatchObject({
    search: { q: 'vaccine', category: ['KEYWORDS'] },
    name: '“vaccine”, KEYWORDS',
  })
  expect(watch?.search).not.toHaveProperty('sort')
})

it('names campaigns and persons, and answers 404 for unknown subjects', async () => {
  const subject_id = newId()
  expect((await add(ana, { kind: 'campaign', subject_id })).body).toMatchObject({
    name: `Campaign ${subject_id}`,
  })
  expect((await add(ana, { kind: 'person', subject_id: bo.id })).body).toMatchObject({ name: 'bo' })
  expect((await add(ana, { kind: 'person', subject_id: newId() })).status).toBe(404)
  server.fixture.answer(iodsInternal.getIods, () => [])
  server.fixture.answer(campaignsInternal.nameCampaigns, () => [])
  expect((await add(ana, { kind: 'iod', subject_id: newId() })).status).toBe(404)
  expect((await add(ana, { kind: 'campaign', subject_id: newId() })).status).toBe(404)
})

it('refuses invalid watches with a sentence', async () => {
  const long = 'x'.repeat(LIMITS.watchTextMax + 1)
  const invalid: unknown[] = [
    { kind: 'search', search: {} },
    { kind: 'search', search: { sort: 'votes' } },
    { kind: 'search', search: { category: ['NOTHING'] } },
    { kind: 'search', search: { colour: 'red' } },
    { kind: 'search', search: { created_by: ['nobody_at_all'] } },
    { kind: 'term', text: ' ' },
    { kind: 'term', text: '\u200b' },
    { kind: 'text', text: long },
    { kind: 'url', text: 'javascript:alert(1)' },
    { kind: 'iod', subject_id: 'none' },
    { kind: 'nothing' },
    { kind: 'term', text: 'x', channels: ['mail', 'mail'] },
  ]
  for (const body of invalid) expect([body, (await add(ana, body)).status]).toEqual([body, 422])
  expect(await server.as(ana).call(watchesApi.listWatches)).toEqual([])
})

it('limits the watches of a user, also under concurrency, and no other user', { tags: 'long' }, async () => {
  const statuses: number[] = []
  for (let n = 0; n < LIMITS.watchesMax + 20; n += 20)
    statuses.push(
      ...(await Promise.all(
        Array.from({ length: 20 }, (_, at) => add(ana, { kind: 'term', text: `term ${n + at}` })),
      ).then(answers => answers.map(({ status }) => status))),
    )
  expect(statuses.filter(status => status === 201)).toHaveLength(LIMITS.watchesMax)
  expect(await add(ana, { kind: 'term', text: 'one more' })).toMatchObject({
    status: 413,
    body: { detail: DETAILS.watchesFull },
  })
  expect((await add(bo, { kind: 'term', text: 'one' })).status).toBe(201)
})
