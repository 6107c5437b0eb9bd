import {
  type CampaignDetail,
  campaignsApi,
  DETAILS,
  evidenceInternal,
  type Iod,
  iodsInternal,
  LIMITS,
} from '@iodine/contracts'
import { HttpError, readConfig, type StoreService, usersVersionKey } from '@iodine/service-kit'
import {
  type ApiClient,
  anEvidence,
  anIod,
  apiClient,
  type FixtureUser,
  newId,
  runs,
  type ServiceFixture,
  startServiceFixture,
} from '@iodine/test-kit'
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { campaignsConfigSchema, createApp } from '../src/index.js'

let fixture: ServiceFixture
let service: StoreService
let url: string
let ana: FixtureUser
let bo: FixtureUser
let api: ApiClient
let bosApi: ApiClient
/** IODs of the scripted iods service, and the number of requests to it. */
let iods: Map<string, Iod>
let asked: string[][]

const iod = (): Iod => {
  const id = newId()
  const made = anIod({ id, value: `value of ${id}`, category: 'URL', description: '' })
  iods.set(id, made)
  return made
}

beforeAll(async () => {
  fixture = await startServiceFixture()
  service = await createApp(readConfig(campaignsConfigSchema, fixture.env), fixture.deps)
  url = await fixture.listen(service)
  ana = await fixture.user('ana')
  bo = await fixture.user('bo')
  api = apiClient(url, ana.token)
  bosApi = apiClient(url, bo.token)
})
afterAll(() => fixture?.stop())
beforeEach(() => {
  iods = new Map()
  asked = []
  fixture.answer(iodsInternal.getIods, ({ body }) => {
    asked.push(body.ids)
    // Not in the requested order, like a database.
    return [...iods.values()].filter(({ id }) => body.ids.includes(id)).reverse()
  })
  fixture.answer(iodsInternal.knownIods, ({ body }) => body.ids.filter(id => iods.has(id)))
  fixture.answer(iodsInternal.stateIods, () => ({}))
  fixture.answer(iodsInternal.getLevels, () => ({}))
})

const create = (name = 'Night numbers', description?: string, client = api) =>
  client.call(campaignsApi.createCampaign, { body: { name, description } })
const add = (id: string, iod_id: string, client = api) =>
  client.send('POST', `/campaigns/${id}/add-iod`, { iod_id })
const addMany = (id: string, iod_ids: string[], client = api) =>
  client.send('POST', `/campaigns/${id}/add-iods`, { iod_ids })
const remove = (id: string, iod_id: string, client = api) =>
  client.send('POST', `/campaigns/${id}/remove-iod`, { iod_id })
const detail = (id: string): Promise<CampaignDetail> => api.call(campaignsApi.getCampaign, { params: { id } })
const notFound = { status: 404, body: { detail: 'Not found' } }

describe('campaigns', () => {
  it('are created, listed newest first, and read', async () => {
    const answer = await api.send('POST', '/campaigns/', { name: 'First <b>', description: ' as sent ' })
    expect(answer.status).toBe(201)
    const first = answer.body
    expect(first).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{24}$/),
      name: 'First <b>',
      description: ' as sent ',
      created_by_id: ana.id,
      created_by_username: 'ana',
      created_at: expect.stringMatching(/\.\d{3}Z$/),
      iod_count: 0,
    })
    const second = await create('Second', undefined, bosApi)
    expect(second.description).toBe('')
    expect((await api.call(campaignsApi.listCampaigns)).slice(0, 2)).toEqual([second, first])
    expect(await detail(first.id)).toEqual({ ...first, iods: [] })
    expect(asked).toEqual([])
  })

  it('of the caller are listed at /campaigns/my, which is never an id', async () => {
    const carla = await fixture.user('carla')
    const client = apiClient(url, carla.token)
    expect((await client.send('GET', '/campaigns/my/')).body).toEqual([])
    const mine = await create('Mine', 'x', client)
    expect(await client.call(campaignsApi.listMyCampaigns)).toEqual([mine])
    for (const method of ['PATCH', 'DELETE'])
      expect(await client.send(method, '/campaigns/my', { name: 'x' })).toMatchObject(notFound)
  })

  it('are listed in pages', async () => {
    const dora = apiClient(url, (await fixture.user('dora')).token)
    for (let n = 0; n < 5; n++) await create(`Page ${n}`, undefined, dora)
    const seen: string[] = []
    let cursor: string | null = ''
    while (cursor !== null) {
      const page = await dora.send('GET', `/campaigns/my?limit=2${cursor && `&cursor=${cursor}`}`)
      expect(page.headers.get('x-total-count')).toBe('5')
      seen.push(...page.body.map(({ name }: { name: string }) => name))
      cursor = page.headers.get('x-next-cursor')
    }
    expect(seen).toEqual(['Page 4', 'Page 3', 'Page 2', 'Page 1', 'Page 0'])
    const all = await api.send('GET', '/campaigns?limit=1')
    expect(all.headers.get('x-total-count')).toBe(String((await api.send('GET', '/campaigns')).body.length))
  })

  it.each([
    [{}, /^name: /],
    [{ name: ' \t\n' }, 'name: must not be empty'],
    [{ name: null }, /^name: /],
    [{ name: 'x'.repeat(10_001) }, 'name: must have at most 10000 characters'],
    [{ name: 'x', description: 7 }, /^description: /],
    [{ name: 'x', created_by: newId() }, 'created_by: is not a known field'],
    [{ name: 'x', iods: [] }, 'iods: is not a known field'],
  ])('reject an invalid body (%#)', async (body, fault) => {
    const answer = await api.send('POST', '/campaigns', body)
    expect(answer.status).toBe(422)
    expect(answer.body.detail).toEqual([typeof fault === 'string' ? fault : expect.stringMatching(fault)])
    if (!('name' in body)) return
    const { id } = await create()
    expect((await api.send('PATCH', `/campaigns/${id}`, body)).status).toBe(422)
  })

  it('show a rename of their creator at once', async () => {
    const user = await fixture.user('before')
    const { id } = await create('Renamed', '', apiClient(url, user.token))
    fixture.users.set(user.id, { id: user.id, username: 'after', created_at: user.created_at })
    await service.redis.incr(usersVersionKey(fixture.env.REDIS_PREFIX ?? ''))
    expect((await detail(id)).created_by_username).toBe('after')
    fixture.users.delete(user.id)
    await service.redis.incr(usersVersionKey(fixture.env.REDIS_PREFIX ?? ''))
    expect((await detail(id)).created_by_username).toBeNull()
  })

  it('require a full session', async () => {
    const collector = apiClient(url, await fixture.token({ id: ana.id, scope: 'collector' }))
    for (const [method, path] of [
      ['GET', '/campaigns'],
      ['GET', '/campaigns/my'],
      ['POST', '/campaigns'],
      ['GET', `/campaigns/${newId()}`],
      ['PATCH', `/campaigns/${newId()}`],
      ['DELETE', `/campaigns/${newId()}`],
      ['POST', `/campaigns/${newId()}/add-iod`],
    ] as const) {
      expect((await apiClient(url).send(method, path)).status).toBe(401)
      expect((await collector.send(method, path)).status).toBe(403)
    }
  })
})

describe('a filtered list', () => {
  const names = ['Night numbers', 'Élan vital', 'NUMBERS (a.*b)', 'e\u0301lan', 'other', 'x'.repeat(9_990)]

  it('contains the campaigns with an IOD and with a text in their name, in pages and as a whole', {
    tags: 'long',
  }, async () => {
    const members = [iod(), iod(), iod()]
    const made: string[] = []
    for (let n = 0; n < 24; n++) {
      const { id } = await create(`${names[n % names.length]} ${n}`)
      made.unshift(id)
      const wanted = members.filter((_, m) => (n >> m) % 2).map(({ id }) => id)
      if (wanted.length > 0) await addMany(id, wanted)
    }
    const all = (await api.call(campaignsApi.listCampaigns)).slice(0, made.length)
    expect(all.map(({ id }) => id)).toEqual(made)
    const fold = (text: string) => text.normalize('NFC').toLowerCase()
    for (const [m, member] of [undefined, ...members].entries())
      for (const q of [undefined, 'numbers', 'ÉLAN', 'E\u0301lan', '(A.*B)', 'xX', ' 1', 'nobody’s', '$ne']) {
        const passes = all.filter(
          ({ id, name }) =>
            (!member || ((made.length - 1 - made.indexOf(id)) >> (m - 1)) % 2 === 1) &&
            (!q || fold(name).includes(fold(q))),
        )
        const query = new URLSearchParams()
        if (member) query.set('iod_id', m % 2 ? member.id : member.id.toUpperCase())
        if (q) query.set('q', q)
        // Other tests also create campaigns.
        const ours = (list: { id: string }[]) => list.map(({ id }) => id).filter(id => made.includes(id))
        const whole = await api.send('GET', `/campaigns?${query}`)
        expect(ours(whole.body)).toEqual(passes.map(({ id }) => id))
        const seen: string[] = []
        for (let cursor: string | null = ''; cursor !== null; ) {
          const page = await api.send('GET', `/campaigns?limit=4${cursor && `&cursor=${cursor}`}&${query}`)
          expect(page.headers.get('x-total-count')).toBe(String(whole.body.length))
          seen.push(...page.body.map(({ id }: { id: string }) => id))
          cursor = page.headers.get('x-next-cursor')
        }
        expect(seen).toEqual(whole.body.map(({ id }: { id: string }) => id))
      }
    expect(await api.call(campaignsApi.listCampaigns, { query: { iod_id: newId() } })).toEqual([])
  })

  it('reflects additions, removals, renames and deletions at once', async () => {
    const one = iod()
    const { id } = await create('Before')
    const listed = async (query: object) =>
      (await api.call(campaignsApi.listCampaigns, { query })).some(campaign => campaign.id === id)
    expect(await listed({ iod_id: one.id })).toBe(false)
    await add(id, one.id)
    expect(await listed({ iod_id: one.id, q: 'EFOR' })).toBe(true)
    await remove(id, one.id)
    expect(await listed({ iod_id: one.id })).toBe(false)
    await addMany(id, [one.id])
    await api.send('PATCH', `/campaigns/${id}`, { name: 'After' })
    expect([await listed({ q: 'before' }), await listed({ q: 'after', iod_id: one.id })]).toEqual([
      false,
      true,
    ])
    await api.send('DELETE', `/campaigns/${id}`)
    expect([await listed({ q: 'after' }), await listed({ iod_id: one.id })]).toEqual([false, false])
  })

  it.each(['iod_id=x', 'iod_id=', 'iod_id[$ne]=1', 'q=a%00b', 'q=a&q=b', `q=${'x'.repeat(201)}`, 'name=x'])(
    'rejects %s',
    async query => {
      const { status, body } = await api.send('GET', `/campaigns?${query}`)
      expect([status, Object.keys(body)]).toEqual([422, ['detail']])
    },
  )

  it('searches any text up to the limit literally', async () => {
    for (const q of ['.*', '(', '[a-', '\\', '$where', '^', ' ', '%', '\ud83d\ude00', 'x'.repeat(200)])
      expect((await api.send('GET', `/campaigns?limit=1&q=${encodeURIComponent(q)}`)).status).toBe(200)
  })
})

describe('editing and deleting', () => {
  it('is allowed only to the creator', async () => {
    const { id } = await create('Mine', 'text')
    const refused = { status: 403, body: { detail: DETAILS.forbidden } }
    expect(await bosApi.send('PATCH', `/campaigns/${id}`, { name: 'Taken' })).toMatchObject(refused)
    expect(await bosApi.send('PATCH', `/campaigns/${id}`, {})).toMatchObject(refused)
    expect(await bosApi.send('DELETE', `/campaigns/${id}`)).toMatchObject(refused)
    expect(await detail(id)).toMatchObject({ name: 'Mine' })
    const edited = await api.send('PATCH', `/campaigns/${id}/`, { name: 'New' })
    expect(edited).toMatchObject({
      status: 200,
      body: { id, name: 'New', description: 'text', iod_count: 0 },
    })
    expect((await api.send('PATCH', `/campaigns/${id}`, { description: null })).body.description).toBe('')
    expect((await api.send('PATCH', `/campaigns/${id}`)).body).toMatchObject({ name: 'New' })
    expect(await api.send('DELETE', `/campaigns/${id}`)).toMatchObject({ status: 200, body: { id } })
    expect(await api.send('DELETE', `/campaigns/${id}`)).toMatchObject(notFound)
    expect(await api.send('PATCH', `/campaigns/${id}`, { name: 'x' })).toMatchObject(notFound)
    expect(await api.send('GET', `/campaigns/${id}`)).toMatchObject(notFound)
  })

  it('answers 404 for malformed and unknown ids', async () => {
    for (const id of ['x', '%00', '..%2f', '0'.repeat(25), newId()]) {
      expect(await api.send('GET', `/campaigns/${id}`)).toMatchObject(notFound)
      expect(await api.send('DELETE', `/campaigns/${id}`)).toMatchObject(notFound)
      expect(await add(id, iod().id)).toMatchObject(notFound)
      expect(await remove(id, newId())).toMatchObject(notFound)
    }
  })
})

describe('members', () => {
  it('are added and removed by any user, and read in the order of addition', async () => {
    const { id } = await create()
    const [a, b, c] = [iod(), iod(), iod()]
    await add(id, b.id)
    await add(id, a.id, bosApi)
    const { status, body: listed } = await add(id, c.id)
    // The response omits the members, so that its size does not grow with the campaign.
    expect({ status, listed }).toEqual({
      status: 200,
      listed: {
        id,
        name: 'Night numbers',
        description: '',
        created_by_id: ana.id,
        created_by_username: 'ana',
        created_at: expect.any(String),
        iod_count: 3,
      },
    })
    expect(await detail(id)).toEqual({ ...listed, iods: [b, a, c] })
    expect(await remove(id, a.id, bosApi)).toMatchObject({
      status: 200,
      body: { iod_count: 2, iods: [b, c] },
    })
    expect(await remove(id, a.id)).toMatchObject({ status: 200, body: { iod_count: 2, iods: [b, c] } })
    const all = await api.call(campaignsApi.listCampaigns)
    expect(all.find(campaign => campaign.id === id)).toEqual({ ...listed, iod_count: 2 })
  })

  it('are fetched from the iods service in one call', async () => {
    const { id } = await create()
    const members = Array.from({ length: 7 }, iod)
    for (const member of members) await add(id, member.id)
    asked = []
    expect((await detail(id)).iods).toEqual(members)
    expect(asked).toHaveLength(1)
  })

  it('are stored once when added repeatedly', async () => {
    const { id } = await create()
    const one = iod()
    await add(id, one.id)
    expect(await add(id, one.id)).toMatchObject({ status: 200, body: { iod_count: 1 } })
    const answers = await Promise.all(Array.from({ length: 20 }, () => add(id, one.id.toUpperCase())))
    expect(answers.every(({ status }) => status === 200)).toBe(true)
    expect(await detail(id)).toMatchObject({ iod_count: 1, iods: [one] })
  })

  it('must exist', async () => {
    const { id } = await create()
    expect(await add(id, newId())).toMatchObject(notFound)
    for (const body of [{}, { iod_id: 'x' }, { iod_id: null }, { iod_id: newId(), more: 1 }])
      expect((await api.send('POST', `/campaigns/${id}/add-iod`, body)).status).toBe(422)
    expect(await detail(id)).toMatchObject({ iod_count: 0, iods: [] })
  })

  it('are all stored when two users add 20 at once, and all removed likewise', {
    tags: 'long',
    timeout: 600_000,
  }, async () => {
    for (let round = 0; round < runs(2); round++) {
      const { id } = await create()
      const members = Array.from({ length: 20 }, iod)
      const added = await Promise.all(members.map((member, n) => add(id, member.id, n % 2 ? api : bosApi)))
      expect(added.map(({ status }) => status)).toEqual(members.map(() => 200))
      const full = await detail(id)
      expect(full.iod_count).toBe(20)
      expect(full.iods.map(member => member.id).sort()).toEqual(members.map(member => member.id).sort())
      await Promise.all([...members, ...members].map(member => remove(id, member.id)))
      expect(await detail(id)).toMatchObject({ iod_count: 0, iods: [] })
    }
  })

  it('are added in bulk, in the given order, each once', async () => {
    const { id } = await create()
    const [first, second, third] = [iod(), iod(), iod()]
    const unknown = newId()
    await add(id, second.id)
    const ids = [third.id, second.id.toUpperCase(), unknown, first.id, third.id]
    expect(await addMany(id, ids)).toMatchObject({
      status: 200,
      body: { added: [third.id, first.id], already: [second.id], unknown: [unknown] },
    })
    expect((await detail(id)).iods).toEqual([second, third, first])
    expect((await addMany(id, ids)).body).toEqual({
      added: [],
      already: [third.id, second.id, first.id],
      unknown: [unknown],
    })
    expect(await detail(id)).toMatchObject({ iod_count: 3 })
    expect(await addMany(newId(), [first.id])).toMatchObject(notFound)
    for (const iod_ids of [[], ['x'], null, Array.from({ length: 501 }, newId)])
      expect((await api.send('POST', `/campaigns/${id}/add-iods`, { iod_ids })).status).toBe(422)
  })

  it('are stored once when two users add overlapping lists at once', async () => {
    for (let round = 0; round < runs(2); round++) {
      const { id } = await create()
      const members = Array.from({ length: 40 }, iod)
      const lists = Array.from({ length: 8 }, (_, n) => members.slice(n * 4, n * 4 + 12).map(each => each.id))
      const answers = await Promise.all(lists.map((list, n) => addMany(id, list, n % 2 ? api : bosApi)))
      expect(answers.map(({ status }) => status)).toEqual(lists.map(() => 200))
      const added = answers.flatMap(({ body }) => body.added)
      const full = await detail(id)
      expect(full.iods.map(member => member.id).sort()).toEqual(members.map(member => member.id).sort())
      expect(full.iod_count).toBe(40)
      expect(added.sort()).toEqual(members.map(member => member.id).sort())
    }
  }, 600_000)

  it('do not restore a campaign that is deleted while they are added', async () => {
    for (let round = 0; round < runs(4); round++) {
      const { id } = await create()
      const members = Array.from({ length: 20 }, iod)
      const adds = members.map(member => add(id, member.id))
      // Each run deletes later, to cover every stage of the additions.
      if (round % 4) await Promise.race(adds.slice(0, 5 * (round % 4)))
      let isDeleted = false
      const deletion = api.send('DELETE', `/campaigns/${id}`).finally(() => {
        isDeleted = true
      })
      do adds.push(add(id, iod().id))
      while ((await adds.at(-1)) && !isDeleted)
      expect(await deletion).toMatchObject({ status: 200, body: { id } })
      for (const answer of await Promise.all(adds))
        if (answer.status !== 200) expect(answer).toMatchObject(notFound)
      expect(await api.send('GET', `/campaigns/${id}`)).toMatchObject(notFound)
      expect(await add(id, members[0]?.id ?? '')).toMatchObject(notFound)
      const { ObjectId } = (await import('mongoose')).Types
      const left = service.mongo.collection('campaigns').countDocuments({ _id: new ObjectId(id) })
      expect(await left).toBe(0)
    }
  }, 600_000)

  describe('of a large campaign', () => {
    const createLarge = async (count: number) => {
      const { id } = await create('Large')
      const members = Array.from({ length: count }, iod)
      const { ObjectId } = (await import('mongoose')).Types
      const iod_ids = members.map(member => new ObjectId(member.id))
      await service.mongo
        .collection('campaigns')
        .updateOne({ _id: new ObjectId(id) }, { $set: { iod_ids, iod_count: count } })
      return { id, members }
    }

    it('are read completely and in order, or up to a limit', { tags: 'long' }, async () => {
      const { id, members } = await createLarge(5_000)
      const extra = iod()
      expect((await add(id, extra.id)).body).toMatchObject({ iod_count: 5_001 })
      asked = []
      expect((await detail(id)).iods).toEqual([...members, extra])
      expect(asked.map(ids => ids.length)).toEqual([1_000, 1_000, 1_000, 1_000, 1_000, 1])
      asked = []
      const first = await api.send('GET', `/campaigns/${id}?limit=100`)
      expect(first.body).toMatchObject({ iod_count: 5_001, iods: members.slice(0, 100) })
      expect(asked.map(ids => ids.length)).toEqual([100])
      for (const limit of ['0', '1001', 'x'])
        expect((await api.send('GET', `/campaigns/${id}?limit=${limit}`)).status).toBe(422)
      expect((await remove(id, members[4_000]?.id ?? '')).body.iods).toHaveLength(5_000)
    })

    it('are not presented as complete when the iods service fails between two batches', async () => {
      const { id } = await createLarge(2_500)
      let calls = 0
      fixture.answer(iodsInternal.getIods, ({ body }) => {
        if (++calls === 3) throw new HttpError(503, DETAILS.unavailable)
        return body.ids.flatMap(each => iods.get(each) ?? [])
      })
      await expect(detail(id)).rejects.toThrow()
      calls = 2
      expect(await detail(id)).toMatchObject({ iod_count: 2_500, iods: [] })
    })
  })
})

describe('export', () => {
  const download = (id: string, query = '') =>
    fetch(`${url}/api/v1/campaigns/${id}/export${query}`, {
      headers: { authorization: `Bearer ${bo.token}` },
    })

  it('returns a file in each format to any user', async () => {
    const { id } = await create('Night "numbers"')
    const one = iod()
    await add(id, one.id)
    // The clock is fixed: midnight must not pass before a file is named.
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() })
    onTestFinished(() => void vi.useRealTimers())
    const day = new Date().toISOString().slice(0, 10)
    for (const [query, type, extension, holds] of [
      ['', 'application/json', 'json', { campaign: { id, total_iods: 1 }, exported_by: bo.id }],
      ['?format=stix', 'application/stix+json', 'stix.json', { type: 'bundle' }],
      ['?format=misp', 'application/json', 'misp.json', { Event: { Attribute: [{ value: one.value }] } }],
    ] as const) {
      const answer = await download(id, query)
      expect(answer.status).toBe(200)
      expect(answer.headers.get('content-type')).toContain(type)
      const name = `campaign_night__numbers__${day}.${extension}`
      expect(answer.headers.get('content-disposition')).toBe(`attachment; filename="${name}"`)
      expect(await answer.json()).toMatchObject(holds)
    }
    const csv = await download(id, '?format=csv')
    expect(csv.headers.get('content-type')).toBe('text/csv; charset=utf-8')
    expect(await csv.text()).toContain(one.value)
  })

  it('contains the evidence of the IODs on request, and is otherwise the same file as without evidence', async () => {
    const { id } = await create()
    const [one, two] = [iod(), iod()]
    await add(id, one.id)
    await add(id, two.id)
    const quote = anEvidence({ iod_id: two.id, exact: two.value })
    const questions: object[] = []
    fixture.answer(evidenceInternal.exportEvidence, ({ body }) => {
      questions.push(body)
      return [quote]
    })
    for (const query of ['?format=json', '?format=stix', '?format=misp', '?format=csv', '?evidence=false']) {
      const file = await (await download(id, query)).text()
      expect(file).not.toContain(quote.prefix)
    }
    expect(questions).toEqual([])
    const json = await (await download(id, '?evidence=true')).json()
    expect(json.iods).toMatchObject([
      { evidence: [] },
      { evidence: [{ exact: two.value, seal: quote.seal }] },
    ])
    expect(questions).toEqual([
      { ids: [one.id, two.id], user_id: bo.id, limit: LIMITS.exportedEvidenceMax + 1 },
    ])
    for (const format of ['stix', 'misp']) {
      const file = await (await download(id, `?format=${format}&evidence=true`)).text()
      expect(file).toContain(quote.seal?.manifest_hash)
    }
    expect((await download(id, '?format=csv&evidence=true')).status).toBe(422)
    expect((await download(id, '?evidence=yes')).status).toBe(422)
  })

  it('contains the statements of its IODs in STIX and MISP, and requests them for no other format', async () => {
    const { id } = await create()
    const members = [iod(), iod(), iod()]
    for (const member of members) await add(id, member.id)
    const asked: string[][] = []
    const since = '2999-01-01T00:00:00.000Z'
    fixture.answer(iodsInternal.stateIods, ({ body }) => {
      asked.push(body.ids)
      return Object.fromEntries(
        members.map((member, n) => [
          member.id,
          { uid: `uid ${n}`, confidence: n ? null : 72, since, tlp: null },
        ]),
      )
    })
    for (const format of ['json', 'csv']) expect((await download(id, `?format=${format}`)).status).toBe(200)
    expect(asked).toEqual([])
    const { objects } = await (await download(id, '?format=stix')).json()
    const indicators = objects.filter(({ type }: { type: string }) => type === 'indicator')
    expect(indicators).toMatchObject([{ confidence: 72, modified: since }, {}, {}])
    expect(indicators[1]).not.toHaveProperty('confidence')
    expect(asked).toEqual([members.map(member => member.id)])
    const { Event } = await (await download(id, '?format=misp')).json()
    expect(Event.timestamp).toBe(String(Date.parse(since) / 1000))
  })

  it('is the same file until any change of the campaign', async () => {
    const { id } = await create()
    const [one, two] = [iod(), iod()]
    await add(id, one.id)
    const read = async (): Promise<{ texts: string[]; modified: string }> => {
      const texts = await Promise.all(
        ['stix', 'misp'].map(async format => (await download(id, `?format=${format}`)).text()),
      )
      const { objects } = JSON.parse(texts[0] ?? '') as { objects: { type: string; modified: string }[] }
      return { texts, modified: objects.find(({ type }) => type === 'campaign')?.modified ?? '' }
    }
    let before = await read()
    expect(await read()).toEqual(before)
    const changes = [
      () => api.call(campaignsApi.updateCampaign, { params: { id }, body: { name: 'Renamed' } }),
      () => add(id, two.id),
      () => remove(id, one.id),
      () => api.call(campaignsApi.addIods, { params: { id }, body: { iod_ids: [one.id] } }),
    ]
    for (const change of changes) {
      await change()
      const after = await read()
      expect(after.modified > before.modified).toBe(true)
      expect(await read()).toEqual(after)
      before = after
    }
    // Requests without effect do not change the file.
    await add(id, one.id)
    await remove(id, newId())
    expect(await read()).toEqual(before)
  })

  it('answers 503 when the statements of its IODs are unavailable in STIX and MISP', async () => {
    const { id } = await create()
    await add(id, iod().id)
    fixture.answer(iodsInternal.stateIods, () => {
      throw new HttpError(503, DETAILS.unavailable)
    })
    for (const format of ['stix', 'misp']) expect((await download(id, `?format=${format}`)).status).toBe(503)
    for (const format of ['json', 'csv']) expect((await download(id, `?format=${format}`)).status).toBe(200)
  })

  it('answers 503 when its evidence is unavailable, and 413 for too much of it', async () => {
    const { id } = await create()
    const one = iod()
    await add(id, one.id)
    const quote = anEvidence({ iod_id: one.id })
    fixture.answer(evidenceInternal.exportEvidence, ({ body }) =>
      Array.from({ length: body.limit }, () => quote),
    )
    const answer = await download(id, '?evidence=true')
    expect([answer.status, await answer.json()]).toEqual([413, { detail: DETAILS.exportedEvidenceFull }])
    fixture.answer(evidenceInternal.exportEvidence, () => {
      throw new HttpError(503, DETAILS.unavailable)
    })
    expect((await download(id, '?evidence=true')).status).toBe(503)
    expect((await download(id)).status).toBe(200)
  })

  it('rejects other formats and unknown campaigns', async () => {
    const { id } = await create()
    expect((await download(id, '?format=pdf')).status).toBe(422)
    expect((await download(newId())).status).toBe(404)
  })

  it('answers 503 when its IODs are unavailable', async () => {
    const { id } = await create()
    await add(id, iod().id)
    fixture.answer(iodsInternal.getIods, () => {
      throw new HttpError(503, DETAILS.unavailable)
    })
    expect((await download(id)).status).toBe(503)
  })
})

describe('while the iods service is down', () => {
  beforeEach(() => {
    for (const endpoint of [iodsInternal.getIods, iodsInternal.knownIods])
      fixture.answer(endpoint, () => {
        throw new HttpError(503, DETAILS.unavailable)
      })
  })

  it('a campaign remains readable and states that its IODs are missing', async () => {
    const { id } = await create()
    fixture.answer(iodsInternal.getIods, ({ body }) => body.ids.flatMap(each => iods.get(each) ?? []))
    fixture.answer(iodsInternal.knownIods, ({ body }) => body.ids.filter(id => iods.has(id)))
    const one = iod()
    const whole = await add(id, one.id)
    expect(whole.headers.get('x-iods-unavailable')).toBeNull()
    fixture.answer(iodsInternal.getIods, () => {
      throw new HttpError(503, DETAILS.unavailable)
    })
    const answer = await api.send('GET', `/campaigns/${id}`)
    expect(answer).toMatchObject({ status: 200, body: { id, iod_count: 1, iods: [] } })
    expect(answer.headers.get('x-iods-unavailable')).toBe('true')
    expect(await remove(id, one.id)).toMatchObject({ status: 200, body: { iod_count: 0 } })
  })

  it('an addition answers 503 and changes nothing', async () => {
    const { id } = await create()
    expect(await add(id, newId())).toMatchObject({ status: 503, body: { detail: DETAILS.unavailable } })
    expect(await detail(id)).toMatchObject({ iod_count: 0 })
  })
})
