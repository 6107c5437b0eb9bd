import { campaignsApi, iodsInternal, type QueryFor, repairInternal } from '@iodine/contracts'
import { connectMongo, readConfig, type StoreService } from '@iodine/service-kit'
import {
  type ApiClient,
  apiClient,
  type BedUser,
  commandsOf,
  newId,
  plansOf,
  type ServiceBed,
  startServiceBed,
} from '@iodine/test-kit'
import { Types } from 'mongoose'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { campaignsConfigSchema, createApp } from '../src/index.js'
import { searchNames } from '../src/migrations/0001-search-names.js'

let bed: ServiceBed
let service: StoreService
let ana: BedUser
let api: ApiClient

const BEFORE = 700
const iod = newId()
/** A campaign as the version before searches by name stored it. */
const ofBefore = (n: number, name = `${n % 2 ? 'Élan' : 'NIGHT numbers'} ${n}`) => ({
  _id: new Types.ObjectId(),
  name,
  description: '',
  created_by: new Types.ObjectId(ana.id),
  created_at: new Date(Date.UTC(2026, 0, 1, 0, n >> 1)),
  iod_count: n % 3 ? 2 : 0,
  iod_ids: n % 3 ? [new Types.ObjectId(), new Types.ObjectId(iod)] : [],
})

beforeAll(async () => {
  bed = await startServiceBed({ monitorCommands: true })
  ana = await bed.user('ana')
  const { MONGODB_URI = '', MONGODB_PREFIX = '' } = bed.env
  const before = await connectMongo(MONGODB_URI, `${MONGODB_PREFIX}_campaigns`)
  await before.collection('campaigns').insertMany(Array.from({ length: BEFORE }, (_, n) => ofBefore(n)))
  await before.close()
  service = await createApp(readConfig(campaignsConfigSchema, bed.env), bed.deps)
  api = apiClient(await bed.listen(service), ana.token)
  bed.answer(iodsInternal.knownIods, ({ body }) => body.ids)
})
afterAll(() => bed?.stop())

type Query = QueryFor<typeof campaignsApi.listCampaigns>
const list = (query: Query) => api.call(campaignsApi.listCampaigns, { query })
const stored = () => service.mongo.collection('campaigns').find().sort({ _id: 1 }).toArray()

it('campaigns that an earlier version stored are found by name and IOD after the start', async () => {
  expect(await list({})).toHaveLength(BEFORE)
  expect(await list({ q: 'e\u0301LAN' })).toHaveLength(BEFORE / 2)
  expect((await list({ q: 'numbers 42' })).map(({ name }) => name)).toEqual([
    ...[428, 426, 424, 422, 420].map(n => `NIGHT numbers ${n}`),
    'NIGHT numbers 42',
  ])
  expect(await list({ iod_id: iod })).toHaveLength(466)
  // It may run again.
  const before = await stored()
  await searchNames.up(service.mongo)
  expect(await stored()).toEqual(before)
})

it('those that it stores while this one runs are found after the next repair', async () => {
  await service.mongo.collection('campaigns').insertOne(ofBefore(0, 'A straggler'))
  expect(await list({ q: 'straggler' })).toEqual([])
  expect(await bed.internal(repairInternal.repair)).toEqual({ repaired: 1 })
  expect(await list({ q: 'straggler' })).toHaveLength(1)
  expect(await bed.internal(repairInternal.repair)).toEqual({ repaired: 0 })
})

it('a repair writes nothing where nothing is owed', async () => {
  await bed.internal(repairInternal.repair)
  const { all, writes } = await commandsOf(service.mongo, () => bed.internal(repairInternal.repair))
  expect([all.includes('find campaigns'), writes]).toEqual([true, []])
})

it.each<[Query, number]>([
  [{ iod_id: iod }, 466],
  [{ iod_id: iod, q: 'LAN' }, 466],
  [{ q: 'night numbers' }, 351],
  [{ q: 'i' }, 351],
])('a page of %j reads its index, in the order of the list', async (query, candidates) => {
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
