import { API_BASE, type Campaign, campaignsApi, iodsInternal, personalDataInternal } from '@iodine/contracts'
import { decodeCampaigns, type OverlayCampaign } from '@iodine/known-iods'
import { readConfig, type StoreService } from '@iodine/service-kit'
import {
  type ApiClient,
  apiClient,
  type FixtureUser,
  newId,
  type ServiceFixture,
  startServiceFixture,
} from '@iodine/test-kit'
import { Types } from 'mongoose'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { CampaignModel } from '../src/campaigns/models/campaign.js'
import { createCampaignOverlay } from '../src/campaigns/queries/overlay.js'
import { campaignsConfigSchema, createApp } from '../src/index.js'

let fixture: ServiceFixture
let service: StoreService
let url: string
let ana: FixtureUser
let api: ApiClient
let model: CampaignModel

const startService = () => createApp(readConfig(campaignsConfigSchema, fixture.env), fixture.deps)
beforeAll(async () => {
  fixture = await startServiceFixture()
  fixture.answer(iodsInternal.knownIods, ({ body }) => body.ids)
  service = await startService()
  url = await fixture.listen(service)
  ana = await fixture.user('ana')
  api = apiClient(url, ana.token)
  model = service.mongo.model('Campaign') as CampaignModel
})
afterAll(() => fixture?.stop())
beforeEach(() => model.deleteMany({}))

/** Creates a campaign with IODs. */
const create = async (name: string, count: number, client = api): Promise<OverlayCampaign> => {
  const { id } = await client.call(campaignsApi.createCampaign, { body: { name } })
  const iod_ids = Array.from({ length: count }, newId)
  if (count > 0) await client.call(campaignsApi.addIods, { params: { id }, body: { iod_ids } })
  return { id, name, iod_ids }
}
const byId = (campaigns: OverlayCampaign[]) => [...campaigns].sort((a, b) => (a.id < b.id ? -1 : 1))

const get = (headers: Record<string, string> = {}, token = ana.token, base = url) =>
  fetch(`${base}${API_BASE}/campaigns/overlay`, {
    headers: { authorization: `Bearer ${token}`, ...headers },
    cache: 'no-store',
  })
/** Returns the answers of a replica, without a cache by default. */
const replica = (options: Parameters<typeof createCampaignOverlay>[1] = {}) => {
  const ask = createCampaignOverlay(model, { keptMs: 0, ...options })
  return async () => {
    const { bytes, etag } = await (await ask()).make()
    return { bytes, etag, campaigns: await decodeCampaigns(bytes as Uint8Array<ArrayBuffer>) }
  }
}

describe('over HTTP', () => {
  it('contains all campaigns with IODs, equal for all users and replicas; answers 304 while unchanged', async () => {
    const bo = await fixture.user('bo')
    const hers = await create('Night numbers', 3)
    const his = await create('ночь 🔥', 2, apiClient(url, bo.token))
    await create('Empty', 0)
    await api.call(campaignsApi.addIod, {
      params: { id: hers.id },
      body: { iod_id: his.iod_ids[0] as string },
    })
    const other = await startService()
    try {
      const otherUrl = await other.listen()
      const collector = await fixture.token({ id: bo.id, scope: 'collector' })
      const answers = await Promise.all([
        get(),
        get({}, bo.token),
        get({}, collector),
        get({}, collector, otherUrl),
      ])
      const etag = answers[0]?.headers.get('etag') ?? ''
      expect(etag).toMatch(/^"[\w-]{43}"$/)
      const bodies = await Promise.all(
        answers.map(async answer => {
          const headers = ['etag', 'content-type', 'cache-control'].map(name => answer.headers.get(name))
          expect([answer.status, ...headers]).toEqual([
            200,
            etag,
            'application/octet-stream',
            'private, no-cache',
          ])
          return new Uint8Array(await answer.arrayBuffer())
        }),
      )
      for (const body of bodies) expect(body).toEqual(bodies[0])
      expect(await decodeCampaigns(bodies[0] as Uint8Array<ArrayBuffer>)).toEqual(
        byId([{ ...hers, iod_ids: [...hers.iod_ids, his.iod_ids[0] as string] }, his]),
      )
      for (const base of [url, otherUrl]) {
        const same = await get({ 'if-none-match': etag }, collector, base)
        expect([same.status, same.headers.get('etag'), await same.text()]).toEqual([304, etag, ''])
      }
      expect((await get({ 'if-none-match': '"other"' })).status).toBe(200)
    } finally {
      await other.close()
    }
  })

  it('is limited to sessions of members and of the collector', async () => {
    expect((await fetch(`${url}${API_BASE}/campaigns/overlay`)).status).toBe(401)
    expect((await get({}, 'x')).status).toBe(401)
    expect((await api.send('GET', '/campaigns/overlay')).status).toBe(200)
    const collector = apiClient(url, await fixture.token({ id: ana.id, scope: 'collector' }))
    expect((await collector.send('GET', '/campaigns/overlay')).status).toBe(200)
    expect((await collector.send('GET', '/campaigns')).status).toBe(403)
  })
})

it('is empty without campaigns', async () => {
  expect((await replica()()).campaigns).toEqual([])
})

it('changes its ETag with names and members, and restores it after the reverse change', async () => {
  const ask = replica()
  const { id, iod_ids } = await create('Night numbers', 2)
  const edit = (name: string): Promise<Campaign> =>
    api.call(campaignsApi.updateCampaign, { params: { id }, body: { name } })
  const member = { params: { id }, body: { iod_id: iod_ids[1] as string } }
  const steps = [
    () => edit('Day numbers'),
    () => api.call(campaignsApi.removeIod, member),
    () => edit('Night numbers'),
    () => api.call(campaignsApi.addIod, member),
  ]
  fixture.answer(iodsInternal.getIods, () => [])
  const etags = [(await ask()).etag]
  for (const step of steps) {
    await step()
    etags.push((await ask()).etag)
  }
  expect(new Set(etags.slice(0, -1)).size).toBe(4)
  expect(etags.at(-1)).toBe(etags[0])
  await fixture.internal(personalDataInternal.eraseUser, { params: { id: ana.id } })
  expect((await ask()).etag).toBe(etags[0])
})

it('is read once for all requests within half a minute', async () => {
  const ask = createCampaignOverlay(model)
  await create('First', 1)
  const asked = await Promise.all(Array.from({ length: 10 }, ask))
  await create('Second', 1)
  for (const each of [...asked, await ask()]) expect(each).toBe(asked[0])
  expect((await replica()()).campaigns.map(({ name }) => name)).toEqual(['First', 'Second'])
})

it('a failed read fails one answer', async () => {
  await create('First', 1)
  let failures = 1
  const ask = createCampaignOverlay(
    new Proxy(model, {
      get: (target, name) => {
        if (name === 'find' && failures-- > 0) throw new Error('broken')
        return Reflect.get(target, name)
      },
    }),
  )
  await expect(ask()).rejects.toThrow('broken')
  expect((await ask()).size).toBeGreaterThan(0)
})

it('omits the largest campaigns, so that a member who fills them cannot displace others', async () => {
  const small = [await create('One', 1), await create('Three', 3), await create('Five', 5)]
  const eve = new Types.ObjectId()
  const full = Array.from({ length: 40 }, (_, n) => ({
    _id: new Types.ObjectId(),
    name: `Filled ${n}`,
    description: '',
    created_by: eve,
    created_at: new Date(),
    iod_count: 300,
    iod_ids: Array.from({ length: 300 }, () => new Types.ObjectId()),
    search: '',
    ngrams: [],
  }))
  await model.collection.insertMany(full)
  const whole = await replica()()
  expect(whole.campaigns).toEqual(
    byId([
      ...small,
      ...full.map(({ _id, name, iod_ids }) => ({
        id: _id.toHexString(),
        name,
        iod_ids: iod_ids.map(id => id.toHexString()),
      })),
    ]),
  )
  const bounded = await replica({ idsMax: 1_000 })()
  expect(bounded.campaigns.slice(0, 3)).toEqual(small)
  expect(bounded.campaigns.map(({ iod_ids }) => iod_ids.length)).toEqual([1, 3, 5, 300, 300, 300])
  expect((await replica({ idsMax: 1_000 })()).etag).toBe(bounded.etag)
  expect((await replica({ idsMax: 8 })()).campaigns).toEqual(small.slice(0, 2))
})

it('truncates long names between characters', async () => {
  await create('🔥'.repeat(5_000), 1)
  await create('x'.repeat(200), 1)
  expect((await replica()()).campaigns.map(({ name }) => name)).toEqual(['🔥'.repeat(200), 'x'.repeat(200)])
})

it('the client rejects a damaged or truncated answer', async () => {
  await create('First', 2)
  const { bytes } = await replica()()
  for (let at = 0; at < bytes.length; at++)
    await expect(
      decodeCampaigns(new Uint8Array(bytes.map((byte, n) => (n === at ? byte ^ 1 : byte)))),
    ).rejects.toThrow(RangeError)
  for (const length of [0, 20, 31, bytes.length - 12, bytes.length - 1])
    await expect(decodeCampaigns(new Uint8Array(bytes.slice(0, length)))).rejects.toThrow(RangeError)
})
