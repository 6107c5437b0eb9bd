import { setTimeout as sleep } from 'node:timers/promises'
import {
  type Campaign,
  type CampaignImport,
  campaignsApi,
  DETAILS,
  evidenceInternal,
  foldIod,
  type ImportFormat,
  type Iod,
  importsApi,
  iodsInternal,
  LIMITS,
  type NewIod,
  personalDataInternal,
  rankOfTlp,
  TLP_LEVELS,
  type Tlp,
} from '@iodine/contracts'
import { HttpError, readConfig, type StoreService } from '@iodine/service-kit'
import {
  type ApiClient,
  anIod,
  apiClient,
  beforeNext,
  type FixtureUser,
  newId,
  propertyRuns,
  runs,
  type ServiceFixture,
  startServiceFixture,
} from '@iodine/test-kit'
import fc from 'fast-check'
import { Types } from 'mongoose'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { campaignsConfigSchema, createApp } from '../src/index.js'
import { gate, makeDue, workDone } from './work.js'

let fixture: ServiceFixture
let service: StoreService
let env: Record<string, string>
let url: string
let ana: FixtureUser
let bo: FixtureUser
let api: ApiClient
let bosApi: ApiClient
/** IODs of the scripted iods service, by category and folded value, and the level of each upsert. */
let iods: Map<string, Iod>
let levels: Map<string, Tlp | null>
let campaign: Campaign

const keyOf = (iod: Pick<NewIod, 'category' | 'value'>) => `${iod.category} ${foldIod(iod)}`

beforeAll(async () => {
  fixture = await startServiceFixture()
  env = { ...fixture.env, QUOTA_IMPORT_BYTES: '8000000', QUOTA_CAMPAIGN_IODS: '1500' }
  service = await createApp(readConfig(campaignsConfigSchema, env), fixture.deps)
  url = await fixture.listen(service)
  bo = await fixture.user('bo')
  bosApi = apiClient(url, bo.token)
})
afterAll(() => fixture?.stop())
beforeEach(async () => {
  iods = new Map()
  levels = new Map()
  // A new user for each test, as quotas are per user.
  ana = await fixture.user(`ana${newId().slice(-8)}`)
  api = apiClient(url, ana.token)
  campaign = await api.call(campaignsApi.createCampaign, { body: { name: 'Lake' } })
  fixture.answer(iodsInternal.findIods, ({ body }) => body.iods.map(iod => iods.get(keyOf(iod))?.id ?? null))
  fixture.answer(iodsInternal.upsertIods, ({ body }) =>
    body.iods.map(({ iod, tlp }) => {
      const key = keyOf(iod)
      const before = iods.get(key)
      const made = before ?? anIod({ id: newId(), ...iod, source: iod.source ?? null, source_id: null })
      if (!before) {
        iods.set(key, made)
        levels.set(made.id, tlp)
      }
      return { id: made.id, created: !before }
    }),
  )
  const all = () => [...iods.values()]
  fixture.answer(iodsInternal.getIods, ({ body }) => all().filter(({ id }) => body.ids.includes(id)))
  fixture.answer(iodsInternal.knownIods, ({ body }) =>
    body.ids.filter(id => all().some(iod => iod.id === id)),
  )
  fixture.answer(iodsInternal.getLevels, ({ body }) =>
    Object.fromEntries(
      body.ids.flatMap(of => {
        const level = levels.get(of)
        return level ? [[of, level]] : []
      }),
    ),
  )
  fixture.answer(iodsInternal.stateIods, ({ body }) =>
    Object.fromEntries(
      all()
        .filter(({ id }) => body.ids.includes(id))
        .map(({ id, created_at }) => [
          id,
          { uid: id, confidence: null, since: created_at, tlp: levels.get(id) ?? null },
        ]),
    ),
  )
})

const id = (type: string, n: number) => `${type}--00000000-0000-4000-8000-${String(n).padStart(12, '0')}`
const indicator = (n: number, value = `https://example.org/${n}`, more = '') =>
  `{"type":"indicator", "id":"${id('indicator', n)}","created":"2026-01-01T00:00:00Z","modified":"2026-01-02T00:00:00Z", "x_score":1.0,"x_big":9007199254740993,"pattern":"[url:value = '${value}']","pattern_type":"stix"${more}}`
const relation = (n: number, source: string, target: string) =>
  `{"type":"relationship","id":"${id('relationship', n)}","created":"2026-01-01T00:00:00Z","modified":"2026-01-01T00:00:00Z","relationship_type":"indicates","source_ref":"${source}","target_ref":"${target}"}`
const malware = (n: number, more = '') =>
  `{"type":"malware","id":"${id('malware', n)}","name":"\\u0000 \\ud800 1e999","is_family":false,"name":"doubled"${more}}`
/** Returns a bundle of `times` × 2.7 MB. */
const large = (times: number) =>
  bundle(...Array.from({ length: times }, (_, n) => malware(n, `,"x":"${'x'.repeat(2_700_000)}"`)))
const bundle = (...objects: string[]) =>
  `{"type":"bundle","id":"bundle--1","objects":[${objects.join(',\n ')}]}`

const upload = async (
  file: string | Uint8Array,
  of = campaign.id,
  client = api,
  format: ImportFormat = 'stix',
) =>
  client.call(importsApi.createImport, {
    query: { campaign_id: of, format },
    body: (typeof file === 'string' ? new TextEncoder().encode(file) : file) as Uint8Array<ArrayBuffer>,
  })
const refusal = (promise: Promise<unknown>) =>
  promise.then(
    () => 'accepted',
    ({ status, detail }: { status: number; detail: unknown }) => [status, detail],
  )
const finish = (of: string) => workDone(service, 'import', of)
const look = (of: string, client = api): Promise<CampaignImport> =>
  client.call(importsApi.getImport, { params: { id: of } })
const plan = async (file: string, of = campaign.id, client = api, format: ImportFormat = 'stix') => {
  const made = await upload(file, of, client, format)
  await finish(made.id)
  return look(made.id, client)
}
const apply = async (of: string, body = {}, client = api) => {
  await client.call(importsApi.applyImport, { params: { id: of }, body })
  await finish(of)
  return look(of, client)
}
const bring = async (file: string, body = {}, format: ImportFormat = 'stix') =>
  apply((await plan(file, campaign.id, api, format)).id, body)
const exported = async (of = campaign.id, client = api) =>
  client.send('GET', `/campaigns/${of}/export?format=stix`)
const exportedText = async (format = 'stix', of = campaign.id) => {
  const answer = await fetch(`${url}/api/v1/campaigns/${of}/export?format=${format}`, {
    headers: { authorization: `Bearer ${ana.token}` },
  })
  return { text: await answer.text(), withheld: answer.headers.get('x-withheld') }
}
const outbox = () => service.mongo.collection('outbox')
const kept = () => api.call(importsApi.getKept, { params: { id: campaign.id } })

describe('a file of another tool', () => {
  it('is planned without changing anything, then applied', async () => {
    const known = anIod({ id: newId(), category: 'URL', value: 'https://example.org/1' })
    iods.set(keyOf(known), known)
    const file = bundle(indicator(1), indicator(2), malware(1), indicator(3, ' '))
    const planned = await plan(file)
    expect(planned).toMatchObject({
      state: 'planned',
      problem: null,
      bytes: file.length,
      objects: 4,
      iods: 2,
      known_iods: 1,
      refused: 1,
      tlp: null,
    })
    expect(iods.size).toBe(1)
    expect((await api.call(campaignsApi.getCampaign, { params: { id: campaign.id } })).iod_count).toBe(0)
    expect((await kept()).objects).toBe(0)

    expect(await apply(planned.id)).toMatchObject({ state: 'done', done: 4 })
    const { iods: members } = await api.call(campaignsApi.getCampaign, { params: { id: campaign.id } })
    expect(members.map(({ value }) => value)).toEqual(['https://example.org/1', 'https://example.org/2'])
    expect(await kept()).toMatchObject({
      objects: 4,
      withheld: 0,
      types: [
        { type: 'indicator', objects: 3 },
        { type: 'malware', objects: 1 },
      ],
      imports: [{ id: planned.id, user_id: ana.id, objects: 4, removable: true }],
    })
  })

  it('is exported with unchanged bytes, in its order, with our content', async () => {
    const objects = [
      indicator(1),
      malware(1),
      relation(1, id('indicator', 1), id('malware', 1)),
      malware(1, ',"a":-0'),
    ]
    await bring(bundle(...objects))
    const { text, withheld } = await exportedText()
    expect(withheld).toBe('0')
    let at = 0
    for (const object of objects) {
      const found = text.indexOf(object, at)
      expect([object, found >= at]).toEqual([object, true])
      at = found + object.length
    }
    const file = JSON.parse(text) as {
      objects: { type: string; id: string; object_refs?: string[]; source_ref?: string }[]
    }
    // The imported indicator stands for the IOD: we export no second one, and our objects refer to it.
    expect(file.objects.filter(({ type }) => type === 'indicator').map(each => each.id)).toEqual([
      id('indicator', 1),
    ])
    const grouping = file.objects.find(({ type }) => type === 'grouping')
    expect(grouping?.object_refs).toContain(id('indicator', 1))
    const ours = file.objects.filter(
      each => each.type === 'relationship' && each.id !== id('relationship', 1),
    )
    expect(ours.map(({ source_ref }) => source_ref)).toEqual([id('indicator', 1)])
  })

  it('of our own is exported unchanged after its import, each object once', { tags: 'long' }, async () => {
    await bring(bundle(indicator(1)))
    const { text } = await exportedText()
    await bring(text)
    const again = (await exportedText()).text
    const ids = (file: string) =>
      (JSON.parse(file) as { objects: { id: string; modified?: string }[] }).objects
        .map(each => `${each.id} ${each.modified}`)
        .filter(each => !each.startsWith('campaign') && !each.startsWith('grouping'))
        .sort()
    expect(ids(again)).toEqual(ids(text))
  })

  it('is imported once into a campaign, until its import is removed', { tags: 'long' }, async () => {
    const file = bundle(indicator(1), malware(1))
    const { id: done } = await bring(file)
    expect(await refusal(upload(file))).toEqual([409, DETAILS.importedAlready])
    await api.call(importsApi.deleteImport, { params: { id: done } })
    expect((await bring(file)).state).toBe('done')
  })

  it('leaves its IODs in the campaign when its import is removed', async () => {
    const { id: done } = await bring(bundle(indicator(1), indicator(2), malware(1)))
    await api.call(importsApi.deleteImport, { params: { id: done } })
    expect((await kept()).objects).toBe(0)
    const { iods: members } = await api.call(campaignsApi.getCampaign, { params: { id: campaign.id } })
    expect(members.map(({ value }) => value)).toEqual(['https://example.org/1', 'https://example.org/2'])
  })

  it('may share objects with another file: they are exported once, and remain when one file is removed', {
    tags: 'long',
  }, async () => {
    const first = await bring(bundle(malware(1), malware(2)))
    await bring(bundle(malware(2), malware(3)))
    const counts = async () => {
      const { text } = await exportedText()
      return [1, 2, 3].map(n => text.split(malware(n)).length - 1)
    }
    expect(await counts()).toEqual([1, 1, 1])
    await api.call(importsApi.deleteImport, { params: { id: first.id } })
    expect(await counts()).toEqual([0, 1, 1])
  })

  it('may have several objects for an IOD: the latest stands for it, regardless of the precision of its time', async () => {
    const same = 'https://example.org/1'
    const later = indicator(2, same).replace('2026-01-02T00:00:00Z', '2026-01-02T00:00:00.5Z')
    await bring(bundle(indicator(1, same), later))
    const { objects } = JSON.parse((await exportedText()).text) as {
      objects: { type: string; object_refs?: string[] }[]
    }
    const [grouping] = objects.filter(({ type }) => type === 'grouping')
    expect(grouping?.object_refs).toContain(id('indicator', 2))
    expect(grouping?.object_refs).not.toContain(id('indicator', 1))
  })

  it('adds its DISARM techniques to the campaign', async () => {
    const pattern = (n: number, source: string, technique: string) =>
      `{"type":"attack-pattern","id":"${id('attack-pattern', n)}","name":"x","external_references":[{"source_name":"${source}","external_id":"${technique}"}]}`
    await bring(
      bundle(
        pattern(1, 'mitre-attack', 'T0002'),
        pattern(2, 'DISARM', 'T0023.001'),
        pattern(3, 'mitre-attack', 'T1059'),
        pattern(4, 'CAPEC', 'T0003'),
      ),
    )
    const named = await api.call(campaignsApi.listTechniques, { params: { id: campaign.id } })
    expect(named.map(each => [each.id, each.by])).toEqual([
      ['T0002', ana.id],
      ['T0023.001', ana.id],
    ])
  })

  it('is stored without IODs on request', async () => {
    await bring(bundle(indicator(1)), { iods: false })
    expect([iods.size, (await kept()).objects]).toEqual([0, 1])
  })

  it('is exported without the object of a removed IOD and what connects it, until the IOD is added again', async () => {
    await bring(
      bundle(indicator(1), indicator(2), malware(1), relation(1, id('indicator', 1), id('malware', 1))),
    )
    const [first] = [...iods.values()]
    const params = { id: campaign.id }
    await api.call(campaignsApi.removeIod, { params, body: { iod_id: first?.id as string } })
    const { text, withheld } = await exportedText()
    expect([withheld, (await kept()).withheld]).toEqual(['2', 2])
    expect(text).not.toContain(id('indicator', 1))
    expect(text).toContain(indicator(2))
    await api.call(campaignsApi.addIod, { params, body: { iod_id: first?.id as string } })
    expect((await exportedText()).text).toContain(indicator(1))
  })

  it('is imported without unreadable objects, which are counted with their reasons', async () => {
    const bytes = Buffer.from(
      `\uFEFF${bundle(indicator(1), '7', '{"type":"x","a":tru}', '{"type":"\u0001"}', malware(1))}`,
    )
    bytes[bytes.indexOf(1)] = 0xff
    const { id: made } = await upload(bytes)
    await finish(made)
    expect(await look(made)).toMatchObject({ state: 'planned', objects: 2, iods: 1, skipped: 3, refused: 0 })
    expect((await look(made)).invalid.map(({ reason }) => reason)).toEqual([
      'Object 2 of the file is not an object.',
      'Object 3 of the file is not valid JSON.',
      'Object 4 of the file is not UTF-8.',
    ])
    expect(await apply(made)).toMatchObject({ state: 'done', skipped: 3 })
    expect((await kept()).objects).toBe(2)
  })

  it('adds techniques of earlier releases, lists those of none, and keeps their objects', async () => {
    const pattern = (n: number, source: string, external: string) =>
      `{"type":"attack-pattern","id":"${id('attack-pattern', n)}","name":"x","external_references":[{"source_name":"${source}","external_id":"${external}"}]}`
    const planned = await plan(
      bundle(
        pattern(1, 'mitre-attack', 'T0001'),
        pattern(2, 'DISARM', 'T0099.009'),
        pattern(3, 'DISARM', 'none'),
        pattern(4, 'mitre-attack', 'T1566'),
        pattern(5, 'DISARM', 'T0002'),
        pattern(6, 'DISARM', 'T0001'),
        pattern(7, 'mitre-attack', 'T0019.002'),
      ),
    )
    expect(planned).toMatchObject({ techniques: 2, unknown_techniques: ['T0001', 'T0099.009', 'none'] })
    await apply(planned.id)
    expect((await kept()).objects).toBe(7)
  })

  it('is exported with the same bytes until a change', { tags: 'long' }, async () => {
    await bring(bundle(indicator(1), malware(1)))
    const { text } = await exportedText()
    expect((await exportedText()).text).toBe(text)
    await bring(bundle(malware(2)))
    expect((await exportedText()).text).not.toBe(text)
  })

  it.each([
    ['', 'The file is not valid JSON.'],
    ['{"type":"bundle"}', 'The file is neither a STIX bundle nor a STIX object.'],
    ['{"campaign":{},"iods":[]}', 'The file is neither a STIX bundle nor a STIX object.'],
    ['{"type":"bundle","objects":[]}', 'The file has no objects.'],
    [bundle('{"type":"x","a":tru}'), 'Object 1 of the file is not valid JSON.'],
  ])('is rejected with the reason: %s', async (file, reason) => {
    expect(await refusal(upload(file))).toEqual([422, [reason]])
    expect(
      await service.mongo.collection('imports').countDocuments({ user_id: new Types.ObjectId(ana.id) }),
    ).toBe(0)
  })

  it('is rejected for an unknown campaign, as JSON, and past the quota', { tags: 'long' }, async () => {
    expect(await refusal(upload(bundle(malware(1)), newId()))).toEqual([404, DETAILS.notFound])
    const path = `/campaigns/imports?campaign_id=${campaign.id}&format=stix`
    expect((await api.send('POST', path, { type: 'bundle' })).status).toBe(415)
    expect((await refusal(upload(large(3))))[0]).toBe(413)
  })

  it('is rejected beside 20 unfinished imports', { tags: 'long' }, async () => {
    for (let n = 0; n < LIMITS.openImportsMax; n++) await upload(bundle(malware(n)))
    expect(await refusal(upload(bundle(malware(99))))).toEqual([409, DETAILS.openImports])
    expect((await upload(bundle(malware(99)), campaign.id, bosApi)).id).toMatch(/^[0-9a-f]{24}$/)
  })

  it('frees quota when it is removed', { tags: 'long' }, async () => {
    const file = large(2)
    const planned = await plan(file)
    expect((await refusal(upload(file)))[0]).toBe(413)
    await api.call(importsApi.deleteImport, { params: { id: planned.id } })
    await bring(file)
    const [{ id: done } = { id: '' }] = (await kept()).imports
    await api.call(importsApi.deleteImport, { params: { id: done } })
    expect(await kept()).toMatchObject({ objects: 0, imports: [] })
    await bring(file)
  })
})

const uuid = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`
const attribute = (n: number, more = '') =>
  `{"uuid":"${uuid(n)}", "type":"url","category":"Network activity","value":"https://example.org/${n}","x":1.0,"x":9007199254740993,"timestamp":"1700000000"${more}}`
const other = `{"uuid":"${uuid(50)}","type":"email-src","value":"\\u0000 a@example.org"}`
const eventOf = (attributes: string[], more = '', n = 99) =>
  `{"uuid":"${uuid(n)}","info":"Theirs","timestamp":"1700000000","Attribute":[${attributes.join(' , ')}\n]${more}}`
const bringMisp = (file: string, body = {}) => bring(file, body, 'misp')
const read = async (of = campaign.id) => {
  const { text, withheld } = await exportedText('misp', of)
  return { text, withheld, file: JSON.parse(text) }
}
const members = async () => (await api.call(campaignsApi.getCampaign, { params: { id: campaign.id } })).iods

describe('MISP events', () => {
  it('are planned, applied, counted, and exported with unchanged bytes', async () => {
    const event = eventOf(
      [attribute(1), attribute(2), other],
      `,"Object":[{"name":"o","Attribute":[${attribute(3)}],"ObjectReference":[{"referenced_uuid":"${uuid(1)}"}]}], "Tag":[{"name":"tlp:green"}]`,
    )
    const planned = await plan(` {"Event": ${event} }`, campaign.id, api, 'misp')
    expect(planned).toMatchObject({ state: 'planned', objects: 7, iods: 3, known_iods: 0, tlp: 'green' })
    expect(await apply(planned.id)).toMatchObject({ state: 'done', done: 7 })
    expect((await members()).map(({ value }) => value)).toEqual(
      [1, 2, 3].map(n => `https://example.org/${n}`),
    )
    expect(await kept()).toMatchObject({
      objects: 7,
      withheld: 0,
      types: [
        { type: 'attribute', objects: 4 },
        { type: 'event', objects: 1 },
        { type: 'object', objects: 1 },
        { type: 'object-reference', objects: 1 },
      ],
    })
    const { text, withheld } = await read()
    expect([text, withheld]).toEqual([`{"Event":${event}}\n`, '0'])
    expect(await refusal(upload(` {"Event": ${event} }`, campaign.id, api, 'misp'))).toEqual([
      409,
      DETAILS.importedAlready,
    ])
  })

  it('are exported with later additions, and are otherwise unchanged', async () => {
    await bringMisp(`{"Event":${eventOf([attribute(1), other])}}`)
    const [member] = await members()
    const late = anIod({ id: newId(), category: 'SENTENCE', value: 'Added later' })
    iods.set(keyOf(late), late)
    const params = { id: campaign.id }
    await api.call(campaignsApi.addIod, { params, body: { iod_id: late.id } })
    await api.call(campaignsApi.addTechnique, { params: { ...params, tid: 'T0002' } })
    member?.votes.push({
      id: newId(),
      user_id: null,
      username: 'bo',
      vote_type: 'NEGATIVE',
      created_at: '2026-11-20T10:00:00.000Z',
    })
    iods.set(keyOf(member as Iod), member as Iod)
    const { text, file } = await read()
    expect(text).toContain(other)
    expect(text).toContain(attribute(1).slice(0, -1))
    const { Attribute, Tag, timestamp } = file.Event
    expect(Attribute.map(({ value }: { value: string }) => value)).toEqual([
      'https://example.org/1',
      '\u0000 a@example.org',
      'Added later',
    ])
    expect(Attribute[0].Opinion).toMatchObject([{ object_uuid: uuid(1), opinion: '0' }])
    expect(Tag).toEqual([{ name: 'misp-galaxy:disarm-techniques="Facilitate State Propaganda"' }])
    expect(Number(timestamp)).toBeGreaterThan(1_700_000_000)
    expect((await read()).text).toBe(text)
  })

  it('are exported without the attribute of a removed IOD and what refers to it, until the IOD is added again', {
    tags: 'long',
  }, async () => {
    const more = `,"Object":[{"name":"o","Attribute":[${attribute(3)}],"ObjectReference":[{"referenced_uuid":"${uuid(1)}"},{"referenced_uuid":"${uuid(3)}"}]}],"EventReport":[{"uuid":"${uuid(60)}","name":"r","content":"see @[attribute](${uuid(1)})"}]`
    const event = eventOf([attribute(1), attribute(2), other], more)
    await bringMisp(`[{"Event":${event}}]`)
    const before = (await read()).text
    const [first, , third] = await members()
    const params = { id: campaign.id }
    for (const each of [first, third])
      await api.call(campaignsApi.removeIod, { params, body: { iod_id: each?.id as string } })
    const { file, withheld } = await read()
    expect([withheld, (await kept()).withheld]).toEqual(['5', 5])
    expect(file.Event.Attribute.map(({ uuid }: { uuid: string }) => uuid)).toEqual([uuid(2), uuid(50)])
    expect([file.Event.Object, file.Event.EventReport]).toEqual([
      [{ name: 'o', Attribute: [], ObjectReference: [] }],
      [],
    ])
    for (const each of [first, third])
      await api.call(campaignsApi.addIod, { params, body: { iod_id: each?.id as string } })
    expect((await read()).text).toBe(before)
  })

  it('are exported as a list if there are several, with our event for the rest', {
    tags: 'long',
  }, async () => {
    const tags = ',"Tag":[{"name":"misp-galaxy:disarm-techniques=\\"Facilitate State Propaganda\\""}]'
    const events = [eventOf([attribute(1)], tags, 91), eventOf([attribute(2), other], '', 92)]
    await bringMisp(`{"response":[${events.map(each => `{"Event":${each}}`).join(',')}]}`)
    expect((await read()).text).toBe(
      `{"response":[${events.map(each => `{"Event":${each}}`).join(',\n')}]}\n`,
    )
    const late = anIod({ id: newId(), category: 'SENTENCE', value: 'Added later' })
    iods.set(keyOf(late), late)
    await api.call(campaignsApi.addIod, { params: { id: campaign.id }, body: { iod_id: late.id } })
    const { text, file } = await read()
    for (const each of events) expect(text).toContain(each)
    expect(file.response).toHaveLength(3)
    expect(file.response[2].Event.Attribute.map(({ value }: { value: string }) => value)).toEqual([
      'Added later',
    ])
  })

  it('are exported in their latest version', { tags: 'long' }, async () => {
    const later = eventOf([attribute(1), attribute(2)]).replace('"timestamp":"17', '"timestamp":"18')
    await bringMisp(later)
    await bringMisp(eventOf([attribute(1)]))
    const { file } = await read()
    expect(file.Event.timestamp).toBe('1800000000')
    expect(file.Event.Attribute).toHaveLength(2)
  })

  it('are unchanged after an export and its import, with the additions', { tags: 'long' }, async () => {
    await bringMisp(`{"Event":${eventOf([attribute(1), other])}}`)
    const late = anIod({ id: newId(), category: 'TITLE', value: 'Added later' })
    iods.set(keyOf(late), late)
    await api.call(campaignsApi.addIod, { params: { id: campaign.id }, body: { iod_id: late.id } })
    const { text } = await read()
    campaign = await api.call(campaignsApi.createCampaign, { body: { name: 'Home' } })
    await bringMisp(text)
    expect((await members()).map(({ id }) => id).includes(late.id)).toBe(true)
    expect((await read()).text).toBe(text)
  })

  it('add the techniques of their tags, and remain unchanged', async () => {
    const tags = ',"Tag":[{"name":"misp-galaxy:disarm-techniques=\\"Facilitate State Propaganda\\""}]'
    const event = eventOf([attribute(1, tags)])
    await bringMisp(event)
    const named = await api.call(campaignsApi.listTechniques, { params: { id: campaign.id } })
    expect(named.map(each => each.id)).toEqual(['T0002'])
    expect((await read()).text).toBe(`{"Event":${event}}\n`)
  })

  it('keep their levels: each IOD has the level of its attribute, the campaign the strictest', async () => {
    const event = eventOf(
      [attribute(1, ',"Tag":[{"name":"tlp:red"}]'), attribute(2)],
      ',"Tag":[{"name":"tlp:amber"}]',
    )
    await bringMisp(event)
    expect([...levels.values()]).toEqual(['red', 'amber'])
    expect((await api.call(campaignsApi.getSharing, { params: { id: campaign.id } })).tlp).toBe('red')
    // The exported tags are unchanged.
    expect((await read()).text).toBe(`{"Event":${event}}\n`)
    const late = anIod({ id: newId(), category: 'SENTENCE', value: 'Added later' })
    iods.set(keyOf(late), late)
    await api.call(campaignsApi.addIod, { params: { id: campaign.id }, body: { iod_id: late.id } })
    expect((await read()).file.Event.Tag).toEqual([{ name: 'tlp:amber' }, { name: 'tlp:red' }])
  })

  it('are at most 1,000 in a campaign', { tags: 'long' }, async () => {
    const events = (from: number, count: number) =>
      `[${Array.from({ length: count }, (_, n) => `{"info":"${from + n}"}`).join(',')}]`
    expect((await refusal(upload(events(0, 1_001), campaign.id, api, 'misp')))[0]).toBe(422)
    await bringMisp(events(0, 999))
    const planned = await plan(events(2_000, 2), campaign.id, api, 'misp')
    expect(await refusal(api.call(importsApi.applyImport, { params: { id: planned.id }, body: {} }))).toEqual(
      [413, DETAILS.keptObjectsFull],
    )
    expect((await read()).file.response).toHaveLength(999)
  })

  it('of a stopped import are not exported', async () => {
    const planned = await plan(eventOf([attribute(1), other]), campaign.id, api, 'misp')
    fixture.answer(iodsInternal.upsertIods, () => {
      throw new HttpError(413, 'full')
    })
    expect((await apply(planned.id)).state).toBe('failed')
    expect((await read()).file.Event.info).toBe('Lake')
  })

  it.each([
    '',
    '{"Event":[]}',
    '{"type":"bundle","objects":[]}',
    '{"Event":{"info":"x","Attribute":[{"a":tru}]}}',
  ])('are rejected if invalid: %s', async file => {
    expect((await refusal(upload(file, campaign.id, api, 'misp')))[0]).toBe(422)
  })
})

describe('STIX and MISP in each other', () => {
  it('events have the same bytes after an export to STIX and its import', { tags: 'long' }, async () => {
    const events = [
      eventOf(
        [attribute(1), other, attribute(2, `,"long":"${'🟡é"'.replace('"', '').repeat(300_000)}"`)],
        '',
        91,
      ),
      eventOf([attribute(3)], ',"Tag":[{"name":"tlp:amber"}]', 92),
    ]
    const file = `{"response":[${events.map(each => `{"Event":${each}}`).join(',\n')}]}\n`
    await bringMisp(file)
    expect((await read()).text).toBe(file)
    const { text } = await exportedText()
    const { objects } = JSON.parse(text) as { objects: { type: string; x_misp_value?: string }[] }
    expect(objects.filter(({ type }) => type === 'x-misp-event').length).toBeGreaterThan(2)
    expect(objects.filter(({ type }) => type === 'x-misp-attribute').map(each => each.x_misp_value)).toEqual([
      '\u0000 a@example.org',
    ])
    campaign = await api.call(campaignsApi.createCampaign, { body: { name: 'Home' } })
    await bring(text)
    expect((await read()).file.response.slice(0, 2)).toEqual(JSON.parse(file).response)
    for (const each of events) expect((await read()).text).toContain(each)
    expect((await kept()).types.filter(({ type }) => type.startsWith('x-misp'))).toEqual([])
    expect((await api.call(campaignsApi.getSharing, { params: { id: campaign.id } })).least).toBe('amber')
    // A further import adds no duplicates.
    const again = JSON.parse((await exportedText()).text) as { objects: { id: string }[] }
    const ids = again.objects.map(({ id }) => id).filter(each => each.startsWith('x-misp'))
    expect(new Set(ids).size).toBe(ids.length)
  })

  it('parts of an incomplete event remain STIX objects', async () => {
    const [author] = JSON.parse((await exportedText()).text).objects
    const packed = (n: number, text: string) =>
      JSON.stringify({
        type: 'x-misp-event',
        id: `x-misp-event--${uuid(n)}`,
        created_by_ref: author.id,
        x_misp_uuid: uuid(9),
        x_misp_part: n,
        x_misp_event: text,
      })
    const objects = [packed(0, '{"info":"x"'), packed(2, '}]')]
    await bring(bundle(...objects))
    const { text } = await exportedText()
    for (const each of objects) expect(text).toContain(each)
    expect((await read()).file.Event.info).toBe('Lake')
  })

  it('objects and their event have the same bytes after an export to MISP and its import', {
    tags: 'long',
  }, async () => {
    const event = eventOf([attribute(1), other])
    await bringMisp(event)
    const objects = [
      indicator(1),
      malware(1),
      relation(1, id('indicator', 1), id('malware', 1)),
      malware(2, `,"long":"${'é🟡'.repeat(450_000)}"`),
    ]
    await bring(bundle(...objects))
    const { text, file } = await read()
    const names = file.Event.Attribute.map(({ value }: { value: string }) => value)
    expect(names.slice(-2)).toEqual(['iodine-stix.json', 'iodine-stix.json.2'])
    campaign = await api.call(campaignsApi.createCampaign, { body: { name: 'Home' } })
    await bringMisp(text)
    const home = (await exportedText()).text
    for (const each of objects) expect(home).toContain(each)
    expect(home).not.toContain('iodine-stix.json')
    const types = new Map((await kept()).types.map(each => [each.type, each.objects]))
    expect([types.get('malware'), types.get('event'), types.get('attribute')]).toEqual([2, 1, 2])
    const again = await read()
    expect(again.text).toContain(other)
    // The event's own content is unchanged, except for the timestamp of the additions.
    const { Attribute, timestamp: _, ...rest } = again.file.Event
    const { Attribute: first, timestamp: __, ...before } = JSON.parse(event)
    expect([rest, Attribute.slice(0, 2)]).toEqual([before, first])
  })

  it('objects are also packed into our own event; an attachment without a bundle remains one', {
    tags: 'long',
  }, async () => {
    await bring(bundle(malware(1)))
    const { text } = await read()
    campaign = await api.call(campaignsApi.createCampaign, { body: { name: 'Home' } })
    await bringMisp(text)
    expect((await exportedText()).text).toContain(malware(1))
    campaign = await api.call(campaignsApi.createCampaign, { body: { name: 'Other' } })
    const fake = '{"type":"attachment","value":"iodine-stix.json","data":"bm8="}'
    const event = eventOf([fake])
    await bringMisp(event)
    expect((await read()).text).toBe(`{"Event":${event}}\n`)
  })
})

describe('the profile for OpenCTI', () => {
  const file = async (profile: string, format = 'stix') => {
    const path = `/api/v1/campaigns/${campaign.id}/export?format=${format}&profile=${profile}`
    const answer = await fetch(`${url}${path}`, { headers: { authorization: `Bearer ${ana.token}` } })
    return { status: answer.status, text: await answer.text(), withheld: answer.headers.get('x-withheld') }
  }

  it('omits the objects that OpenCTI rejects and those that connect them, and states their number', {
    tags: 'long',
  }, async () => {
    const custom = `{"type":"x-thing","id":"${id('x-thing', 1)}"}`
    const objects = [
      indicator(1),
      malware(1),
      custom,
      '{"type":"x-nameless"}',
      relation(1, id('indicator', 1), id('x-thing', 1)),
      relation(2, id('indicator', 1), id('malware', 1)),
    ]
    await bring(bundle(...objects))
    await bring(eventOf([other]), {}, 'misp')
    const { text, withheld } = await file('opencti')
    const found = objects.filter(each => text.includes(each))
    expect(found).toEqual([objects[0], objects[1], objects[5]])
    expect(text).not.toContain('x-misp')
    expect(withheld).toBe('4')
    for (const each of objects) expect((await file('lossless')).text).toContain(each)
  })

  it('has one indicator per pattern, to which all content refers', async () => {
    for (const category of ['TITLE', 'SENTENCE'] as const) {
      const made = anIod({ id: newId(), category, value: 'Giant mirrors' })
      made.votes.push({
        id: newId(),
        user_id: null,
        username: 'bo',
        vote_type: 'POSITIVE',
        created_at: '2026-11-20T10:00:00.000Z',
      })
      iods.set(keyOf(made), made)
      const params = { id: campaign.id }
      await api.call(campaignsApi.addIod, { params, body: { iod_id: made.id } })
    }
    const { text, withheld } = await file('opencti')
    const { objects } = JSON.parse(text) as {
      objects: { type: string; id: string; object_refs?: string[]; relationship_type?: string }[]
    }
    const of = (type: string) => objects.filter(each => each.type === type)
    const [only, ...others] = of('indicator')
    expect(others).toEqual([])
    expect(of('opinion').map(each => each.object_refs)).toEqual([[only?.id], [only?.id]])
    expect(of('relationship').map(each => each.relationship_type)).toEqual(['based-on', 'indicates'])
    expect(withheld).toBe('3')
  })

  it('exists only for STIX', async () => {
    expect((await file('opencti', 'misp')).status).toBe(422)
    expect((await file('other')).status).toBe(422)
  })
})

describe('files of our own', () => {
  const quoted: unknown[] = []
  beforeEach(() => {
    quoted.length = 0
    fixture.answer(evidenceInternal.upsertEvidence, ({ body }) => {
      quoted.push(body)
      return { added: body.iods.length, known: 0, left_out: 0 }
    })
  })
  const exact = 'So they say: Mirrors'
  const evidence = [{ start: 7, end: 7 + exact.length, exact, prefix: '', suffix: '' }, { exact: 'broken' }]
  const json = (tlp: string | undefined, iods: object[], more = {}) =>
    JSON.stringify({ campaign: { name: 'x', ...(tlp && { tlp }), ...more }, iods })

  it('in JSON import IODs with levels, evidence and techniques, and store no objects', async () => {
    const file = json(
      'amber',
      [
        { value: 'Mirrors', category: 'TITLE', evidence },
        { value: 'a.org', category: 'DOMAIN', tlp: 'red' },
        { value: 'b.org', category: 'NONSENSE' },
        { value: 'c.org', category: 'DOMAIN', tlp: 'clear' },
        { value: 'd.org', category: 'DOMAIN', tlp: 'purple' },
      ],
      { techniques: ['T0002', 'T9999', 7] },
    )
    const planned = await plan(file, campaign.id, api, 'json')
    expect(planned).toMatchObject({ objects: 5, iods: 4, refused: 1, tlp: 'red', format: 'json' })
    expect(planned.unknown_techniques).toEqual(['T9999'])
    expect(await apply(planned.id)).toMatchObject({ state: 'done', done: 5 })
    const named = [...iods.values()].map(({ id, value }) => [value, levels.get(id)])
    expect(named).toEqual([
      ['Mirrors', 'amber'],
      ['a.org', 'red'],
      ['c.org', 'amber'],
      ['d.org', 'red'],
    ])
    expect(quoted).toMatchObject([{ user_id: ana.id, iods: [{ quotes: [{ exact }] }] }])
    expect(await kept()).toMatchObject({ objects: 0, imports: [{ id: planned.id, removable: true }] })
    expect((await api.call(campaignsApi.getSharing, { params: { id: campaign.id } })).least).toBe('red')
    const techniques = await api.call(campaignsApi.listTechniques, { params: { id: campaign.id } })
    expect(techniques.map(each => each.id)).toEqual(['T0002'])
    // The bytes of a repeated import do not count either.
    await bring(file, {}, 'json')
    const imports = service.mongo.collection('imports')
    const docs = await imports.find({ campaign_id: new Types.ObjectId(campaign.id) }).toArray()
    expect(docs.map(({ bytes }) => bytes)).toEqual([0, 0])
  })

  it('are planned with counts of new, known, member and refused entries; the results are counted', async () => {
    const [member, known] = ['m.org', 'k.org'].map(value =>
      anIod({ id: newId(), category: 'DOMAIN', value }),
    ) as [Iod, Iod]
    for (const iod of [member, known]) iods.set(keyOf(iod), iod)
    await api.call(campaignsApi.addIod, { params: { id: campaign.id }, body: { iod_id: member.id } })
    const long = 'x'.repeat(500)
    const file = json(
      undefined,
      [
        { value: 'M.org', category: 'DOMAIN' },
        { value: 'k.org', category: 'DOMAIN', evidence },
        { value: 'new.org', category: 'DOMAIN' },
        { value: ' NEW.org', category: 'DOMAIN' },
        { value: long, category: '<b>' },
        { category: 'URL' },
      ],
      { techniques: ['T0002', 'T9999'] },
    )
    const planned = await plan(file, campaign.id, api, 'json')
    expect(planned).toMatchObject({
      objects: 6,
      iods: 3,
      known_iods: 2,
      member_iods: 1,
      refused: 3,
      invalid: [
        { place: 'IOD 4', value: ' NEW.org', reason: 'Repeats iod 3' },
        { place: 'IOD 5', value: long.slice(0, 200), reason: 'Unknown category <B>' },
        { place: 'IOD 6', value: '', reason: 'The value is missing' },
      ],
      techniques: 1,
      quotes: 1,
      refused_quotes: 1,
      evidence: { added: 0, known: 0, left_out: 0 },
    })
    expect((await members()).map(({ value }) => value)).toEqual(['m.org'])
    expect(await apply(planned.id)).toMatchObject({ evidence: { added: 1, known: 0, left_out: 0 } })
    expect((await members()).map(({ value }) => value)).toEqual(['m.org', 'k.org', 'new.org'])
  })

  it('list refused entries up to the maximum of a plan', async () => {
    const csv = `value,category\n${'x,NONSENSE\n'.repeat(2_500)}`
    const planned = await plan(csv, campaign.id, api, 'csv')
    expect([planned.refused, planned.invalid.length]).toEqual([2_500, LIMITS.invalidListed])
    expect(planned.invalid[199]).toEqual({
      place: 'Line 201',
      value: 'x',
      reason: 'Unknown category NONSENSE',
    })
  })

  it('in STIX import IODs with evidence and techniques, and store no objects', async () => {
    await bring(
      json(undefined, [{ value: 'Mirrors', category: 'TITLE' }], { techniques: ['T0002'] }),
      {},
      'json',
    )
    const { text } = await exportedText()
    const to = await api.call(campaignsApi.createCampaign, { body: { name: 'Copy' } })
    iods.clear()
    const planned = await plan(text, to.id)
    expect(planned).toMatchObject({ format: 'json', iods: 1, known_iods: 0, techniques: 1, refused: 0 })
    expect(await apply(planned.id)).toMatchObject({ state: 'done' })
    expect([...iods.values()].map(({ value, category }) => [value, category])).toEqual([['Mirrors', 'TITLE']])
    expect((await api.call(importsApi.getKept, { params: { id: to.id } })).objects).toBe(0)
    const named = await api.call(campaignsApi.listTechniques, { params: { id: to.id } })
    expect(named.map(each => each.id)).toEqual(['T0002'])
    // The file may be imported again, as no object is stored.
    expect(await plan(text, to.id)).toMatchObject({ state: 'planned', member_iods: 1 })
  })

  it('without a level are removed after a day', async () => {
    const { id: made } = await bring(json(undefined, [{ value: 'a.org', category: 'DOMAIN' }]), {}, 'json')
    expect((await kept()).imports).toEqual([])
    const imports = service.mongo.collection('imports')
    const _id = new Types.ObjectId(made)
    expect(await imports.countDocuments({ _id })).toBe(1)
    await imports.updateOne({ _id }, { $set: { expires_at: new Date(0) } })
    await makeDue(service, made)
    await finish(made)
    expect(await imports.countDocuments({ _id })).toBe(0)
  })

  it('may continue within a day after they stopped, and are removed after it', async () => {
    const problem = 'You created 500 of 500 IODs a day: continue after midnight UTC'
    fixture.answer(iodsInternal.upsertIods, () => {
      throw new HttpError(413, problem)
    })
    const { id: made, ...stopped } = await bring(
      json(undefined, [{ value: 'a.org', category: 'DOMAIN' }]),
      {},
      'json',
    )
    expect(stopped).toMatchObject({ state: 'failed', problem, done: 0 })
    const imports = service.mongo.collection('imports')
    const _id = new Types.ObjectId(made)
    expect((await imports.findOne({ _id }))?.expires_at.getTime()).toBeGreaterThan(Date.now())
    await imports.updateOne({ _id }, { $set: { expires_at: new Date(0) } })
    await makeDue(service, made)
    await finish(made)
    expect(await imports.countDocuments({ _id })).toBe(0)
  })

  it('that are marked as a whole raise the campaign’s level, also without an IOD', async () => {
    await bring(json('red', []), {}, 'json')
    expect((await api.call(campaignsApi.getSharing, { params: { id: campaign.id } })).tlp).toBe('red')
  })

  it('in CSV import a level per row', async () => {
    const csv =
      'value,category,tlp\r\na.org,DOMAIN,TLP:AMBER\r\nb.org,DOMAIN,\r\nc.org,DOMAIN,purple\r\nx,,\r\n'
    const planned = await plan(csv, campaign.id, api, 'csv')
    expect(planned).toMatchObject({ objects: 4, iods: 3, refused: 1, tlp: 'red' })
    await apply(planned.id)
    expect([...iods.values()].map(({ id }) => levels.get(id))).toEqual(['amber', null, 'red'])
  })

  it.each([
    ['json', '{"iods": [', 'The file is not valid JSON, near byte 11.'],
    ['json', '{"iods":1}', 'The file is neither a campaign export nor a STIX bundle.'],
    ['json', '[]', 'The file is neither a campaign export nor a STIX bundle.'],
    ['csv', 'a,b\n1,2', 'The file needs a header row with value, category and description.'],
  ] as const)('are rejected with the reason: %s %s', async (format, file, reason) => {
    expect(await refusal(upload(file, campaign.id, api, format))).toEqual([422, [reason]])
  })
})

describe('a level', () => {
  it('is never lowered from campaign to campaign, in any sequence of formats', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...TLP_LEVELS),
        fc.array(fc.constantFrom(...TLP_LEVELS, null), { minLength: 1, maxLength: 3 }),
        fc.array(fc.constantFrom('json', 'csv', 'stix', 'misp'), { minLength: 1, maxLength: 3 }),
        async (whole, marks, formats) => {
          iods.clear()
          levels.clear()
          // A new user for each run, as the number of a user's campaigns is limited.
          ana = await fixture.user(`ana${newId().slice(-8)}`)
          api = apiClient(url, ana.token)
          let from = await api.call(campaignsApi.createCampaign, { body: { name: 'Round' } })
          await api.call(campaignsApi.updateSharing, { params: { id: from.id }, body: { tlp: whole } })
          for (const [n, level] of marks.entries()) {
            const made = anIod({ id: newId(), category: 'DOMAIN', value: `${n}.example.org` })
            iods.set(keyOf(made), made)
            levels.set(made.id, level)
            await api.call(campaignsApi.addIod, { params: { id: from.id }, body: { iod_id: made.id } })
          }
          for (const format of formats) {
            const shared = await api.call(campaignsApi.getSharing, { params: { id: from.id } })
            const before = new Map([...iods].map(([key, { id: of }]) => [key, levels.get(of) ?? null]))
            const { text } = await exportedText(format, from.id)
            // The import is into another system, without the IODs.
            iods.clear()
            levels.clear()
            const to = await api.call(campaignsApi.createCampaign, { body: { name: 'Round' } })
            await apply((await plan(text, to.id, api, format as ImportFormat)).id)
            const now = await api.call(campaignsApi.getSharing, { params: { id: to.id } })
            expect(rankOfTlp(now.tlp)).toBeGreaterThanOrEqual(rankOfTlp(shared.tlp))
            for (const [key, level] of before) {
              const after = levels.get(iods.get(key)?.id ?? '') ?? 'clear'
              // An imported object keeps its level; the campaign's level is compared above.
              expect(rankOfTlp(after)).toBeGreaterThanOrEqual(rankOfTlp(level ?? 'clear'))
            }
            from = to
          }
        },
      ),
      propertyRuns(12),
    )
  }, 600_000)
})

describe('an import', () => {
  it('is read and applied only by its user', async () => {
    const planned = await plan(bundle(indicator(1)))
    expect(await refusal(look(planned.id, bosApi))).toEqual([404, DETAILS.notFound])
    expect(
      await refusal(bosApi.call(importsApi.applyImport, { params: { id: planned.id }, body: {} })),
    ).toEqual([404, DETAILS.notFound])
    expect(await refusal(bosApi.call(importsApi.deleteImport, { params: { id: planned.id } }))).toEqual([
      404,
      DETAILS.notFound,
    ])
  })

  it('into another user’s campaign may be removed by the campaign’s creator, but by no third user', async () => {
    const made = await plan(bundle(malware(1)), campaign.id, bosApi)
    await apply(made.id, {}, bosApi)
    const cy = await fixture.user('cy')
    const params = { id: made.id }
    expect(await refusal(apiClient(url, cy.token).call(importsApi.deleteImport, { params }))).toEqual([
      403,
      DETAILS.forbidden,
    ])
    await api.call(importsApi.deleteImport, { params })
    expect((await kept()).objects).toBe(0)
  })

  it('is applied once: the request answers 409 during the plan and after the application', async () => {
    const planning = gate()
    fixture.answer(iodsInternal.findIods, async ({ body }) => {
      await planning.pass()
      return body.iods.map(() => null)
    })
    const made = await upload(bundle(indicator(1)))
    await planning.reached
    const start = () => refusal(api.call(importsApi.applyImport, { params: { id: made.id }, body: {} }))
    expect(await start()).toEqual([409, DETAILS.importNotPlanned])
    planning.open()
    await finish(made.id)
    const both = await Promise.all([start(), start(), start()])
    expect(both.filter(each => each === 'accepted')).toHaveLength(1)
    await finish(made.id)
    expect(await start()).toEqual([409, DETAILS.importNotPlanned])
  })

  it('stops at a full quota with the reason, and continues where it stopped', { tags: 'long' }, async () => {
    const planned = await plan(
      bundle(...Array.from({ length: 1_200 }, (_, n) => indicator(n, `https://e.org/${n}`))),
    )
    const brought = 1_000
    let room = brought
    const answer = ({ body }: { body: { iods: { iod: NewIod; tlp: Tlp | null }[] } }) => {
      room -= body.iods.length
      if (room < 0) throw new HttpError(413, 'You created 500 of 500 IODs a day: continue after midnight UTC')
      return body.iods.map(({ iod }) => {
        const made = iods.get(keyOf(iod)) ?? anIod({ id: newId(), ...iod, source: null, source_id: null })
        iods.set(keyOf(iod), made)
        return { id: made.id, created: true }
      })
    }
    fixture.answer(iodsInternal.upsertIods, answer)
    expect(await apply(planned.id)).toMatchObject({
      state: 'failed',
      problem: 'You created 500 of 500 IODs a day: continue after midnight UTC',
      done: LIMITS.importBatch,
    })
    expect((await kept()).objects).toBe(1_000)
    room = 10_000
    expect(await apply(planned.id)).toMatchObject({ state: 'done', problem: null, done: 1_200 })
    expect([(await kept()).objects, iods.size]).toEqual([1_200, 1_200])
  })

  it('stops when the campaign is full', async () => {
    const planned = await plan(
      bundle(...Array.from({ length: 1_600 }, (_, n) => indicator(n, `https://f.org/${n}`))),
    )
    const { state, problem } = await apply(planned.id)
    expect([state, problem]).toEqual(['failed', expect.stringContaining('IODs: remove some to make room')])
  })

  it('counts each part once when several processes run its steps concurrently', {
    tags: 'long',
  }, async () => {
    const others = await Promise.all(
      Array.from({ length: 3 }, () => createApp(readConfig(campaignsConfigSchema, env), fixture.deps)),
    )
    /** Clears the leases while the processes work. */
    const finishAtOnce = async (of: string) => {
      let isOver = false
      const done = finish(of).finally(() => {
        isOver = true
      })
      while (!isOver) {
        await outbox().updateMany({ key: of, lease: { $exists: true } }, { $set: { due_at: new Date(0) } })
        for (const each of [service, ...others]) each.outbox.wake()
        await sleep(50)
      }
      await done
    }
    const many = Array.from({ length: 2_500 }, (_, n) => malware(n))
    for (let round = 0; round < runs(1); round++) {
      const made = await upload(bundle(...many))
      await finishAtOnce(made.id)
      const planned = await look(made.id)
      expect(planned).toMatchObject({ state: 'planned', objects: 2_500 })
      await api.call(importsApi.applyImport, { params: { id: made.id }, body: {} })
      await finishAtOnce(made.id)
      expect(await look(made.id)).toMatchObject({ state: 'done', done: 2_500 })
      expect((await kept()).objects).toBe(2_500)
      await api.call(importsApi.deleteImport, { params: { id: made.id } })
    }
    for (const each of others) await each.close()
  })

  it('leaves no objects when it is removed during a slow step', async () => {
    const planned = await plan(bundle(indicator(1), malware(1)))
    let isSlow = true
    fixture.answer(iodsInternal.upsertIods, async ({ body }) => {
      // Removal by another process, which considers this one dead.
      if (isSlow) {
        isSlow = false
        const imports = service.mongo.collection('imports')
        const of = { _id: new Types.ObjectId(planned.id) }
        await imports.updateOne(of, { $set: { state: 'removing' } })
        await makeDue(service, planned.id)
        await vi.waitFor(async () => expect(await imports.countDocuments(of)).toBe(0))
      }
      return body.iods.map(() => ({ id: newId(), created: true }))
    })
    await api.call(importsApi.applyImport, { params: { id: planned.id }, body: {} })
    await finish(planned.id)
    const campaign_id = new Types.ObjectId(campaign.id)
    expect(await service.mongo.collection('foreign').countDocuments({ campaign_id })).toBe(0)
  })

  it('is rejected when the campaign is full, also by imports that are being applied', async () => {
    const planned = await plan(bundle(malware(1)))
    const other = await plan(bundle(malware(2)))
    const full = { $set: { state: 'applying', objects: LIMITS.keptObjectsMax } }
    await service.mongo.collection('imports').updateOne({ _id: new Types.ObjectId(other.id) }, full)
    expect(await refusal(api.call(importsApi.applyImport, { params: { id: planned.id }, body: {} }))).toEqual(
      [413, DETAILS.keptObjectsFull],
    )
    expect((await look(planned.id)).state).toBe('planned')
  })

  it('is removed with its campaign, and frees quota', { tags: 'long' }, async () => {
    const file = large(2)
    await bring(file)
    const waiting = await plan(bundle(malware(2)))
    await api.call(campaignsApi.deleteCampaign, { params: { id: campaign.id } })
    expect(await refusal(look(waiting.id))).toEqual([404, DETAILS.notFound])
    const campaign_id = new Types.ObjectId(campaign.id)
    await workDone(service, 'import')
    for (const name of ['imports', 'foreign'])
      expect(await service.mongo.collection(name).countDocuments({ campaign_id })).toBe(0)
    campaign = await api.call(campaignsApi.createCampaign, { body: { name: 'Again' } })
    await bring(file)
  })

  it('is removed when its plan expires, or when its file was not stored completely', async () => {
    const planned = await plan(bundle(malware(1)))
    const imports = service.mongo.collection('imports')
    const _id = new Types.ObjectId(planned.id)
    await imports.updateOne({ _id }, { $set: { expires_at: new Date(0) } })
    const half = await plan(bundle(malware(2)))
    await imports.updateOne(
      { _id: new Types.ObjectId(half.id) },
      { $set: { state: 'receiving', expires_at: null, created_at: new Date(0) } },
    )
    for (const each of [planned.id, half.id]) {
      await makeDue(service, each)
      await finish(each)
      expect(await refusal(look(each))).toEqual([404, DETAILS.notFound])
      expect(
        await service.mongo
          .collection('import_parts')
          .countDocuments({ import_id: new Types.ObjectId(each) }),
      ).toBe(0)
    }
  })

  it('leaves no parts when it expires while its file is stored, and is unknown then', async () => {
    const imports = service.mongo.collection('imports')
    const parts = service.mongo.collection('import_parts')
    const of = { campaign_id: new Types.ObjectId(campaign.id) }
    let import_id: unknown
    beforeNext(service.mongo.model('ImportPart').collection, 'insertOne', async () => {
      import_id = (await imports.findOneAndUpdate(of, { $set: { created_at: new Date(0) } }))?._id
      await makeDue(service, String(import_id))
      await vi.waitFor(async () => expect(await imports.countDocuments(of)).toBe(0), 30_000)
    })
    expect(await refusal(upload(bundle(malware(1))))).toEqual([404, DETAILS.notFound])
    expect(await parts.countDocuments({ import_id: import_id as never })).toBe(0)
  })

  it('has no parts once it is done, also after a failed deletion', { tags: 'long' }, async () => {
    const { id: import_id } = await plan(bundle(malware(1)))
    beforeNext(service.mongo.model('ImportPart'), 'deleteMany', () => Promise.reject(new Error('gone')))
    expect((await apply(import_id)).state).toBe('done')
    const left = { import_id: new Types.ObjectId(import_id) }
    expect(await service.mongo.collection('import_parts').countDocuments(left)).toBe(0)
  })

  it('uses no quota when it is removed during the deletion of its user’s account', async () => {
    const { id: import_id } = await bring(bundle(malware(1)))
    beforeNext(service.mongo.model('ImportPart'), 'deleteMany', () =>
      fixture.internal(personalDataInternal.eraseUser, { params: { id: ana.id } }),
    )
    await api.call(importsApi.deleteImport, { params: { id: import_id } })
    await finish(import_id)
    const usage = service.mongo.collection('usage')
    expect(await usage.countDocuments({ _id: ana.id as never })).toBe(0)
    const left = await service.mongo.collection('imports').find({ user_id: null }).toArray()
    const unowned = await usage.findOne({ _id: 'unowned' as never })
    expect(unowned?.used.import_bytes ?? 0).toBe(left.reduce((sum, { bytes }) => sum + bytes, 0))
  })

  it('waits for an unavailable service, and continues once it is available', async () => {
    let isDown = true
    let calls = 0
    fixture.answer(iodsInternal.findIods, ({ body }) => {
      calls++
      if (isDown) throw new HttpError(503, 'Down')
      return body.iods.map(() => null)
    })
    const made = await upload(bundle(indicator(1)))
    await vi.waitFor(() => expect(calls).toBeGreaterThan(0))
    expect(await look(made.id)).toMatchObject({ state: 'planning', problem: null, done: 0 })
    isDown = false
    await finish(made.id)
    expect(await look(made.id)).toMatchObject({ state: 'planned', iods: 1 })
  })

  it('remains without its user when the account is deleted; a waiting plan is removed', async () => {
    await bring(bundle(malware(1)))
    const waiting = await plan(bundle(malware(2)))
    const exportedData = await fixture.internal(personalDataInternal.exportUser, { params: { id: ana.id } })
    expect(exportedData.filter(({ kind }) => kind === 'import')).toHaveLength(2)
    await fixture.internal(personalDataInternal.eraseUser, { params: { id: ana.id } })
    const answer = await bosApi.call(importsApi.getKept, { params: { id: campaign.id } })
    expect(answer).toMatchObject({ objects: 1, imports: [{ user_id: null, username: null }] })
    await finish(waiting.id)
    const _id = new Types.ObjectId(waiting.id)
    expect(await service.mongo.collection('imports').countDocuments({ _id })).toBe(0)
  })
})

describe('the level', () => {
  const RED = 'marking-definition--5e57c739-391a-4eb3-b6be-7d15ca92d5ed'
  const AMBER = 'marking-definition--f88d31f6-486f-44da-b317-01333bde0b82'
  const marked = (marking: string) => `,"object_marking_refs":["${marking}"]`
  const sharing = (of = campaign.id, client = api) =>
    client.call(campaignsApi.getSharing, { params: { id: of } })
  const share = (tlp: Tlp, client = api) =>
    client.call(campaignsApi.updateSharing, { params: { id: campaign.id }, body: { tlp } })

  it('of a campaign is green by default, and only its creator changes it', async () => {
    expect(await sharing()).toMatchObject({ tlp: 'green', least: 'clear' })
    expect(await refusal(share('amber', bosApi))).toEqual([403, DETAILS.forbidden])
    expect(await share('clear')).toMatchObject({ tlp: 'clear', least: 'clear' })
    expect((await exportedText()).text).toContain('"tlp": "white"')
    expect(await share('amber+strict')).toMatchObject({ tlp: 'amber+strict' })
    expect((await exportedText()).text).toContain('"tlp_2_0": "amber+strict"')
  })

  it('is planned, raised by an import before its first object is stored, and never lowered below it', async () => {
    const planned = await plan(bundle(malware(1, marked(AMBER)), indicator(1)))
    expect(planned.tlp).toBe('amber')
    expect(await sharing()).toMatchObject({ tlp: 'green', least: 'clear' })
    await api.call(importsApi.applyImport, { params: { id: planned.id }, body: {} })
    expect(await sharing()).toMatchObject({ tlp: 'amber', least: 'amber' })
    await finish(planned.id)
    expect(await refusal(share('green'))).toEqual([409, DETAILS.tlpTooLow])
    expect(await share('red')).toMatchObject({ tlp: 'red' })
    await bring(bundle(malware(2)))
    expect(await sharing()).toMatchObject({ tlp: 'red', least: 'amber' })
    await share('amber')
    // The level of another user's strict import applies only until the creator removes it.
    const strict = await plan(bundle(malware(3, marked(RED))), campaign.id, bosApi)
    await apply(strict.id, {}, bosApi)
    expect(await sharing()).toMatchObject({ tlp: 'red', least: 'red' })
    await api.call(importsApi.deleteImport, { params: { id: strict.id } })
    expect(await sharing()).toMatchObject({ tlp: 'amber', least: 'amber' })
  })

  it('is raised by OpenCTI’s own marking, whose definition has the type `statement`', async () => {
    const id = 'marking-definition--826578e1-40ad-459f-bc73-ede076f81f37'
    const definition = JSON.stringify({
      type: 'marking-definition',
      spec_version: '2.1',
      id,
      created: '2022-10-01T00:00:00.000Z',
      definition_type: 'statement',
      definition: { statement: 'custom' },
      x_opencti_definition_type: 'TLP',
      x_opencti_definition: 'TLP:AMBER+STRICT',
    })
    expect((await plan(bundle(definition, malware(1, marked(id))))).tlp).toBe('amber+strict')
  })

  it.each([
    ['red', 'clear'],
    ['clear', 'red'],
  ])('of an IOD is the strictest definition of a repeated marking: %s, then %s', async (...tlps) => {
    const id = 'marking-definition--00000000-0000-4000-8000-000000000001'
    const definitions = tlps.map(tlp =>
      JSON.stringify({ type: 'marking-definition', id, definition_type: 'tlp', definition: { tlp } }),
    )
    await bring(bundle(...definitions, indicator(1, 'https://example.org/twice', marked(id))))
    const [iod] = [...iods.values()]
    expect(levels.get(iod?.id as string)).toBe('red')
  })

  it('of an IOD also applies in other campaigns', async () => {
    await bring(bundle(indicator(1, 'https://example.org/secret', marked(RED))))
    const [iod] = [...iods.values()]
    expect(levels.get(iod?.id as string)).toBe('red')
    const other = await api.call(campaignsApi.createCampaign, { body: { name: 'Elsewhere' } })
    await api.call(campaignsApi.addIod, { params: { id: other.id }, body: { iod_id: iod?.id as string } })
    const { body } = await exported(other.id)
    const file = body as { objects: { type: string; object_marking_refs?: string[] }[] }
    for (const type of ['indicator', 'url', 'grouping'])
      expect(file.objects.find(each => each.type === type)?.object_marking_refs).toEqual([RED])
    expect(file.objects.find(({ type }) => type === 'campaign')?.object_marking_refs).not.toEqual([RED])
  })
})
