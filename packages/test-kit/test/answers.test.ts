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
  type ServiceBed,
  startServiceBed,
} from '../src/index.js'

const iod = anIod()

let bed: ServiceBed
let service: StoreService
let api: ApiClient
beforeAll(async () => {
  bed = await startServiceBed()
  service = await createStoreService('liar', readConfig(storeConfigSchema, bed.env), bed.deps)
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
  const url = await bed.listen(service)
  api = apiClient(url, (await bed.user()).token)
})
afterAll(() => bed?.stop())

test('an answer that lacks a field fails whoever asked, by call and by path', async () => {
  const fault = /^GET \/profile\/me answers 200 unlike its contract: email: /
  await expect(api.call(profileApi.getProfile)).rejects.toThrow(fault)
  await expect(api.send('GET', '/profile/me/?x=1')).rejects.toThrow(fault)
})

test('so does a field too many', async () => {
  await expect(api.call(iodsApi.getIodFacets)).rejects.toThrow(
    'GET /iods/facets answers 200 unlike its contract: more: is not a known field',
  )
})

test('so does a streamed list, whose fault is named by its place', async () => {
  await expect(api.send('GET', '/iods')).rejects.toThrow(/^GET \/iods answers 200 .*1\.votes\.0\.vote_type: /)
})

test('so does another status of success', async () => {
  await expect(api.call(iodsApi.createIod, { body: iodInput() })).rejects.toThrow(
    'POST /iods answers 200 unlike its contract: success is 201',
  )
})

test('so does an error that is no detail', async () => {
  const fault = /^GET \/campaigns\/my answers 500 unlike its contract: detail: /
  await expect(api.send('GET', '/campaigns/my')).rejects.toThrow(fault)
  await expect(api.call(campaignsApi.listMyCampaigns)).rejects.toThrow(fault)
  await expect(api.send('GET', '/nowhere')).rejects.toThrow(/^GET \/nowhere answers 404 unlike .*: detail: /)
})

test('internal endpoints are held to theirs too', async () => {
  expect(await bed.internal(authInternal.checkSession, { body: { sid: 'x' } })).toMatchObject({
    scope: 'full',
  })
  await expect(bed.internal(outboxInternal.listFailedWork)).rejects.toThrow(
    /^GET \/internal\/outbox answers 200 unlike its contract: 0\.id: /,
  )
})
