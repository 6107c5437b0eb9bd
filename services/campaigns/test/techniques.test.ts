import {
  campaignsApi,
  DETAILS,
  type DisarmList,
  iodsInternal,
  LIMITS,
  obsoleteTechnique,
  personalDataInternal,
} from '@iodine/contracts'
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
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { campaignsConfigSchema, createApp } from '../src/index.js'

let fixture: ServiceFixture
let service: StoreService
let url: string
let ana: FixtureUser
let bo: FixtureUser
let api: ApiClient
let bosApi: ApiClient

beforeAll(async () => {
  fixture = await startServiceFixture()
  service = await createApp(readConfig(campaignsConfigSchema, fixture.env), fixture.deps)
  url = await fixture.listen(service)
  ana = await fixture.user('ana')
  bo = await fixture.user('bo')
  api = apiClient(url, ana.token)
  bosApi = apiClient(url, bo.token)
  fixture.answer(iodsInternal.getIods, () => [])
  fixture.answer(iodsInternal.stateIods, () => ({}))
  fixture.answer(iodsInternal.getLevels, () => ({}))
})
afterAll(() => fixture?.stop())

const create = async (name = 'Night numbers') =>
  (await api.call(campaignsApi.createCampaign, { body: { name } })).id
const list = (id: string) => api.call(campaignsApi.listTechniques, { params: { id } })
const add = (id: string, tid: string, client = api) =>
  client.send('PUT', `/campaigns/${id}/techniques/${tid}`)
const remove = (id: string, tid: string, client = api) =>
  client.send('DELETE', `/campaigns/${id}/techniques/${tid}`)
const campaigns = () => service.mongo.collection('campaigns')
const stored = (id: string) => campaigns().findOne({ _id: new Types.ObjectId(id) })
/** Stores techniques without the check of the DISARM list. */
const put = (id: string, tids: string[]) => {
  const techniques = tids.map(tid => ({ id: tid, by: new Types.ObjectId(ana.id), at: new Date() }))
  return campaigns().updateOne({ _id: new Types.ObjectId(id) }, { $set: { techniques } })
}
const technique = ({ id: by, username }: FixtureUser, id: string) => ({
  id,
  by,
  by_username: username,
  at: expect.stringMatching(/\.\d{3}Z$/),
  until: null,
  quotes: 0,
  iods: 0,
})
const notFound = { status: 404, body: { detail: DETAILS.notFound } }

describe('techniques of a campaign', () => {
  it('are added and removed by any user, and listed in the order of addition', async () => {
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

  it('do not appear in the campaign’s response', async () => {
    const id = await create()
    const before = await api.call(campaignsApi.getCampaign, { params: { id } })
    await add(id, 'T0002')
    expect(await api.call(campaignsApi.getCampaign, { params: { id } })).toEqual(before)
    const { iods: _, ...listed } = before
    expect(await api.call(campaignsApi.listCampaigns)).toContainEqual(listed)
  })

  it('are stored once when added repeatedly or concurrently, with the first user', async () => {
    const id = await create()
    await Promise.all(Array.from({ length: 10 }, (_, n) => add(id, 'T0002', n % 2 ? api : bosApi)))
    const [only, ...more] = await list(id)
    expect(more).toEqual([])
    await add(id, 'T0002', only?.by === ana.id ? bosApi : api)
    expect(await list(id)).toEqual([only])
  })

  it.each(['T9999', 'T0023.999'])('reject %s, which is not in DISARM', async tid => {
    const id = await create()
    expect(await add(id, tid)).toMatchObject({ status: 422, body: { detail: [DETAILS.unknownTechnique] } })
    expect(await list(id)).toEqual([])
  })

  it.each(['t0002', 'T2', 'T0002.1', 'T0002%20', '$ne', '__proto__', 'T0002.001.001'])(
    'answer 404 for the malformed id %s',
    async tid => {
      const id = await create()
      for (const send of [add, remove]) expect(await send(id, tid)).toMatchObject(notFound)
    },
  )

  it('answer 404 for an unknown campaign', async () => {
    expect(await api.send('GET', `/campaigns/${newId()}/techniques`)).toMatchObject(notFound)
    expect(await add(newId(), 'T0002')).toMatchObject(notFound)
    expect(await remove(newId(), 'T0002')).toMatchObject(notFound)
  })

  it('are limited in number, also when added concurrently', async () => {
    const id = await create()
    await put(
      id,
      Array.from({ length: LIMITS.techniquesMax - 3 }, (_, n) => `T9${String(n).padStart(3, '0')}`),
    )
    const late = await Promise.all(
      ['T0002', 'T0003', 'T0004', 'T0010', 'T0014', 'T0016', 'T0017'].map(tid => add(id, tid)),
    )
    const full = { status: 413, body: { detail: DETAILS.techniquesFull } }
    expect(late.filter(({ status }) => status === 200)).toHaveLength(3)
    for (const answer of late.filter(({ status }) => status !== 200)) expect(answer).toMatchObject(full)
    expect(await list(id)).toHaveLength(LIMITS.techniquesMax)
    const last = (await list(id)).at(-1)?.id as string
    expect(await add(id, last)).toMatchObject({ status: 200 })
    await remove(id, last)
    expect(await add(id, 'T0018')).toMatchObject({ status: 200 })
    expect(await add(id, last)).toMatchObject(full)
  })

  it('may be removed when they are not in DISARM', async () => {
    const id = await create()
    await put(id, ['T0998'])
    expect(await list(id)).toEqual([technique(ana, 'T0998')])
    expect(await remove(id, 'T0998')).toMatchObject({ status: 200, body: [] })
  })
})

describe('obsolete techniques', () => {
  const replace = (id: string, tid: string, successors: string[], client = api) =>
    client.send('POST', `/campaigns/${id}/techniques/${tid}/replace`, { with: successors })

  it('can’t be chosen: the answer names the successors', async () => {
    const id = await create()
    expect(await add(id, 'T0043')).toMatchObject({
      status: 422,
      body: { detail: [obsoleteTechnique(['T0151.004'])] },
    })
    expect(await add(id, 'T0142')).toMatchObject({ status: 422, body: { detail: [obsoleteTechnique([])] } })
    await put(id, ['T0043'])
    expect(await add(id, 'T0043')).toMatchObject({ status: 200, body: [{ id: 'T0043', until: '1.5' }] })
  })

  it('are replaced by successors that a person chooses, at the same position', async () => {
    const id = await create()
    await put(id, ['T0002', 'T0043.001', 'T0003'])
    const replaced = {
      status: 200,
      body: ['T0002', 'T0151.004', 'T0155.007', 'T0003'].map(each => ({ id: each })),
    }
    const both = ['T0151.004', 'T0155.007']
    expect(await replace(id, 'T0043.001', both, bosApi)).toMatchObject(replaced)
    expect(await replace(id, 'T0043.001', both)).toMatchObject(replaced)
    expect((await list(id)).map(({ by }) => by)).toEqual([ana.id, bo.id, bo.id, ana.id])
  })

  it('refuse other techniques, current ones and unknown campaigns', async () => {
    const id = await create()
    await put(id, ['T0043', 'T0002', 'T0142'])
    const before = await list(id)
    const statusOf = async (...input: Parameters<typeof replace>) => (await replace(...input)).status
    expect(await statusOf(id, 'T0002', ['T0003'])).toBe(409)
    expect(await statusOf(id, 'T0043', ['T0003'])).toBe(422)
    expect(await statusOf(id, 'T0142', ['T0003'])).toBe(422)
    expect(await statusOf(id, 'T0043', [])).toBe(422)
    expect(await statusOf(id, 'T0112', ['T0153.001'])).toBe(404)
    expect(await statusOf(newId(), 'T0043', ['T0151.004'])).toBe(404)
    expect(await list(id)).toEqual(before)
  })
})

describe('the list of DISARM', () => {
  it('has all releases with successors, and is not sent again', async () => {
    const response = await fetch(`${url}/api/v1/campaigns/disarm`, {
      headers: { authorization: `Bearer ${bo.token}` },
    })
    const { version, tactics, techniques } = (await response.json()) as DisarmList
    expect([version, tactics.length, techniques.length]).toEqual(['1.6', 16, 440])
    expect(techniques.find(({ id }) => id === 'T0043.001')).toMatchObject({
      tactic: 'TA07',
      until: '1.5',
      successors: { ids: ['T0151.004', 'T0155.007'], basis: 'retagged' },
    })
    const again = await fetch(response.url, {
      headers: { authorization: `Bearer ${bo.token}`, 'if-none-match': response.headers.get('etag') ?? '' },
    })
    expect([again.status, await again.text()]).toEqual([304, ''])
  })

  it('counts the campaigns of each used technique, and lists them', async () => {
    const [one, two] = [await create('One of two'), await create('Two of two')]
    for (const id of [one, two]) await add(id, 'T0130.005')
    const counts = await api.call(campaignsApi.countTechniques)
    expect(counts).toContainEqual({ id: 'T0130.005', campaigns: 2, iods: 0, quotes: 0 })
    const listed = await api.call(campaignsApi.listCampaigns, { query: { technique: 'T0130.005' } })
    expect(listed.map(({ id }) => id)).toEqual([two, one])
    const named = await api.call(campaignsApi.listCampaigns, {
      query: { technique: 'T0130.005', q: 'ONE of' },
    })
    expect(named.map(({ id }) => id)).toEqual([one])
    const plan = await campaigns()
      .find({ 'techniques.id': 'T0130.005' })
      .sort({ created_at: -1, _id: -1 })
      .explain('queryPlanner')
    expect(JSON.stringify(plan)).toContain('"IXSCAN"')
  })
})

describe('a file of a campaign', () => {
  const download = async (id: string, format: string) =>
    (
      await fetch(`${url}/api/v1/campaigns/${id}/export?format=${format}`, {
        headers: { authorization: `Bearer ${bo.token}` },
      })
    ).text()

  it('contains its techniques, except in CSV', async () => {
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

  it('in MISP counts the techniques that it cannot name', async () => {
    const id = await create()
    await put(id, ['T0002', 'T0019.002'])
    const response = await fetch(`${url}/api/v1/campaigns/${id}/export?format=misp`, {
      headers: { authorization: `Bearer ${bo.token}` },
    })
    expect(response.headers.get('x-withheld')).toBe('1')
    expect(await response.text()).not.toContain('Hijack Hashtags')
  })

  it('is the same until a technique is added or removed; requests without effect do not change it', async () => {
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

describe('after the deletion of an account', () => {
  it('its techniques remain without a user, others are unchanged, and no file changes', async () => {
    const eve = await fixture.user('eve')
    const evesApi = apiClient(url, eve.token)
    const id = await create()
    await add(id, 'T0002', evesApi)
    await add(id, 'T0003')
    await add(id, 'T0004', evesApi)
    const before = await stored(id)
    await fixture.internal(personalDataInternal.eraseUser, { params: { id: eve.id } })
    const nobodys = { by: null, by_username: null }
    expect(await list(id)).toEqual([
      { ...technique(eve, 'T0002'), ...nobodys },
      technique(ana, 'T0003'),
      { ...technique(eve, 'T0004'), ...nobodys },
    ])
    expect((await stored(id))?.changed_at).toEqual(before?.changed_at)
  })
})

it('a user’s data export contains their techniques, found by an index', async () => {
  const eve = await fixture.user('eve_too')
  const evesApi = apiClient(url, eve.token)
  const id = await create('Theirs and mine')
  await add(id, 'T0002')
  await add(id, 'T0003', evesApi)
  expect(await fixture.internal(personalDataInternal.exportUser, { params: { id: eve.id } })).toEqual([
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
