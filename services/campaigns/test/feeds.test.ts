import { createHash, generateKeyPairSync, sign, verify } from 'node:crypto'
import {
  type AuditEntry,
  auditInternal,
  type Campaign,
  campaignsApi,
  DETAILS,
  type Iod,
  importsApi,
  iodsInternal,
  LIMITS,
  MISP_MANIFEST_CONTEXT,
  personalDataInternal,
  sealsInternal,
  TAXII_TYPE,
  type Tlp,
  usageInternal,
} from '@iodine/contracts'
import { HttpError, readConfig, type StoreService } from '@iodine/service-kit'
import {
  type ApiClient,
  anIod,
  apiClient,
  aVote,
  type FixtureUser,
  newId,
  OpenctiPuller,
  type ServiceFixture,
  startServiceFixture,
  type TaxiiAddress,
  TaxiiReader,
} from '@iodine/test-kit'
import { Types } from 'mongoose'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { campaignsConfigSchema, createApp } from '../src/index.js'
import { gate, publishChanges, sweepPublications, workDone } from './work.js'

let fixture: ServiceFixture
let service: StoreService
let url: string
let ana: FixtureUser
let api: ApiClient
/** IODs of the scripted iods service, and their levels. */
let iods: Map<string, Iod>
let levels: Map<string, Tlp>
let campaign: Campaign

beforeAll(async () => {
  fixture = await startServiceFixture()
  const env = { ...fixture.env, QUOTA_PUBLISHED_BYTES: '3000000' }
  service = await createApp(readConfig(campaignsConfigSchema, env), fixture.deps)
  url = await fixture.listen(service)
})
afterAll(() => fixture?.stop())
beforeEach(async () => {
  await workDone(service)
  for (const name of ['outbox', 'publications', 'published', 'campaigns', 'feed_events', 'feed_event_parts'])
    await service.mongo.collection(name).deleteMany({})
  iods = new Map()
  levels = new Map()
  ana = await fixture.user(`ana${newId().slice(-8)}`)
  api = apiClient(url, ana.token)
  campaign = await api.call(campaignsApi.createCampaign, { body: { name: 'Lake' } })
  const found = (ids: readonly string[]) => ids.flatMap(id => iods.get(id) ?? [])
  fixture.answer(iodsInternal.getIods, ({ body }) => found(body.ids))
  fixture.answer(iodsInternal.knownIods, ({ body }) => found(body.ids).map(({ id }) => id))
  fixture.answer(iodsInternal.upsertIods, ({ body }) =>
    body.iods.map(({ iod }) => {
      const made = anIod({ id: newId(), ...iod, source: iod.source ?? null, source_id: null })
      iods.set(made.id, made)
      return { id: made.id, created: true }
    }),
  )
  fixture.answer(iodsInternal.findIods, ({ body }) => body.iods.map(() => null))
  fixture.answer(iodsInternal.stateIods, ({ body }) =>
    Object.fromEntries(
      found(body.ids).map(({ id, created_at }) => [
        id,
        { uid: id, confidence: null, since: created_at, tlp: levels.get(id) ?? null },
      ]),
    ),
  )
})

const addIods = async (count: number, of = campaign.id, fields: Partial<Iod> = {}) => {
  const made = Array.from({ length: count }, () => {
    const iod = anIod({ id: newId(), category: 'URL', ...fields })
    return { ...iod, value: fields.value ?? `https://example.org/${iod.id}` }
  })
  for (const iod of made) iods.set(iod.id, iod)
  for (let at = 0; at < made.length; at += 500)
    await api.call(campaignsApi.addIods, {
      params: { id: of },
      body: { iod_ids: made.slice(at, at + 500).map(({ id }) => id) },
    })
  return made
}
const share = (body: { tlp?: Tlp; published?: boolean }, of = campaign.id, client = api) =>
  client.call(campaignsApi.updateSharing, { params: { id: of }, body })
const sharing = (of = campaign.id) => api.call(campaignsApi.getSharing, { params: { id: of } })
const settle = (of = campaign.id) => workDone(service, 'publication', of)
const outbox = () => service.mongo.collection('outbox')
const follow = (of = campaign.id) => publishChanges(service, of)
const sweep = () => sweepPublications(service)
const publish = async (of = campaign.id) => {
  await share({ published: true }, of)
  await settle(of)
  return (await sharing(of)).feed?.collection ?? ''
}
const tokenFor = (tlp: Tlp) => fixture.token({ id: ana.id, scope: 'feed', tlp })
const address = async (tlp: Tlp = 'amber+strict'): Promise<TaxiiAddress> => ({
  root: `${url}/taxii2/iodine/`,
  authorization: `Bearer ${await tokenFor(tlp)}`,
})
const get = async (path: string, { tlp = 'amber+strict', ...headers }: Record<string, string> = {}) => {
  const answer = await fetch(`${url}/taxii2/${path}`, {
    headers: { authorization: `Bearer ${await tokenFor(tlp as Tlp)}`, accept: TAXII_TYPE, ...headers },
  })
  const text = await answer.text()
  return { status: answer.status, headers: answer.headers, text, body: text ? JSON.parse(text) : undefined }
}
const refusal = (promise: Promise<unknown>) =>
  promise.then(
    () => 'accepted',
    ({ status, detail }: { status: number; detail: unknown }) => [status, detail],
  )
const bring = async (file: string, of = campaign.id, format: 'stix' | 'misp' = 'stix') => {
  const { id } = await api.call(importsApi.createImport, {
    query: { campaign_id: of, format },
    body: new TextEncoder().encode(file),
  })
  await workDone(service, 'import', id)
  await api.call(importsApi.applyImport, { params: { id }, body: {} })
  await workDone(service, 'import', id)
  return id
}

describe('a published object', () => {
  it('equals the exported one, and is read once: a second read returns nothing new', {
    tags: 'long',
  }, async () => {
    await addIods(3)
    const collection = await publish()
    const reader = new TaxiiReader(await address(), collection)
    const pulled = await reader.pull()
    const { body } = await api.send('GET', `/campaigns/${campaign.id}/export?format=stix`)
    const byId = (objects: { id: string }[]) => [...objects].sort((a, b) => (a.id < b.id ? -1 : 1))
    expect(byId(pulled)).toEqual(byId(body.objects))
    expect(await reader.pull()).toEqual([])
    await settle()
    await follow()
    expect(await reader.pull()).toEqual([])
    expect((await sharing()).feed).toMatchObject({
      state: 'published',
      objects: pulled.length,
      revoked: 0,
      problem: null,
    })
  })

  it('is sent to pullers when it changes, without unchanged objects', async () => {
    const [first] = await addIods(2)
    const collection = await publish()
    const reader = new TaxiiReader(await address(), collection)
    await reader.pull()
    const [third] = await addIods(1)
    await follow()
    const news = await reader.pull()
    // The indicator, its observable, two relationships, the campaign and its grouping.
    expect(news.map(({ type }) => type).sort()).toEqual([
      'campaign',
      'grouping',
      'indicator',
      'relationship',
      'relationship',
      'url',
    ])
    expect(news.find(({ type }) => type === 'indicator')?.name).toBe(third?.value)

    await api.call(campaignsApi.removeIod, { params: { id: campaign.id }, body: { iod_id: first?.id ?? '' } })
    await follow()
    const gone = await reader.pull()
    expect(
      gone
        .filter(({ revoked }) => revoked)
        .map(({ type }) => type)
        .sort(),
    ).toEqual(['indicator', 'relationship', 'relationship'])
    expect((await sharing()).feed?.revoked).toBe(3)
    expect(await reader.pull()).toEqual([])
  })

  it('has an outbox entry from the transaction of each change, and none for a request without effect', {
    tags: 'long',
  }, async () => {
    const [first, second] = await addIods(2)
    const entries = () => outbox().countDocuments({ kind: 'publication', key: campaign.id })
    const params = { id: campaign.id }
    const rename = (name: string) => api.call(campaignsApi.updateCampaign, { params, body: { name } })
    await rename('Not published')
    expect(await entries()).toBe(0)
    await publish()
    const add = (iod = first) => api.call(campaignsApi.addIod, { params, body: { iod_id: iod?.id ?? '' } })
    const remove = () => api.call(campaignsApi.removeIod, { params, body: { iod_id: first?.id ?? '' } })
    const technique = { id: campaign.id, tid: 'T0002' }
    const changes = [
      () => rename('Published'),
      remove,
      add,
      () => api.call(campaignsApi.addTechnique, { params: technique }),
      () => api.call(campaignsApi.removeTechnique, { params: technique }),
    ]
    for (const change of changes) {
      // The publication waits for its IODs: its outbox entry remains until the assertion.
      const reading = gate()
      fixture.answer(iodsInternal.getIods, async ({ body }) => {
        await reading.pass()
        return body.ids.flatMap(id => iods.get(id) ?? [])
      })
      await change()
      expect(await entries()).toBeGreaterThan(0)
      reading.open()
      await follow()
    }
    expect(await entries()).toBe(0)
    await add(second)
    await api.call(campaignsApi.removeTechnique, { params: technique })
    expect(await entries()).toBe(0)
  })

  it('is removed 90 days after its revocation', { tags: 'long' }, async () => {
    const [iod] = await addIods(2)
    const collection = await publish()
    await api.call(campaignsApi.removeIod, { params: { id: campaign.id }, body: { iod_id: iod?.id ?? '' } })
    await follow()
    const revoked = () => service.mongo.collection('published').countDocuments({ revoked: true })
    const count = await revoked()
    expect(count).toBeGreaterThan(0)
    expect((await sharing()).feed).toMatchObject({ revoked: count })
    await sweep()
    expect(await revoked()).toBe(count)
    const old = new Date(Date.now() - LIMITS.revokedMs - 1_000)
    await service.mongo.collection('published').updateMany({ revoked: true }, { $set: { added: old } })
    await service.tasks.run('publications')
    await settle()
    expect(await revoked()).toBe(0)
    expect((await sharing()).feed).toMatchObject({ revoked: 0, state: 'published' })
    const left = await new TaxiiReader(await address(), collection).pull()
    expect(left.filter(({ type }) => type === 'indicator')).toHaveLength(1)
  })

  it('reflects votes and comments on its IODs in later versions', async () => {
    const [iod] = await addIods(1)
    const collection = await publish()
    const reader = new TaxiiReader(await address(), collection)
    await reader.pull()
    const voted = { ...(iod as Iod), votes: [aVote('bo', 'POSITIVE')] }
    iods.set(voted.id, voted)
    await follow()
    expect(await reader.pull()).toEqual([])
    await sweep()
    const news = await reader.pull()
    expect(news.map(({ type }) => type).sort()).toEqual(['grouping', 'opinion'])
    // A rename changes the content of the same version, so it is published as a later version.
    const before = news.find(({ type }) => type === 'opinion')
    iods.set(voted.id, { ...voted, votes: [{ ...voted.votes[0], username: 'bob' }] } as Iod)
    await sweep()
    const [after, ...rest] = await reader.pull()
    expect(rest).toEqual([])
    expect(after).toMatchObject({ id: before?.id, authors: ['bob'] })
    expect(String(after?.modified) > String(before?.modified)).toBe(true)
    await sweep()
    expect(await reader.pull()).toEqual([])
  })

  it('preserves the bytes of other tools, and is never revoked in their name', {
    tags: 'long',
  }, async () => {
    const theirs = `{"type":"malware", "id":"malware--00000000-0000-4000-8000-000000000001","created":"2026-01-01T00:00:00Z","spec_version":{"toString":1},"name":"\\u0000 1e999","x_score":1.0,"x":9007199254740993,"name":"doubled"}`
    const twice = `{"type":"x-thing","id":"x-thing--00000000-0000-4000-8000-000000000002","created":"2026-01-01T00:00:00Z","modified":"2026-01-0NT00:00:00Z"}`
    const versions = [twice.replace('0N', '03'), twice.replace('0N', '02')]
    const imported = await bring(`{"type":"bundle","id":"b","objects":[${[theirs, ...versions].join(', ')}]}`)
    const collection = await publish()
    const reader = new TaxiiReader(await address(), collection)
    await reader.pull()
    expect(reader.text).toContain(theirs)
    expect(reader.objects.get('x-thing--00000000-0000-4000-8000-000000000002')?.modified).toBe(
      '2026-01-03T00:00:00Z',
    )
    const path = `iodine/collections/${collection}/objects/x-thing--00000000-0000-4000-8000-000000000002`
    expect((await get(`${path}/`)).body.objects).toHaveLength(1)
    expect((await get(`${path}/?match[version]=all`)).body.objects).toHaveLength(2)
    expect((await get(`${path}/?match[version]=first`)).body.objects[0].modified).toBe('2026-01-02T00:00:00Z')
    expect((await get(`${path}/?match[version]=2026-01-02T00:00:00Z,last`)).body.objects).toHaveLength(2)
    expect((await get(`${path}/versions/`)).body.versions).toEqual([
      '2026-01-03T00:00:00Z',
      '2026-01-02T00:00:00Z',
    ])
    await api.call(importsApi.deleteImport, { params: { id: imported } })
    await follow()
    const gone = await reader.pull()
    expect(gone.filter(({ type }) => type === 'malware')).toEqual([])
    const manifest = await get(`iodine/collections/${collection}/manifest/`)
    expect(manifest.body.objects.map(({ id }: { id: string }) => id)).not.toContain(
      'malware--00000000-0000-4000-8000-000000000001',
    )
  })

  it('is the latest version of an object, regardless of the precision of its time', {
    tags: 'long',
  }, async () => {
    const name = 'x-thing--00000000-0000-4000-8000-000000000003'
    const times = ['2026-01-03T00:00:00.5Z', '2026-01-03T00:00:00Z']
    const versions = times.map(modified => JSON.stringify({ type: 'x-thing', id: name, modified }))
    await bring(`{"type":"bundle","id":"b","objects":[${versions}]}`)
    const collection = await publish()
    const versionsOf = async (which: string) => {
      const path = `iodine/collections/${collection}/objects/${name}/?match[version]=${which}`
      return (await get(path)).body.objects.map(({ modified }: { modified: string }) => modified)
    }
    expect([await versionsOf('last'), await versionsOf('first')]).toEqual([[times[0]], [times[1]]])
  })

  it('is published in batches, each with a later millisecond, also concurrently', {
    tags: 'long',
  }, async () => {
    await addIods(450)
    const others = await Promise.all(
      [1, 2, 3].map(() => api.call(campaignsApi.createCampaign, { body: { name: 'Another' } })),
    )
    for (const { id } of others) await addIods(30, id)
    const all = [campaign, ...others]
    const reader = new TaxiiReader(await address(), 'all', 100)
    let done = false
    const reading = (async () => {
      // Pulls during the writes must not miss a batch.
      while (!done) await reader.pull()
      await reader.pull()
    })()
    for (const { id } of all) await share({ published: true }, id)
    await workDone(service, 'publication')
    done = true
    await reading
    const fresh = new TaxiiReader(await address(), 'all')
    await fresh.pull()
    expect([...reader.objects.keys()].sort()).toEqual([...fresh.objects.keys()].sort())
    const rows = await service.mongo.collection('published').find({}).sort({ added: 1, _id: 1 }).toArray()
    const batches = new Map<number, Set<string>>()
    for (const { added, campaign_id } of rows)
      batches.set(added.getTime(), (batches.get(added.getTime()) ?? new Set()).add(String(campaign_id)))
    // No two batches share a time.
    for (const campaigns of batches.values()) expect(campaigns.size).toBe(1)
    expect(batches.size).toBeGreaterThanOrEqual(all.length + 1)
  })

  it('is in the collection of all campaigns once, also when several campaigns contain it', {
    tags: 'long',
  }, async () => {
    const [shared] = await addIods(1)
    const other = await api.call(campaignsApi.createCampaign, { body: { name: 'Other' } })
    await api.call(campaignsApi.addIods, { params: { id: other.id }, body: { iod_ids: [shared?.id ?? ''] } })
    const own = await publish()
    await publish(other.id)
    const all = await new TaxiiReader(await address(), 'all').pull()
    expect(new Set(all.map(({ id }) => id)).size).toBe(all.length)
    expect(all.filter(({ type }) => type === 'indicator')).toHaveLength(1)
    // Another campaign still publishes it, so its withdrawal does not revoke it.
    const reader = new TaxiiReader(await address(), own)
    await reader.pull()
    await share({ published: false })
    await settle()
    const gone = await reader.pull()
    expect(gone.map(({ type }) => type).sort()).toEqual(['campaign', 'grouping', 'relationship'])
    const left = await new TaxiiReader(await address(), 'all').pull()
    expect(left.filter(({ type, revoked }) => type === 'indicator' && !revoked)).toHaveLength(1)
    expect(left.filter(({ type }) => type === 'identity')).toHaveLength(1)
    // The last withdrawal revokes it.
    await share({ published: false }, other.id)
    await settle(other.id)
    const end = await new TaxiiReader(await address(), 'all').pull()
    expect(end.filter(({ type, revoked }) => type === 'indicator' && revoked)).toHaveLength(1)
    expect(end.every(({ revoked }) => revoked)).toBe(true)
  })
})

describe('a withdrawn campaign', () => {
  const comment = {
    id: newId(),
    user_id: newId(),
    username: 'bo',
    content: 'Secret',
    created_at: '2026-11-19T08:30:00.000Z',
  }

  it('is revoked at pullers, in versions without texts of users', async () => {
    await addIods(2, campaign.id, { comments: [comment], votes: [aVote('bo', 'NEGATIVE')] })
    const collection = await publish()
    const [reader, opencti] = [
      new TaxiiReader(await address(), collection),
      new OpenctiPuller(await address(), collection),
    ]
    await reader.pull()
    await opencti.settle()
    await share({ published: false })
    expect(await sharing()).toMatchObject({ published: false, feed: { state: 'due' } })
    await settle()
    expect(await sharing()).toMatchObject({ published: false, feed: { state: 'withdrawn', objects: 0 } })
    const gone = await reader.pull()
    await opencti.settle()
    expect(gone.every(({ revoked }) => revoked)).toBe(true)
    expect(JSON.stringify(gone)).not.toMatch(/Secret|"bo"|Seen under/)
    const revocable = ['campaign', 'grouping', 'indicator', 'opinion', 'note', 'relationship']
    for (const pulled of [reader.objects, opencti.objects])
      for (const { type, revoked } of pulled.values())
        if (revocable.includes(type)) expect([type, revoked]).toEqual([type, true])
  })

  it('is published again in later versions; its deletion withdraws it, too', {
    tags: 'long',
  }, async () => {
    await addIods(1)
    const collection = await publish()
    const reader = new TaxiiReader(await address(), collection)
    await reader.pull()
    await share({ published: false })
    await settle()
    await reader.pull()
    await publish()
    const back = await reader.pull()
    expect(back.filter(({ revoked }) => revoked)).toEqual([])
    expect(
      reader.objects.get(back.find(({ type }) => type === 'indicator')?.id ?? '')?.revoked,
    ).toBeUndefined()
    await api.call(campaignsApi.deleteCampaign, { params: { id: campaign.id } })
    await settle()
    expect((await reader.pull()).some(({ type, revoked }) => type === 'campaign' && revoked)).toBe(true)
    // Later readers cannot see its name.
    const listed = await get('iodine/collections/')
    expect(listed.text).not.toContain('Lake')
    // Its documents are removed once they have expired.
    await service.mongo.collection('published').updateMany({}, { $set: { added: new Date(0) } })
    await sweep()
    expect(await service.mongo.collection('published').countDocuments()).toBe(0)
    expect(await service.mongo.collection('publications').countDocuments()).toBe(0)
    expect((await get(`iodine/collections/${collection}/`)).status).toBe(404)
  })

  it('is withdrawn by the deletion of its creator’s account, whose data export names it', async () => {
    await addIods(1)
    const collection = await publish()
    const reader = new TaxiiReader(await address(), collection)
    await reader.pull()
    const exported = await fixture.internal(personalDataInternal.exportUser, { params: { id: ana.id } })
    expect(exported.filter(({ kind }) => kind === 'publication')).toMatchObject([
      { data: { campaign_id: campaign.id, published: true } },
    ])
    await fixture.internal(personalDataInternal.eraseUser, { params: { id: ana.id } })
    await settle()
    expect((await reader.pull()).every(({ revoked }) => revoked)).toBe(true)
    expect(await sharing()).toMatchObject({ published: false })
    expect(JSON.stringify(await service.mongo.collection('publications').find({}).toArray())).not.toContain(
      ana.id,
    )
  })
})

describe('the level', () => {
  it('red is never published; a token reads up to its level', async () => {
    expect(await refusal(share({ tlp: 'red', published: true }))).toEqual([409, DETAILS.publishedRed])
    const [green, amber, red] = await addIods(3)
    levels.set(amber?.id ?? '', 'amber')
    levels.set(red?.id ?? '', 'red')
    const collection = await publish()
    expect(await refusal(share({ tlp: 'red' }))).toEqual([409, DETAILS.publishedRed])
    const names = async (tlp: Tlp) => {
      const pulled = await new TaxiiReader(await address(tlp), 'all').pull()
      expect(JSON.stringify(pulled)).not.toContain(red?.value)
      return pulled.filter(({ type }) => type === 'indicator').map(({ name }) => name)
    }
    expect(await names('clear')).toEqual([])
    expect(await names('green')).toEqual([green?.value])
    expect((await names('amber')).sort()).toEqual([green?.value, amber?.value].sort())
    expect((await get(`iodine/collections/${collection}/`, { tlp: 'clear' })).status).toBe(404)
    expect((await get('iodine/collections/', { tlp: 'clear' })).body.collections).toHaveLength(1)
    expect((await get('iodine/collections/', { tlp: 'green' })).body.collections).toHaveLength(2)
  })

  it('applies at once when raised, before the next publication', async () => {
    await addIods(2)
    await publish()
    await share({ tlp: 'amber' })
    expect(await new TaxiiReader(await address('green'), 'all').pull()).toEqual([])
    await settle()
    expect(
      (await new TaxiiReader(await address('green'), 'all').pull()).filter(
        ({ type }) => type === 'indicator',
      ),
    ).toEqual([])
    const pulled = await new TaxiiReader(await address('amber'), 'all').pull()
    expect(pulled.filter(({ type }) => type === 'indicator')).toHaveLength(2)
  })

  it('of a red import withdraws the campaign until the import is removed', async () => {
    await addIods(1)
    const collection = await publish()
    const reader = new TaxiiReader(await address(), collection)
    await reader.pull()
    const secret = `{"type":"malware","id":"malware--00000000-0000-4000-8000-000000000009","object_marking_refs":["marking-definition--5e57c739-391a-4eb3-b6be-7d15ca92d5ed"]}`
    const imported = await bring(`{"type":"bundle","id":"b","objects":[${secret}]}`)
    await follow()
    const gone = await reader.pull()
    expect(gone.length).toBeGreaterThan(0)
    expect(gone.every(({ revoked }) => revoked)).toBe(true)
    expect((await sharing()).feed?.problem).toBe(DETAILS.publishedRed)
    await api.call(importsApi.deleteImport, { params: { id: imported } })
    await follow()
    expect((await sharing()).feed?.problem).toBeNull()
    expect((await reader.pull()).some(({ type, revoked }) => type === 'indicator' && !revoked)).toBe(true)
  })

  it('of a token must be present and below red', async () => {
    for (const tlp of [undefined, 'red'] as const) {
      const token = await fixture.token({ id: ana.id, scope: 'feed', ...(tlp && { tlp }) })
      const answer = await fetch(`${url}/taxii2/`, { headers: { authorization: `Bearer ${token}` } })
      expect(answer.status).toBe(401)
    }
  })
})

describe('TAXII 2.1', () => {
  it('describes the server, its root and its collections', async () => {
    await addIods(1)
    const collection = await publish()
    const discovery = await get('')
    expect(discovery.headers.get('content-type')).toBe(TAXII_TYPE)
    expect(discovery.body.api_roots).toEqual([`${url}/taxii2/iodine/`])
    expect((await get('iodine/')).body).toMatchObject({
      versions: [TAXII_TYPE],
      max_content_length: 5_242_880,
    })
    const { collections } = (await get('iodine/collections/')).body
    expect(collections).toMatchObject([
      { id: expect.stringMatching(/^[0-9a-f-]{36}$/), alias: 'all', can_read: true, can_write: false },
      { id: collection, alias: campaign.id, title: 'Lake' },
    ])
    for (const name of [collection, campaign.id, collection.toUpperCase()])
      expect((await get(`iodine/collections/${name}`)).body).toEqual(collections[1])
  })

  it('pages by `next` and `added_after`, with the times of each page', async () => {
    await addIods(40)
    const collection = await publish()
    const path = `iodine/collections/${collection}/objects/`
    const whole = await get(path)
    const ids = whole.body.objects.map(({ id }: { id: string }) => id)
    const paged: string[] = []
    let query = '?limit=7'
    for (let more = true; more; ) {
      const { body, headers } = await get(path + query)
      expect(body.objects.length).toBeLessThanOrEqual(7)
      expect(headers.get('x-taxii-date-added-first')).toMatch(/^\d{4}-.*\.\d{6}Z$/)
      paged.push(...body.objects.map(({ id }: { id: string }) => id))
      more = body.more
      query = `?limit=7&next=${body.next}`
    }
    expect(paged).toEqual(ids)
    const last = whole.headers.get('x-taxii-date-added-last') ?? ''
    const none = await get(`${path}?added_after=${last}`)
    expect([none.body, none.headers.get('x-taxii-date-added-last')]).toEqual([{ more: false }, null])
    const others = [
      last.replace('Z', '+00:00'),
      last.toLowerCase(),
      encodeURIComponent(last.replace('Z', '+00:00')),
    ]
    for (const other of others)
      expect((await get(`${path}?added_after=${other}`)).body).toEqual({ more: false })
    // Finer times are cut to the millisecond.
    expect((await get(`${path}?added_after=${last.replace('Z', '999Z')}`)).body.objects).toBeUndefined()
    const before = new Date(Date.parse(last) - 1).toISOString()
    expect((await get(`${path}?added_after=${before}`)).body.objects.length).toBeGreaterThan(0)
    const manifest = await get(`iodine/collections/${collection}/manifest/?limit=3`)
    expect(manifest.body.objects[2]).toEqual({
      id: ids[2],
      date_added: expect.stringMatching(/\.\d{6}Z$/),
      version: expect.stringMatching(/Z$/),
      media_type: 'application/stix+json;version=2.1',
    })
    // STIX and TAXII omit empty lists.
    const empty = await get(`iodine/collections/${collection}/manifest/?added_after=${last}`)
    expect(empty.body).toEqual({ more: false })
    const versions = await get(`${path}${ids[0]}/versions/?added_after=${last}`)
    expect(versions.body).toEqual({ more: false })
  })

  it('selects by id, type, version and STIX version', async () => {
    await addIods(3)
    const collection = await publish()
    const path = `iodine/collections/${collection}/objects/`
    const only = await get(`${path}?match[type]=indicator,campaign`)
    expect(new Set(only.body.objects.map(({ type }: { type: string }) => type))).toEqual(
      new Set(['indicator', 'campaign']),
    )
    const [{ id }] = only.body.objects
    expect((await get(`${path}?match[id]=${id},x--1`)).body.objects).toHaveLength(1)
    expect((await get(`${path}?match[spec_version]=2.0`)).body).toEqual({ more: false })
    expect((await get(`${path}?unknown=1&match[spec_version]=2.1`)).body.objects.length).toBeGreaterThan(5)
    expect((await get(`${path}${id}/`)).body.objects).toHaveLength(1)
    expect((await get(`${path}x--1/`)).status).toBe(404)
    expect((await get(`${path}x--1/versions/`)).status).toBe(404)
  })

  it('answers errors in the form of TAXII', async () => {
    const collection = await publish()
    const path = `iodine/collections/${collection}/objects/`
    for (const query of [
      '?limit=0',
      '?limit=x',
      '?limit=-1',
      '?limit=1&limit=2',
      '?added_after=yesterday',
      '?next=abc',
      `?next=${Buffer.from('1.{"$gt":1}').toString('base64url')}`,
      '?match[version]=newest',
      '?match[id]=%00',
      '?match[id][$gt]=',
    ]) {
      const { status, body, headers } = await get(path + query)
      // An unknown parameter is ignored.
      if (query === '?match[id][$gt]=') expect(status).toBe(200)
      else {
        expect([query, status, body.http_status]).toEqual([query, 400, '400'])
        expect(body.title).toEqual(expect.any(String))
        expect(headers.get('content-type')).toBe(TAXII_TYPE)
      }
    }
    for (const missing of ['iodine/collections/x/', `iodine/collections/${newId()}/objects/`])
      expect((await get(missing)).body).toMatchObject({ title: DETAILS.notFound, http_status: '404' })
    for (const accept of [
      'application/json',
      'application/taxii+json;version=2.0',
      'application/vnd.oasis.taxii+json; version=2.0',
      '*/*;q=0',
    ])
      expect([accept, (await get('', { accept })).body.http_status]).toEqual([accept, '406'])
    for (const accept of [
      '*/*',
      'application/taxii+json',
      'application/taxii+json; version=2.1',
      'text/html, application/*;q=0.8',
    ])
      expect([accept, (await get('', { accept })).status]).toEqual([accept, 200])
    for (const [token, status] of [
      [ana.token, 403],
      [await fixture.token({ id: ana.id, scope: 'collector' }), 403],
      ['nonsense', 401],
    ] as const) {
      const answer = await fetch(`${url}/taxii2/`, { headers: { authorization: `Bearer ${token}` } })
      expect([answer.status, (await answer.json()).http_status]).toEqual([status, String(status)])
    }
    // A feed token is valid only for feeds.
    const feed = apiClient(url, await tokenFor('green'))
    expect(await feed.send('GET', '/campaigns')).toMatchObject({
      status: 403,
      body: { detail: DETAILS.feedScope },
    })
  })

  it('is read by OpenCTI’s puller, page by page', { tags: 'long' }, async () => {
    await addIods(600)
    const collection = await publish()
    const puller = new OpenctiPuller(await address(), collection)
    // Pages have 1,000 objects: more follow after the first run.
    const first = await puller.run()
    expect(first).toBe(1_000)
    // The puller must not miss an object published between two pages.
    await addIods(1)
    await follow()
    await puller.settle()
    const fresh = new TaxiiReader(await address(), collection)
    await fresh.pull()
    expect([...puller.objects.keys()].sort()).toEqual([...fresh.objects.keys()].sort())
    for (const [id, { modified }] of fresh.objects) expect(puller.objects.get(id)?.modified).toBe(modified)
    // Without new objects the puller ingests nothing.
    for (let n = 0; n < 3; n++) expect(await puller.run()).toBe(0)
    await addIods(1)
    await follow()
    expect(await puller.settle()).toBe(6)
  })
})

describe('the MISP feed', () => {
  const file = async (name: string, { tlp = 'amber+strict', ...headers }: Record<string, string> = {}) => {
    const answer = await fetch(`${url}/feeds/misp/${name}`, {
      headers: { authorization: `Bearer ${await tokenFor(tlp as Tlp)}`, ...headers },
    })
    return { status: answer.status, headers: answer.headers, text: await answer.text() }
  }
  const manifest = async (tlp = 'amber+strict') => JSON.parse((await file('manifest.json', { tlp })).text)
  const event = async (tlp = 'amber+strict') => {
    const [uuid = ''] = Object.keys(await manifest(tlp))
    return JSON.parse((await file(`${uuid}.json`, { tlp })).text).Event
  }
  it('contains an event for each campaign, in the same bytes until a change', async () => {
    const [first] = await addIods(3)
    await publish()
    const listed = await manifest()
    const [[uuid, entry] = ['', {}]] = Object.entries(listed)
    const { Event } = JSON.parse((await file(`${uuid}.json`)).text)
    expect(entry).toEqual({
      Orgc: { name: 'Iodine', uuid: expect.any(String) },
      Tag: [{ name: 'tlp:green' }],
      info: 'Lake',
      date: Event.date,
      analysis: '1',
      threat_level_id: '4',
      timestamp: Event.timestamp,
    })
    expect(Event).toMatchObject({ uuid, published: true, Orgc: { name: 'Iodine' } })
    expect(Event.Attribute).toHaveLength(3)
    expect(JSON.stringify(Event)).not.toContain('distribution":"0"')
    const hashes = (await file('hashes.csv')).text.trim().split('\n')
    expect(hashes).toHaveLength(3)
    expect(hashes).toContain(
      `${createHash('md5')
        .update(first?.value ?? '')
        .digest('hex')},${uuid}`,
    )
    const names = ['manifest.json', 'hashes.csv', `${uuid}.json`]
    const tags = await Promise.all(names.map(async name => (await file(name)).headers.get('etag') ?? ''))
    await sweep()
    for (const [n, name] of names.entries()) {
      const again = await file(name, { 'if-none-match': tags[n] ?? '' })
      expect([name, again.status, again.text]).toEqual([name, 304, ''])
    }
    await addIods(1)
    await follow()
    for (const [n, name] of names.entries())
      expect((await file(name, { 'if-none-match': tags[n] ?? '' })).status).toBe(200)
    expect(Number((await event()).timestamp)).toBeGreaterThan(Number(Event.timestamp))
  })

  it('marks removed attributes as deleted, in events with later timestamps', { tags: 'long' }, async () => {
    const [first, second] = await addIods(2)
    await publish()
    const before = await event()
    const remove = async (iod: Iod | undefined) => {
      await api.call(campaignsApi.removeIod, { params: { id: campaign.id }, body: { iod_id: iod?.id ?? '' } })
      await follow()
    }
    await remove(first)
    const after = await event()
    const gone = after.Attribute.filter((each: { deleted?: boolean }) => each.deleted)
    expect(gone).toMatchObject([{ value: first?.value, to_ids: false }])
    expect(gone[0].uuid).toBe(before.Attribute[0].uuid)
    expect(Number(after.timestamp)).toBeGreaterThan(Number(before.timestamp))
    await remove(second)
    // Also within the same second, as pullers compare only the timestamp.
    expect(Number((await event()).timestamp)).toBeGreaterThan(Number(after.timestamp))
    await share({ published: false })
    await settle()
    const withdrawn = await event()
    expect(withdrawn.Attribute.every(({ deleted }: { deleted?: boolean }) => deleted)).toBe(true)
    expect((await file('hashes.csv')).text.trim()).toBe('')
    await share({ published: true })
    await settle()
    await addIods(1)
    await follow()
    expect((await event()).Attribute.filter((each: { deleted?: boolean }) => !each.deleted)).toHaveLength(1)
    await share({ published: false })
    await settle()
    await service.mongo.collection('published').updateMany({}, { $set: { added: new Date(0) } })
    await sweep()
    expect(await manifest()).toEqual({})
    expect(await service.mongo.collection('feed_event_parts').countDocuments()).toBe(0)
    const used = await fixture.internal(usageInternal.getUsage, { params: { id: ana.id } })
    expect(used.published_bytes?.used).toBe(0)
  })

  it('respects the token’s level, also while a campaign’s level is raised', async () => {
    const [, amber, red] = await addIods(3)
    levels.set(red?.id ?? '', 'red')
    await publish()
    expect(Object.keys(await manifest('green'))).toHaveLength(1)
    expect(Object.keys(await manifest('clear'))).toEqual([])
    expect(JSON.stringify(await event('green'))).not.toContain(red?.value)
    const [uuid] = Object.keys(await manifest('green'))
    await share({ tlp: 'amber' })
    expect(await manifest('green')).toEqual({})
    expect((await file(`${uuid}.json`, { tlp: 'green' })).status).toBe(404)
    expect((await file('hashes.csv', { tlp: 'green' })).text).toBe('')
    await share({ tlp: 'green' })
    levels.set(amber?.id ?? '', 'amber')
    await sweep()
    // An event has the strictest level of its content.
    expect(await manifest('green')).toEqual({})
    expect((await event('amber')).Tag).toContainEqual({ name: 'tlp:amber' })
  })

  it('has a signature of its manifest, and answers 404 for other files', async () => {
    const { privateKey, publicKey } = generateKeyPairSync('ed25519')
    fixture.answer(sealsInternal.signManifest, ({ body }) => ({
      key_id: 'k1',
      sig: sign(null, Buffer.concat([Buffer.from(MISP_MANIFEST_CONTEXT), body]), privateKey).toString(
        'base64',
      ),
    }))
    await addIods(1)
    await publish()
    const { text } = await file('manifest.json')
    const signature = await file('manifest.json.sig')
    expect(signature.headers.get('x-key-id')).toBe('k1')
    const given = Buffer.from(signature.text.trim(), 'base64')
    const check = (bytes: string) => verify(null, Buffer.from(bytes), publicKey, given)
    expect(check(MISP_MANIFEST_CONTEXT + text)).toBe(true)
    expect(check(text)).toBe(false)
    expect(check(`${MISP_MANIFEST_CONTEXT}${text} `)).toBe(false)
    for (const name of [
      'x.json',
      `${newId()}.json`,
      'manifest.json.asc',
      '..%2fmanifest.json',
      `${crypto.randomUUID()}.json`,
    ])
      expect([name, (await file(name)).status]).toEqual([name, 404])
  })

  it('contains all parts of a large event', { tags: 'long' }, async () => {
    for (let n = 0; n < 130; n++) {
      const iod = anIod({ id: newId(), value: `v${n}`, description: 'ü'.repeat(5_000) })
      iods.set(iod.id, iod)
    }
    await api.call(campaignsApi.addIods, {
      params: { id: campaign.id },
      body: { iod_ids: [...iods.keys()].slice(-130) },
    })
    await publish()
    expect(await service.mongo.collection('feed_event_parts').countDocuments()).toBeGreaterThan(1)
    expect((await event()).Attribute).toHaveLength(130)
  })
})

describe('events of other tools', () => {
  const EVENT = '5e57c739-0000-4000-8000-000000000001'
  const attributeOf = (n: number, more = '') =>
    `{"uuid":"5e57c739-0000-4000-8000-00000000010${n}", "type":"url","category":"Network activity","value":"https://example.org/${n}","x":1.0,"big":9007199254740993${more}}`
  const eventOf = (...attributes: string[]) =>
    `{"uuid":"${EVENT}","info":"Theirs","date":"2026-01-01","analysis":"2","threat_level_id":"1", "timestamp":"1700000000","Orgc":{"name":"Them","uuid":"5e57c739-0000-4000-8000-000000000002"},"Tag":[{"name":"tlp:green"}],"Attribute":[${attributes.join(', ')}]}`
  const read = async (name: string, tlp: Tlp = 'amber+strict') => {
    const answer = await fetch(`${url}/feeds/misp/${name}`, {
      headers: { authorization: `Bearer ${await tokenFor(tlp)}` },
    })
    return answer.status === 200 ? await answer.text() : answer.status
  }
  const manifest = async (tlp: Tlp = 'amber+strict') => JSON.parse(String(await read('manifest.json', tlp)))
  const inAll = async (tlp: Tlp = 'amber+strict') => new TaxiiReader(await address(tlp), 'all').pull()

  it('are unchanged in the MISP feed beside our event, and in TAXII as in the export', {
    tags: 'long',
  }, async () => {
    const [mine] = await addIods(1)
    const theirs = eventOf(attributeOf(1), attributeOf(2))
    const imported = await bring(`{"Event":${theirs}}`, campaign.id, 'misp')
    const collection = await publish()
    const listed = await manifest()
    expect(Object.keys(listed)).toHaveLength(2)
    expect(listed[EVENT]).toEqual({
      Orgc: { name: 'Them', uuid: '5e57c739-0000-4000-8000-000000000002' },
      Tag: [{ name: 'tlp:green' }],
      info: 'Theirs',
      date: '2026-01-01',
      analysis: '2',
      threat_level_id: '1',
      timestamp: '1700000000',
    })
    expect(await read(`${EVENT}.json`)).toBe(`{"Event":${theirs}}`)
    const ours = Object.keys(listed).find(uuid => uuid !== EVENT)
    const { Event } = JSON.parse(String(await read(`${ours}.json`)))
    expect(Event.Attribute.map(({ value }: { value: string }) => value)).toEqual([mine?.value])
    const hashes = String(await read('hashes.csv'))
    const md5 = createHash('md5').update('https://example.org/1').digest('hex')
    expect(hashes).toContain(`${md5},${EVENT}`)
    expect(hashes.trim().split('\n')).toHaveLength(3)

    const reader = new TaxiiReader(await address(), collection)
    const pulled = await reader.pull()
    const { body } = await api.send('GET', `/campaigns/${campaign.id}/export?format=stix`)
    const byId = (objects: { id: string }[]) => [...objects].sort((a, b) => (a.id < b.id ? -1 : 1))
    expect(byId(pulled)).toEqual(byId(body.objects))
    const packed = pulled.filter(({ type }) => type === 'x-misp-event')
    expect(packed.map(({ x_misp_event }) => x_misp_event).join('')).toBe(theirs)
    await follow()
    expect(await reader.pull()).toEqual([])

    await api.call(importsApi.deleteImport, { params: { id: imported } })
    await follow()
    expect(Object.keys(await manifest())).toEqual([ours])
    expect(await read(`${EVENT}.json`)).toBe(404)
    expect(
      (await reader.pull()).filter(({ type, revoked }) => type === 'x-misp-event' && revoked),
    ).toHaveLength(1)
  })

  it('omit attributes of removed IODs under a later timestamp, and contain votes and comments', async () => {
    await bring(`{"Event":${eventOf(attributeOf(1), attributeOf(2))}}`, campaign.id, 'misp')
    const collection = await publish()
    const reader = new TaxiiReader(await address(), collection)
    await reader.pull()
    const [first, second] = [...iods.values()]
    await api.call(campaignsApi.removeIod, { params: { id: campaign.id }, body: { iod_id: first?.id ?? '' } })
    await follow()
    const later = JSON.parse(String(await read(`${EVENT}.json`))).Event
    expect(later.Attribute.map(({ value }: { value: string }) => value)).toEqual([second?.value])
    expect(Number(later.timestamp)).toBe(1_700_000_001)
    expect((await manifest())[EVENT].timestamp).toBe('1700000001')
    const [packed] = (await reader.pull()).filter(({ type }) => type === 'x-misp-event')
    expect(packed?.x_misp_event).not.toContain(first?.value)
    iods.set(second?.id ?? '', { ...(second as Iod), votes: [aVote('bo', 'POSITIVE')] })
    await sweep()
    expect(await read(`${EVENT}.json`)).toContain('bo')
    expect(await service.mongo.collection('feed_event_parts').countDocuments()).toBe(2)
    await share({ published: false })
    await settle()
    expect(Object.keys(await manifest())).toHaveLength(1)
    expect(await read(`${EVENT}.json`)).toBe(404)
    const used = await fixture.internal(usageInternal.getUsage, { params: { id: ana.id } })
    expect(used.published_bytes?.used).toBe(
      (await service.mongo.collection('publications').findOne({}))?.bytes,
    )
  })

  it('have their strictest level, and omit TLP:RED content', async () => {
    const amber = attributeOf(1, ',"Tag":[{"name":"tlp:amber"}]')
    await bring(`{"Event":${eventOf(amber, attributeOf(2))}}`, campaign.id, 'misp')
    const second = [...iods.values()].find(({ value }) => value.endsWith('/2'))
    levels.set(second?.id ?? '', 'red')
    await publish()
    expect(await manifest('green')).toEqual({})
    expect(await read(`${EVENT}.json`, 'green')).toBe(404)
    expect(JSON.stringify(await inAll('green'))).not.toContain('example.org')
    const whole = `${await read(`${EVENT}.json`, 'amber')}${JSON.stringify(await inAll('amber'))}`
    expect(whole).toContain('https://example.org/1')
    expect(whole).not.toContain('https://example.org/2')
  })

  it('of a red import are not published', async () => {
    await addIods(1)
    await publish()
    const red = attributeOf(1, ',"Tag":[{"name":"tlp:red"}]')
    await bring(`{"Event":${eventOf(red)}}`, campaign.id, 'misp')
    await follow()
    expect(await read(`${EVENT}.json`)).toBe(404)
    // The URL of the campaign's other IOD ends in an id, and does not match.
    expect(JSON.stringify(await inAll())).not.toMatch(/example\.org\/1\b/)
    expect((await sharing()).feed?.problem).toBe(DETAILS.publishedRed)
  })

  it('cannot replace a published event with the same UUID, neither ours nor an imported one', {
    tags: 'long',
  }, async () => {
    await addIods(1)
    await publish()
    const [ours = ''] = Object.keys(await manifest())
    const before = await read(`${ours}.json`)
    const other = await api.call(campaignsApi.createCampaign, { body: { name: 'Other' } })
    const fake = eventOf(attributeOf(1)).replace('1700000000', '4000000000')
    await bring(
      `{"response":[{"Event":${fake.replace(EVENT, ours)}},{"Event":${eventOf(attributeOf(2))}}]}`,
      other.id,
      'misp',
    )
    await publish(other.id)
    expect(await read(`${ours}.json`)).toBe(before)
    await bring(`{"Event":${fake}}`, campaign.id, 'misp')
    await follow()
    expect(await read(`${EVENT}.json`)).toContain('1700000000')
    await share({ published: false }, other.id)
    await settle(other.id)
    expect(await read(`${EVENT}.json`)).toContain('4000000000')
    // An imported event with the UUID of the campaign's own event.
    await bring(`{"Event":${fake.replace(EVENT, ours)}}`, campaign.id, 'misp')
    await follow()
    expect((await sharing()).feed?.state).toBe('published')
    expect(JSON.parse(String(await read(`${ours}.json`))).Event.Orgc.name).toBe('Iodine')
  })
})

describe('a publication', () => {
  it('appends an audit entry for each change of publication or level, also of concurrent changes', {
    tags: 'long',
  }, async () => {
    const entries = new Map<string, AuditEntry>()
    fixture.answer(auditInternal.appendAudit, ({ body }) => {
      for (const entry of body.entries) if (entry.subject.id === campaign.id) entries.set(entry.id, entry)
      return { done: true as const }
    })
    const times = (action: string, detail?: Tlp) =>
      [...entries.values()].filter(each => each.action === action && (!detail || each.detail === detail))
        .length
    for (let round = 0; round < 4; round++) {
      await Promise.all(Array.from({ length: 8 }, (_, n) => share({ published: n % 2 === 0 })))
      await workDone(service, 'audit')
      const { published } = await sharing()
      expect(times('campaign.published') - times('campaign.withdrawn')).toBe(published ? 1 : 0)
    }
    await share({ tlp: 'green' })
    await workDone(service, 'audit')
    const before = times('campaign.level-changed', 'green')
    await Promise.all(Array.from({ length: 8 }, (_, n) => share({ tlp: n % 2 ? 'green' : 'amber' })))
    await workDone(service, 'audit')
    const changes = (['amber', 'green'] as const).map(tlp => times('campaign.level-changed', tlp))
    expect((changes[0] ?? 0) - (changes[1] ?? 0) + before).toBe((await sharing()).tlp === 'amber' ? 1 : 0)
  })

  it('is requested only by the creator', async () => {
    const bo = await fixture.user('bo')
    expect(await refusal(share({ published: true }, campaign.id, apiClient(url, bo.token)))).toEqual([
      403,
      DETAILS.forbidden,
    ])
    expect(await sharing()).toMatchObject({ published: false, feed: null })
    expect(await outbox().countDocuments({ key: campaign.id })).toBe(0)
  })

  it('waits for other publications of its user, not for those of other users', { tags: 'long' }, async () => {
    const mine = await Promise.all(
      [1, 2].map(() => api.call(campaignsApi.createCampaign, { body: { name: 'Mine' } })),
    )
    const bo = await fixture.user('bo')
    const bos = apiClient(url, bo.token)
    const theirs = await bos.call(campaignsApi.createCampaign, { body: { name: 'Theirs' } })
    const [first = '', second = ''] = mine.map(({ id }) => id)
    const [held] = await addIods(1, first)
    const reading = gate()
    fixture.answer(iodsInternal.getIods, async ({ body }) => {
      if (held && body.ids.includes(held.id)) await reading.pass()
      return body.ids.flatMap(id => iods.get(id) ?? [])
    })
    const stateOf = async (id: string) => (await sharing(id)).feed?.state
    const publications = service.mongo.collection('publications')
    const setRun = (run: string | null) =>
      publications.updateOne({ _id: new Types.ObjectId(first) }, { $set: { run } })
    await share({ published: true }, first)
    await reading.reached
    expect((await publications.findOne({}))?.run).toEqual(expect.any(String))
    reading.open()
    await settle(first)
    await setRun('at work')
    await share({ published: true }, second)
    await share({ published: true }, theirs.id, bos)
    await settle(theirs.id)
    expect(await stateOf(theirs.id)).toBe('published')
    const isWaiting = () =>
      vi.waitFor(
        async () => {
          const waits = {
            kind: 'publication',
            key: second,
            lease: { $exists: false },
            since: { $exists: true },
          }
          expect(await outbox().findOne(waits)).toMatchObject({ attempts: 0 })
        },
        { timeout: 20_000 },
      )
    await isWaiting()
    expect(await stateOf(second)).toBe('due')
    await setRun(null)
    await settle(second)
    expect(await stateOf(second)).toBe('published')
    // Killed steps of both block each other until one is repeated.
    await publications.updateMany({}, { $set: { run: 'killed' } })
    await share({ published: false }, second)
    await isWaiting()
    expect(await stateOf(second)).toBe('due')
    await share({ published: false }, first)
    await Promise.all([settle(first), settle(second)])
    expect([await stateOf(first), await stateOf(second)]).toEqual(['withdrawn', 'withdrawn'])
  })

  it('stops at the quota with the reason and one outbox entry, and counts exactly', {
    tags: 'long',
  }, async () => {
    const used = async () =>
      (await fixture.internal(usageInternal.getUsage, { params: { id: ana.id } })).published_bytes?.used ?? 0
    const stored = async () => {
      const [rows, events] = await Promise.all(
        ['published', 'feed_events'].map(name => service.mongo.collection(name).find({}).toArray()),
      )
      return [...(rows ?? []), ...(events ?? [])].reduce((sum, { bytes }) => sum + bytes, 0)
    }
    await addIods(5)
    await publish()
    expect(await used()).toBe(await stored())
    await share({ published: false })
    await settle()
    expect(await used()).toBe(await stored())
    await addIods(1, campaign.id, { description: 'x'.repeat(10_000) })
    for (let n = 0; n < 320; n++) {
      const iod = anIod({ id: newId(), value: `v${n}`, description: 'x'.repeat(10_000) })
      iods.set(iod.id, iod)
    }
    const many = [...iods.keys()].slice(-320)
    await api.call(campaignsApi.addIods, { params: { id: campaign.id }, body: { iod_ids: many } })
    await share({ published: true })
    await settle()
    expect((await sharing()).feed).toMatchObject({
      state: 'due',
      problem: expect.stringContaining('Your published objects take'),
    })
    expect(await used()).toBe(await stored())
    const entries = () => outbox().countDocuments({ kind: 'publication', key: campaign.id })
    for (const name of ['First', 'Second', 'Third']) {
      await api.call(campaignsApi.updateCampaign, { params: { id: campaign.id }, body: { name } })
      expect(await entries()).toBe(2)
      await settle()
      expect(await entries()).toBe(1)
    }
    await share({ published: false })
    await settle()
    expect((await sharing()).feed).toMatchObject({ state: 'withdrawn', problem: null })
    expect(await used()).toBe(await stored())
  })

  it('waits for an unavailable service, and continues once it is available', { tags: 'long' }, async () => {
    await addIods(1)
    let isDown = true
    let calls = 0
    fixture.answer(iodsInternal.getIods, ({ body }) => {
      calls++
      if (isDown) throw new HttpError(503, 'Down')
      return body.ids.flatMap(id => iods.get(id) ?? [])
    })
    await share({ published: true })
    await vi.waitFor(() => expect(calls).toBeGreaterThan(0))
    expect((await sharing()).feed).toMatchObject({ state: 'due', problem: null })
    isDown = false
    await settle()
    expect((await sharing()).feed?.state).toBe('published')
  })
})
