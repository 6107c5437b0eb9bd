import { authInternal, campaignsApi, iodsApi, outboxInternal, profileApi } from '@iodine/contracts'
import {
  createStoreService,
  readConfig,
  type StoreService,
  Streamed,
  storeConfigSchema,
} from '@iodine/service-kit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  type ApiClient,
  anIod,
  apiClient,
  iodInput,
  newId,
  type ServiceFixture,
  startServiceFixture,
} from '../src/index.js'

const iod = anIod()

let fixture: ServiceFixture
let service: StoreService
let api: ApiClient
beforeAll(async () => {
  fixture = await startServiceFixture()
  service = await createStoreService('liar', readConfig(storeConfigSchema, fixture.env), fixture.deps)
  service.route(profileApi.getProfile, async () => ({ id: newId() }) as never)
  service.route(iodsApi.listIods, async () => {
    async function* pieces() {
      yield `[${JSON.stringify(iod)}`
      yield `,${JSON.stringify({ ...iod, votes: [{ id: newId(), vote_type: 'UP' }] })}]`
    }
    return new Streamed(pieces())
  })
  service.route({ ...iodsApi.createIod, status: 200 }, async () => iod)
  service.route(iodsApi.getIodFacets, async () => ({ total: 0, categories: {}, source_types: {}, more: 1 }))
  service.internal(outboxInternal.listFailedWork, async () => [{ id: 'none' }] as never)
  service.internal(authInternal.checkSession, async () => ({ user_id: newId(), scope: 'full' as const }))
  service.app.get('/api/v1/campaigns/my', (_request, reply) => reply.code(500).send({ message: 'no' }))
  service.app.get('/api/v1/nowhere', (_request, reply) => reply.code(404).send({ message: 'no' }))
  const url = await fixture.listen(service)
  api = apiClient(url, (await fixture.user()).token)
})
afterAll(() => fixture?.stop())

test('rejects an answer that lacks a field, by call and by path', async () => {
  const fault = /^GET \/profile\/me answers 200 unlike its contract: email: /
  await expect(api.call(profileApi.getProfile)).rejects.toThrow(fault)
  await expect(api.send('GET', '/profile/me/?x=1')).rejects.toThrow(fault)
})

test('rejects an answer with an unknown field', async () => {
  await expect(api.call(iodsApi.getIodFacets)).rejects.toThrow(
    'GET /iods/facets answers 200 unlike its contract: more: is not a known field',
  )
})

test('rejects a streamed list, with the path of the fault', async () => {
  await expect(api.send('GET', '/iods')).rejects.toThrow(/^GET \/iods answers 200 .*1\.votes\.0\.vote_type: /)
})

test('rejects another success status', async () => {
  await expect(api.call(iodsApi.createIod, { body: iodInput() })).rejects.toThrow(
    'POST /iods answers 200 unlike its contract: success is 201',
  )
})

test('rejects an error without a detail', async () => {
  const fault = /^GET \/campaigns\/my answers 500 unlike its contract: detail: /
  await expect(api.send('GET', '/campaigns/my')).rejects.toThrow(fault)
  await expect(api.call(campaignsApi.listMyCampaigns)).rejects.toThrow(fault)
  await expect(api.send('GET', '/nowhere')).rejects.toThrow(/^GET \/nowhere answers 404 unlike .*: detail: /)
})

test('checks the answers of internal endpoints', async () => {
  expect(await fixture.internal(authInternal.checkSession, { body: { sid: 'x' } })).toMatchObject({
    scope: 'full',
  })
  await expect(fixture.internal(outboxInternal.listFailedWork)).rejects.toThrow(
    /^GET \/internal\/outbox answers 200 unlike its contract: 0\.id: /,
  )
})
