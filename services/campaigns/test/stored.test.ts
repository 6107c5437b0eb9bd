import { campaignsApi, iodsInternal, type QueryFor } from '@iodine/contracts'
import { readConfig, type StoreService } from '@iodine/service-kit'
import {
  type ApiClient,
  apiClient,
  commandsOf,
  type FixtureUser,
  newId,
  plansOf,
  type ServiceFixture,
  startServiceFixture,
} from '@iodine/test-kit'
import { Types } from 'mongoose'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { searchFields } from '../src/campaigns/models/campaign.js'
import { campaignsConfigSchema, createApp } from '../src/index.js'

let fixture: ServiceFixture
let service: StoreService
let ana: FixtureUser
let api: ApiClient

const CAMPAIGNS = 700
const iod = newId()
const aCampaign = (n: number, name = `${n % 2 ? 'Élan' : 'NIGHT numbers'} ${n}`) => ({
  _id: new Types.ObjectId(),
  ...searchFields({ name }),
  name,
  description: '',
  created_by: new Types.ObjectId(ana.id),
  created_at: new Date(Date.UTC(2026, 0, 1, 0, n >> 1)),
  changed_at: new Date(0),
  iod_count: n % 3 ? 2 : 0,
  iod_ids: n % 3 ? [new Types.ObjectId(), new Types.ObjectId(iod)] : [],
})

beforeAll(async () => {
  fixture = await startServiceFixture({ monitorCommands: true })
  ana = await fixture.user('ana')
  service = await createApp(readConfig(campaignsConfigSchema, fixture.env), fixture.deps)
  const campaigns = Array.from({ length: CAMPAIGNS }, (_, n) => aCampaign(n))
  await service.mongo.collection('campaigns').insertMany(campaigns)
  api = apiClient(await fixture.listen(service), ana.token)
  fixture.answer(iodsInternal.knownIods, ({ body }) => body.ids)
})
afterAll(() => fixture?.stop())

type Query = QueryFor<typeof campaignsApi.listCampaigns>
const list = (query: Query) => api.call(campaignsApi.listCampaigns, { query })

it('campaigns are found by a part of their name and by IOD', async () => {
  expect(await list({})).toHaveLength(CAMPAIGNS)
  expect(await list({ q: 'e\u0301LAN' })).toHaveLength(CAMPAIGNS / 2)
  expect((await list({ q: 'numbers 42' })).map(({ name }) => name)).toEqual([
    ...[428, 426, 424, 422, 420].map(n => `NIGHT numbers ${n}`),
    'NIGHT numbers 42',
  ])
  expect(await list({ iod_id: iod })).toHaveLength(466)
})

it('the sweep of publications writes nothing when none is due', async () => {
  const { all, writes } = await commandsOf(service.mongo, () => service.tasks.run('publications'))
  expect([all.includes('distinct publications'), writes]).toEqual([true, []])
})

it.each<[Query, number]>([
  [{ iod_id: iod }, 466],
  [{ iod_id: iod, q: 'LAN' }, 466],
  [{ q: 'night numbers' }, 351],
  [{ q: 'i' }, 351],
])('a page of %j reads its index in the order of the list', async (query, candidates) => {
  const LIMIT = 7
  const plans = await plansOf(service.mongo, 'campaigns', async () => {
    const search = new URLSearchParams({ ...query, limit: String(LIMIT) })
    const first = await api.send('GET', `/campaigns?${search}`)
    search.set('cursor', first.headers.get('x-next-cursor') ?? '')
    expect((await api.send('GET', `/campaigns?${search}`)).body).toHaveLength(LIMIT)
    expect(Number(first.headers.get('x-total-count'))).toBeLessThanOrEqual(candidates)
  })
  expect(plans).toHaveLength(2)
  for (const { stages, docsExamined } of plans) {
    expect(stages).toContain('IXSCAN')
    expect(stages).not.toContain('SORT')
    expect(docsExamined).toBeLessThan(40)
  }
})
