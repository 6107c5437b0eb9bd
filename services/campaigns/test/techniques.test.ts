import { campaignsApi, DETAILS, iodsInternal, LIMITS, personalDataInternal } from '@iodine/contracts'
import { readConfig, type StoreService } from '@iodine/service-kit'
import {
  type ApiClient,
  apiClient,
  type BedUser,
  newId,
  type ServiceBed,
  startServiceBed,
} from '@iodine/test-kit'
import { Types } from 'mongoose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { campaignsConfigSchema, createApp } from '../src/index.js'

let bed: ServiceBed
let service: StoreService
let url: string
let ana: BedUser
let bo: BedUser
let api: ApiClient
let bosApi: ApiClient

beforeAll(async () => {
  bed = await startServiceBed()
  service = await createApp(readConfig(campaignsConfigSchema, bed.env), bed.deps)
  url = await bed.listen(service)
  ana = await bed.user('ana')
  bo = await bed.user('bo')
  api = apiClient(url, ana.token)
  bosApi = apiClient(url, bo.token)
  bed.answer(iodsInternal.getIods, () => [])
  bed.answer(iodsInternal.stateIods, () => ({}))
  bed.answer(iodsInternal.getLevels, () => ({}))
})
afterAll(() => bed?.stop())

const create = async (name = 'Night numbers') =>
  (await api.call(campaignsApi.createCampaign, { body: { name } })).id
const list = (id: string) => api.call(campaignsApi.listTechniques, { params: { id } })
const add = (id: string, tid: string, client = api) =>
  client.send('PUT', `/campaigns/${id}/techniques/${tid}`)
const remove = (id: string, tid: string, client = api) =>
  client.send('DELETE', `/campaigns/${id}/techniques/${tid}`)
const campaigns = () => service.mongo.collection('campaigns')
const stored = (id: string) => campaigns().findOne({ _id: new Types.ObjectId(id) })
/** Stores techniques that DISARM doesn't have. */
const put = (id: string, tids: string[]) => {
  const techniques = tids.map(tid => ({ id: tid, by: new Types.ObjectId(ana.id), at: new Date() }))
  return campaigns().updateOne({ _id: new Types.ObjectId(id) }, { $set: { techniques } })
}
const technique = ({ id: by, username }: BedUser, id: string) => ({
  id,
  by,
  by_username: username,
  at: expect.stringMatching(/\.\d{3}Z$/),
})
const notFound = { status: 404, body: { detail: DETAILS.notFound } }

describe('techniques of a campaign', () => {
  it('are added by anybody, listed in that order, and removed by anybody', async () => {
    const id = await create()
    expect(await list(id)).toEqual([])
    const first = technique(ana, 'T0023.001')
    const second = technique(bo, 'T0002')
    expect(await add(id, 'T0023.001')).toMatchObject({ status: 200, body: [first] })
    expect(await add(id, 'T0002', bosApi)).toMatchObject({ status: 200, body: [first, second] })
    expect(await list(id)).toEqual([first, second])
    expect(await remove(id, 'T0023.001', bosApi)).toMatchObject({ status: 200, body: [second] })
    expect(await list(id)).toEqual([second])
  })

  it('leave the campaign’s own shape as it is', async () => {
    const id = await create()
    const before = await api.call(campaignsApi.getCampaign, { params: { id } })
    await add(id, 'T0002')
    expect(await api.call(campaignsApi.getCampaign, { params: { id } })).toEqual(before)
    const { iods: _, ...listed } = before
    expect(await api.call(campaignsApi.listCampaigns)).toContainEqual(listed)
  })

  it('are one each however often they are added, also at once, and stay who added them first', async () => {
    const id = await create()
    await Promise.all(Array.from({ length: 10 }, (_, n) => add(id, 'T0002', n % 2 ? api : bosApi)))
    const [only, ...more] = await list(id)
    expect(more).toEqual([])
    await add(id, 'T0002', only?.by === ana.id ? bosApi : api)
    expect(await list(id)).toEqual([only])
  })

  it.each(['T9999', 'T0023.999'])('refuse %s, which DISARM doesn’t have', async tid => {
    const id = await create()
    expect(await add(id, tid)).toMatchObject({ status: 422, body: { detail: [DETAILS.unknownTechnique] } })
    expect(await list(id)).toEqual([])
  })

  it.each(['t0002', 'T2', 'T0002.1', 'T0002%20', '$ne', '__proto__', 'T0002.001.001'])(
    'don’t know %s, which is no id of a technique',
    async tid => {
      const id = await create()
      for (const send of [add, remove]) expect(await send(id, tid)).toMatchObject(notFound)
    },
  )

  it('are of a campaign that is there', async () => {
    expect(await api.send('GET', `/campaigns/${newId()}/techniques`)).toMatchObject(notFound)
    expect(await add(newId(), 'T0002')).toMatchObject(notFound)
    expect(await remove(newId(), 'T0002')).toMatchObject(notFound)
  })

  it('are as many as there may be, also when added at once', async () => {
    const id = await create()
    await put(
      id,
      Array.from({ length: LIMITS.techniquesMax - 3 }, (_, n) => `T9${String(n).padStart(3, '0')}`),
    )
    const late = await Promise.all(
      ['T0002', 'T0003', 'T0004', 'T0007', 'T0009', 'T0010', 'T0013'].map(tid => add(id, tid)),
    )
    const full = { status: 413, body: { detail: DETAILS.techniquesFull } }
    expect(late.filter(({ status }) => status === 200)).toHaveLength(3)
    for (const answer of late.filter(({ status }) => status !== 200)) expect(answer).toMatchObject(full)
    expect(await list(id)).toHaveLength(LIMITS.techniquesMax)
    const last = (await list(id)).at(-1)?.id as string
    expect(await add(id, last)).toMatchObject({ status: 200 })
    await remove(id, last)
    expect(await add(id, 'T0014')).toMatchObject({ status: 200 })
    expect(await add(id, last)).toMatchObject(full)
  })

  it('may be removed when DISARM doesn’t have them any more', async () => {
    const id = await create()
    await put(id, ['T0998'])
    expect(await list(id)).toEqual([technique(ana, 'T0998')])
    expect(await remove(id, 'T0998')).toMatchObject({ status: 200, body: [] })
  })
})

describe('a file of a campaign', () => {
  const download = async (id: string, format: string) =>
    (
      await fetch(`${url}/api/v1/campaigns/${id}/export?format=${format}`, {
        headers: { authorization: `Bearer ${bo.token}` },
      })
    ).text()

  it('names its techniques, but for CSV', async () => {
    const id = await create()
    await add(id, 'T0002')
    const at = (await list(id))[0]?.at
    const [json, stix, misp, csv] = await Promise.all(
      ['json', 'stix', 'misp', 'csv'].map(format => download(id, format)),
    )
    expect(JSON.parse(json ?? '').campaign.techniques).toEqual(['T0002'])
    const { objects } = JSON.parse(stix ?? '') as { objects: Record<string, string>[] }
    const pattern = objects.find(({ type }) => type === 'attack-pattern')
    expect(pattern?.name).toBe('Facilitate State Propaganda')
    expect(objects).toContainEqual(
      expect.objectContaining({ relationship_type: 'uses', target_ref: pattern?.id, created: at }),
    )
    expect(JSON.parse(misp ?? '').Event.Tag).toContainEqual({
      name: 'misp-galaxy:disarm-techniques="Facilitate State Propaganda"',
    })
    expect(csv).not.toContain('T0002')
  })

  it('is the same until a technique comes or goes; what changes nothing is no change', async () => {
    const id = await create()
    const read = async () => ({
      texts: await Promise.all(['stix', 'misp'].map(format => download(id, format))),
      changed_at: (await stored(id))?.changed_at as Date,
    })
    let before = await read()
    for (const change of [
      () => add(id, 'T0002'),
      () => add(id, 'T0003', bosApi),
      () => remove(id, 'T0002'),
      () => remove(id, 'T0003'),
    ]) {
      await change()
      const after = await read()
      expect(after.changed_at > before.changed_at).toBe(true)
      expect(after.texts).not.toEqual(before.texts)
      await change()
      expect(await read()).toEqual(after)
      before = after
    }
  })
})

describe('of a deleted account', () => {
  it('techniques stay without a name, those of others as they were, and no file changes', async () => {
    const eve = await bed.user('eve')
    const evesApi = apiClient(url, eve.token)
    const id = await create()
    await add(id, 'T0002', evesApi)
    await add(id, 'T0003')
    await add(id, 'T0004', evesApi)
    const before = await stored(id)
    await bed.internal(personalDataInternal.forgetUser, { params: { id: eve.id } })
    const nobodys = { by: null, by_username: null }
    expect(await list(id)).toEqual([
      { ...technique(eve, 'T0002'), ...nobodys },
      technique(ana, 'T0003'),
      { ...technique(eve, 'T0004'), ...nobodys },
    ])
    expect((await stored(id))?.changed_at).toEqual(before?.changed_at)
  })
})

it('somebody’s own techniques are in the export of their data, found by an index', async () => {
  const eve = await bed.user('eve_too')
  const evesApi = apiClient(url, eve.token)
  const id = await create('Theirs and mine')
  await add(id, 'T0002')
  await add(id, 'T0003', evesApi)
  expect(await bed.internal(personalDataInternal.exportUser, { params: { id: eve.id } })).toEqual([
    {
      kind: 'technique',
      data: {
        campaign: { _id: id, name: 'Theirs and mine' },
        techniques: [{ id: 'T0003', by: eve.id, at: expect.any(String) }],
      },
    },
  ])
  const plan = await campaigns()
    .find({ 'techniques.by': new Types.ObjectId(eve.id) })
    .explain('queryPlanner')
  expect(JSON.stringify(plan)).toContain('"IXSCAN"')
})
