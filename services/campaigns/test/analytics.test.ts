import {
  campaignAnalyticsApi,
  campaignsApi,
  campaignsInternal,
  iodsInternal,
  type QueryFor,
} from '@iodine/contracts'
import { readConfig, type StoreService } from '@iodine/service-kit'
import { type ApiClient, apiClient, newId, type ServiceFixture, startServiceFixture } from '@iodine/test-kit'
import { Types } from 'mongoose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { campaignsConfigSchema, createApp } from '../src/index.js'

let fixture: ServiceFixture
let service: StoreService
let api: ApiClient
let other: ApiClient
const ids: string[] = []
const shared = newId()
const iods = Array.from({ length: 5 }, newId)

const NAMES = ['Large', 'Small', 'Empty']
const DAY_MS = 24 * 3_600_000
const dayOf = (n: number) => new Date(Date.UTC(2026, 2, 1) + n * DAY_MS).toISOString().slice(0, 10)

beforeAll(async () => {
  fixture = await startServiceFixture()
  service = await createApp(readConfig(campaignsConfigSchema, fixture.env), fixture.deps)
  const url = await fixture.listen(service)
  api = apiClient(url, (await fixture.user('ana')).token)
  other = apiClient(url, (await fixture.user('bo_2')).token)
  for (const [n, name] of NAMES.entries()) {
    const { id } = await (n === 1 ? other : api).call(campaignsApi.createCampaign, { body: { name } })
    ids.push(id)
    const members = [[...iods, shared], [shared], []][n] ?? []
    const techniques = [['T0002', 'T0003'], ['T0002'], []][n] ?? []
    await service.mongo.collection('campaigns').updateOne(
      { _id: new Types.ObjectId(id) },
      {
        $set: {
          created_at: new Date(`${dayOf(n)}T23:30:00Z`),
          iod_ids: members.map(each => new Types.ObjectId(each)),
          iod_count: members.length,
          techniques: techniques.map(each => ({ id: each, by: null, at: new Date() })),
        },
      },
    )
  }
  // The comparison of the iods service is tested in tools/harness.
  fixture.answer(iodsInternal.compareIods, ({ body: { groups } }) => ({
    groups: groups.map(group => ({ iods: group.length, first: null, last: null })),
    pairs: groups.length > 1 ? [{ a: 0, b: 1, iods: 1, accounts: 2, domains: 3 }] : [],
  }))
})
afterAll(() => fixture?.stop())

type Query = QueryFor<typeof campaignAnalyticsApi.analyzeCampaigns>
const PERIOD = { from: dayOf(0), to: dayOf(2) }
const analyze = (query: Query) => api.call(campaignAnalyticsApi.analyzeCampaigns, { query })
const rows = async (query: QueryFor<typeof campaignsApi.listCampaigns>) =>
  (await api.call(campaignsApi.listCampaigns, { query })).length

describe('analyses of campaigns', () => {
  it('compare the largest campaigns', async () => {
    const found = await analyze(PERIOD)
    expect(found.total).toBe(3)
    expect(found.campaigns.map(({ name, iods }) => [name, iods])).toEqual([
      ['Large', 6],
      ['Small', 1],
      ['Empty', 0],
    ])
    expect(found.overlaps).toEqual([{ campaigns: [ids[0], ids[1]], iods: 1, accounts: 2, domains: 3 }])
  })

  it.each([
    PERIOD,
    { ...PERIOD, mine: 'true' as const },
    { from: dayOf(1), to: dayOf(1), zone: 'Europe/Paris' },
    { from: dayOf(1), to: dayOf(2), compare: 'true' as const },
  ])('%j: each technique has as many campaigns as the list behind its link', async query => {
    const { techniques } = await analyze(query)
    const { from, to, zone, mine } = { zone: 'UTC', mine: 'false' as const, ...query }
    expect(techniques.length).toBeGreaterThan(0)
    for (const { technique, campaigns } of techniques)
      expect(await rows({ technique, from, to, zone, mine })).toBe(campaigns)
  })

  it('compare techniques with the period before', async () => {
    const { techniques } = await analyze({ from: dayOf(1), to: dayOf(1), compare: 'true' })
    expect(techniques).toEqual([{ technique: 'T0002', campaigns: 1, previous: 1 }])
  })

  it('contain only chosen or own campaigns', async () => {
    const names = async (query: Partial<Query>) =>
      (await analyze({ ...PERIOD, ...query })).campaigns.map(({ name }) => name)
    expect(await names({ campaign: ids[1] as string })).toEqual(['Small'])
    expect(await names({ mine: 'true' })).toEqual(['Large', 'Empty'])
  })

  it('refuse a campaign that is gone, and bad periods', async () => {
    const gone = { status: 404, detail: 'This campaign does not exist anymore' }
    await expect(analyze({ ...PERIOD, campaign: [ids[0] as string, newId()] })).rejects.toMatchObject(gone)
    for (const bad of [
      { from: PERIOD.to, to: PERIOD.from },
      { ...PERIOD, zone: 'nowhere' },
    ])
      await expect(analyze(bad)).rejects.toMatchObject({ status: 422 })
    await expect(
      fixture.internal(campaignsInternal.getMembers, { body: { ids: [newId()] } }),
    ).rejects.toMatchObject(gone)
  })

  it('return the IODs that two campaigns have in common', async () => {
    const both = { body: { ids: ids.slice(0, 2) } }
    expect(await fixture.internal(campaignsInternal.getMembers, both)).toEqual([shared])
  })
})
