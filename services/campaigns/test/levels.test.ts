/** @module-tag long */
import {
  authInternal,
  type Campaign,
  campaignsApi,
  foldIod,
  highestTlp,
  type Iod,
  importsApi,
  iodsInternal,
  type NewIod,
  rankOfTlp,
  subscriptionsApi,
  subscriptionsInternal,
  TAXII_TYPE,
  TLP_LEVELS,
  type Tlp,
} from '@iodine/contracts'
import { feedSecretContext, readConfig, type StoreService, seal } from '@iodine/service-kit'
import {
  type ApiClient,
  anIod,
  apiClient,
  type FixtureUser,
  newId,
  runs,
  type ServiceFixture,
  seededRandom,
  startServiceFixture,
} from '@iodine/test-kit'
import { Types } from 'mongoose'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { campaignsConfigSchema, createApp } from '../src/index.js'
import { publishChanges, sweepPublications, workDone } from './work.js'

/** A deployment: its campaigns service, and the scripted IODs with the levels of their imports. */
interface Copy {
  fixture: ServiceFixture
  service: StoreService
  url: string
  user: FixtureUser
  api: ApiClient
  iods: Map<string, Iod>
  levels: Map<string, Tlp>
  /** Minimum level of a campaign: that of the feed that it was pulled from. */
  floors: Map<string, Tlp>
}

const keyOf = (iod: Pick<NewIod, 'category' | 'value'>) => `${iod.category} ${foldIod(iod)}`

const startCopy = async (): Promise<Copy> => {
  const fixture = await startServiceFixture()
  const service = await createApp(readConfig(campaignsConfigSchema, fixture.env), fixture.deps)
  const url = await fixture.listen(service)
  const user = await fixture.user('ana')
  const iods = new Map<string, Iod>()
  const levels = new Map<string, Tlp>()
  const all = (ids: readonly string[]) => [...iods.values()].filter(({ id }) => ids.includes(id))
  fixture.answer(authInternal.checkAdmin, () => ({ is_admin: true }))
  fixture.answer(authInternal.sealFeedSecret, ({ body }) => ({
    sealed: seal(fixture.env.SECRETS_KEY ?? '', feedSecretContext(body.id, body.url), body.secret),
  }))
  fixture.answer(iodsInternal.findIods, ({ body }) => body.iods.map(iod => iods.get(keyOf(iod))?.id ?? null))
  fixture.answer(iodsInternal.upsertIods, ({ body }) =>
    body.iods.map(({ iod, tlp }) => {
      const before = iods.get(keyOf(iod))
      const made = before ?? anIod({ id: newId(), ...iod, source: iod.source ?? null, source_id: null })
      iods.set(keyOf(iod), made)
      // The strictest level of its imports.
      const level = before && !levels.has(made.id) ? null : highestTlp([levels.get(made.id), tlp])
      if (level) levels.set(made.id, level)
      return { id: made.id, created: !before }
    }),
  )
  fixture.answer(iodsInternal.getIods, ({ body }) => all(body.ids))
  fixture.answer(iodsInternal.knownIods, ({ body }) => all(body.ids).map(({ id }) => id))
  fixture.answer(iodsInternal.getLevels, ({ body }) =>
    Object.fromEntries(body.ids.flatMap(id => (levels.has(id) ? [[id, levels.get(id) as Tlp]] : []))),
  )
  fixture.answer(iodsInternal.stateIods, ({ body }) =>
    Object.fromEntries(
      all(body.ids).map(({ id, value, created_at }) => [
        id,
        { uid: uidOf(value), confidence: null, since: created_at, tlp: levels.get(id) ?? null },
      ]),
    ),
  )
  return { fixture, service, url, user, api: apiClient(url, user.token), iods, levels, floors: new Map() }
}

let a: Copy
let b: Copy
beforeAll(async () => {
  a = await startCopy()
  b = await startCopy()
})
afterAll(async () => {
  for (const { fixture, service } of [a, b].filter(Boolean)) {
    await service.close()
    await fixture.stop()
  }
})

interface StixObject {
  object_marking_refs?: string[]
}
/** Ids of the markings of TLP 2.0, and of STIX 2.1, 7.2.1.4 (TLP 1.0). */
const MARKINGS = {
  clear: '94868c89-83c2-464b-929b-a1a8aa3c8487',
  green: 'bab4a63c-aed9-4cf5-a766-dfca5abac2bb',
  amber: '55d920b0-5e8b-4f79-9ee9-91f868d9b421',
  'amber+strict': '939a9414-2ddd-4d32-a0cd-375ea402b003',
  red: 'e828b379-4e03-4974-9ac4-e53a884c97c1',
} as const
const FORMER: Partial<Record<Tlp, string>> = {
  clear: '613f2e26-407d-48c7-9eca-b8e91df99dc9',
  green: '34098fce-860f-48ae-8e50-ebd3cc5e41da',
  amber: 'f88d31f6-486f-44da-b317-01333bde0b82',
  red: '5e57c739-391a-4eb3-b6be-7d15ca92d5ed',
}
const levelOfMarking = (ref: string) =>
  TLP_LEVELS.find(level => [MARKINGS[level], FORMER[level]].some(id => `marking-definition--${id}` === ref))
/** Returns a value that contains a number, by which tests find it in any text. */
const linkOf = (n: number) => `https://example.org/v${n}.`
const uidOf = (value: string) =>
  `00000000-0000-4000-8000-${(/v(\d+)\./.exec(value)?.[1] ?? '0').padStart(12, '0')}`
const numbersIn = (text: string) => new Set([...text.matchAll(/\/v(\d+)\./g)].map(found => Number(found[1])))
const uuid = (kind: number, n: number) =>
  `${String(kind).padStart(8, '0')}-0000-4000-8000-${String(n).padStart(12, '0')}`
const bundleOf = (n: number, tlp: Tlp) =>
  `{"type":"bundle","id":"b","objects":[{"type":"indicator","id":"indicator--${uuid(1, n)}","modified":"2026-01-01T00:00:00Z","object_marking_refs":["marking-definition--${MARKINGS[tlp]}"],"pattern_type":"stix","pattern":"[url:value = '${linkOf(n)}']"}]}`
const eventOf = (n: number, tlp: Tlp) =>
  `{"Event":{"uuid":"${uuid(2, n)}","info":"Theirs","timestamp":"1","Tag":[{"name":"tlp:${tlp}"}],"Attribute":[{"uuid":"${uuid(3, n)}","type":"url","value":"${linkOf(n)}"}]}}`

const finish = ({ service }: Copy, id: string) => workDone(service, 'import', id)
const bring = async (copy: Copy, of: string, format: 'stix' | 'misp', file: string) => {
  const query = { campaign_id: of, format }
  const { id } = await copy.api.call(importsApi.createImport, { query, body: new TextEncoder().encode(file) })
  await finish(copy, id)
  await copy.api.call(importsApi.applyImport, { params: { id }, body: {} })
  await finish(copy, id)
}
const sharing = ({ api }: Copy, id: string) => api.call(campaignsApi.getSharing, { params: { id } })
const share = ({ api }: Copy, id: string, body: { tlp?: Tlp; published?: boolean }) =>
  api.call(campaignsApi.updateSharing, { params: { id }, body }).then(
    () => true,
    error => {
      expect(error.status).toBe(409)
      return false
    },
  )
const settle = async ({ service }: Copy) => {
  await publishChanges(service)
  await sweepPublications(service)
}
const exported = async ({ url, user }: Copy, id: string, format: string) => {
  const headers = { authorization: `Bearer ${user.token}` }
  const answer = await fetch(`${url}/api/v1/campaigns/${id}/export?format=${format}`, { headers })
  expect(answer.status).toBe(200)
  return answer.text()
}
const feed = async ({ url, fixture, user }: Copy, path: string, tlp: Tlp, accept = TAXII_TYPE) => {
  const token = await fixture.token({ id: user.id, scope: 'feed', tlp })
  const answer = await fetch(`${url}${path}`, { headers: { authorization: `Bearer ${token}`, accept } })
  return answer.status === 200 ? answer.text() : ''
}

const levelOfStix = ({ object_marking_refs: refs = [] }: StixObject): Tlp =>
  highestTlp(refs.map(levelOfMarking)) ?? 'clear'
interface Tagged {
  Tag?: { name: string }[]
  Attribute?: (Tagged & { value: string })[]
}
const levelOfTags = ({ Tag = [] }: Tagged): Tlp =>
  highestTlp(Tag.map(({ name }) => TLP_LEVELS.find(level => `tlp:${level}` === name))) ?? 'clear'

/** Level that a text states for each of its values, by number, and its strictest level. */
interface Stated {
  values: Map<number, Tlp>
  whole: Tlp
}
const stated = (entries: (readonly [string, Tlp])[], others: Tlp[] = []): Stated => {
  const values = new Map<number, Tlp>()
  // The lowest statement counts: a reader may see only that one.
  for (const [text, tlp] of entries)
    for (const n of numbersIn(text)) {
      const before = values.get(n)
      if (!before || rankOfTlp(before) > rankOfTlp(tlp)) values.set(n, tlp)
    }
  return { values, whole: highestTlp([...entries.map(([, tlp]) => tlp), ...others]) ?? 'clear' }
}
const readStix = (text: string) => {
  const { objects = [] } = JSON.parse(text || '{}') as { objects?: StixObject[] }
  return stated(objects.map(object => [JSON.stringify(object), levelOfStix(object)]))
}
const readMisp = (text: string) => {
  const file = JSON.parse(text)
  const events = (file.response ?? [file]).map(({ Event }: { Event: Tagged }) => Event) as Tagged[]
  return stated(
    events.flatMap(event =>
      (event.Attribute ?? []).map(
        each =>
          [JSON.stringify(each), highestTlp([levelOfTags(event), levelOfTags(each)]) ?? 'clear'] as const,
      ),
    ),
    events.map(levelOfTags),
  )
}
const readJson = (text: string) => {
  const { campaign, iods } = JSON.parse(text) as {
    campaign: { tlp?: Tlp }
    iods: { value: string; tlp?: Tlp }[]
  }
  // Files do not state the default level green.
  const whole = campaign.tlp ?? 'green'
  return stated(
    iods.map(iod => [iod.value, highestTlp([iod.tlp, whole]) ?? 'clear']),
    [whole],
  )
}

const atLeast = (what: string, is: Tlp | undefined, least: Tlp) =>
  expect([what, rankOfTlp(is ?? 'clear') >= rankOfTlp(least), is, least]).toEqual([what, true, is, least])

/** Asserts that no export of a campaign states a lower level than its values or the campaign have. */
const checkExports = async (copy: Copy, campaign: string, marks: readonly Tlp[]) => {
  const { tlp, least } = await sharing(copy, campaign)
  atLeast('campaign', tlp, copy.floors.get(campaign) ?? 'clear')
  atLeast('campaign', tlp, least)
  for (const [format, read] of [
    ['stix', readStix],
    ['misp', readMisp],
    ['json', readJson],
  ] as const) {
    const { values, whole } = read(await exported(copy, campaign, format))
    if (values.size > 0 && rankOfTlp(tlp) > rankOfTlp('green')) atLeast(`${format}, whole`, whole, tlp)
    for (const [n, level] of values) atLeast(`${format}, ${n}`, level, marks[n] ?? 'red')
  }
}

/** Asserts that a feed contains nothing above the level of the token, and nothing red. */
const checkFeeds = async (copy: Copy, all: readonly Campaign[], marks: readonly Tlp[]) => {
  const published = await Promise.all(all.map(({ id }) => sharing(copy, id)))
  for (const tlp of TLP_LEVELS.filter(level => level !== 'red')) {
    for (const [n, { feed: of }] of published.entries()) {
      if (!of) continue
      const text = await feed(copy, `/taxii2/iodine/collections/${of.collection}/objects/`, tlp)
      for (const each of numbersIn(text)) atLeast(`key, ${each}`, tlp, marks[each] ?? 'red')
      // A revoked version contains only the pattern, for readers of the previous version.
      const { objects = [] } = JSON.parse(text || '{}') as { objects?: { revoked?: boolean }[] }
      const live = JSON.stringify(objects.filter(({ revoked }) => !revoked))
      for (const each of numbersIn(live)) atLeast(`live, ${each}`, tlp, published[n]?.tlp ?? 'red')
    }
    const manifest = JSON.parse((await feed(copy, '/feeds/misp/manifest.json', tlp, '*/*')) || '{}')
    for (const uuid of Object.keys(manifest)) {
      const { values, whole } = readMisp(await feed(copy, `/feeds/misp/${uuid}.json`, tlp, '*/*'))
      atLeast(`key, event`, tlp, whole)
      for (const each of values.keys()) atLeast(`key, event, ${each}`, tlp, marks[each] ?? 'red')
    }
  }
}

/** Pulls a campaign's feed into a new campaign of another deployment, as the workers do. */
const pull = async (from: Copy, source: string, to: Copy, kind: 'taxii' | 'misp', tlp: Tlp) => {
  const of = await sharing(from, source)
  const campaign = await to.api.call(campaignsApi.createCampaign, { body: { name: 'Copy' } })
  let text = await feed(from, `/taxii2/iodine/collections/${of.feed?.collection}/objects/`, tlp)
  if (kind === 'misp') {
    const uuids = Object.keys(JSON.parse((await feed(from, '/feeds/misp/manifest.json', tlp, '*/*')) || '{}'))
    const events = await Promise.all(uuids.map(uuid => feed(from, `/feeds/misp/${uuid}.json`, tlp, '*/*')))
    text = events.length > 0 ? `{"response":[${events.join(',')}]}` : ''
  } else if (text) text = JSON.stringify({ type: 'bundle', id: 'b', objects: JSON.parse(text).objects ?? [] })
  if (!text || numbersIn(text).size === 0) return campaign
  const made = await to.api.call(subscriptionsApi.createSubscription, {
    body: { url: `https://feed.example/${newId()}/`, kind, campaign_id: campaign.id, every: 60 },
  })
  const run = (await to.fixture.internal(subscriptionsInternal.claimPull)).pull
  const [params, token] = [{ id: made.id }, run?.token ?? '']
  await to.fixture.internal(subscriptionsInternal.stagePull, {
    params,
    body: { token, cursor: 'after', more: false, withdrawn: [] },
  })
  const { objects } = await to.fixture.internal(subscriptionsInternal.storePull, {
    params,
    query: { token },
    body: new TextEncoder().encode(text) as Uint8Array<ArrayBuffer>,
  })
  const doc = await to.service.mongo.collection('subscriptions').findOne({ _id: new Types.ObjectId(made.id) })
  if (objects > 0) await finish(to, String(doc?.import_id))
  await to.api.call(subscriptionsApi.deleteSubscription, { params })
  // The feed of a withdrawn campaign has only revoked versions, which set no minimum level.
  if (kind === 'taxii' && of.published) to.floors.set(campaign.id, of.tlp)
  return campaign
}

it('no path lowers a level: import, edit, export, publish, pull, import', async () => {
  /** Level of the first import of each value. */
  const marks: Tlp[] = []
  let pulled = 0
  for (let round = 0; round < runs(8); round++) {
    // The first seed produces pulled values, as the last assertion requires.
    const random = seededRandom(round + 2)
    const below = (count: number) => Math.floor(random() * count)
    const chance = (share: number) => random() < share
    const pick = <T>(all: readonly T[]) => all[below(all.length)] as T
    const anyLevel = () => pick(TLP_LEVELS)
    const ours = await Promise.all(
      ['One', 'Two'].map(name => a.api.call(campaignsApi.createCampaign, { body: { name } })),
    )
    const here: number[] = []
    const any = () => pick(ours).id
    for (let edit = 0; edit < 8; edit++) {
      const id = any()
      const what = below(5)
      if (what <= 1) {
        const n = marks.length
        // Red is rare, as it hides everything else.
        const tlp = chance(0.1) ? 'red' : pick(TLP_LEVELS.filter(level => level !== 'red'))
        marks.push(tlp)
        here.push(n)
        await bring(a, id, what ? 'stix' : 'misp', what ? bundleOf(n, tlp) : eventOf(n, tlp))
      } else if (what === 2) await share(a, id, { tlp: anyLevel() })
      else if (here.length > 0) {
        const value = linkOf(pick(here))
        const iod = [...a.iods.values()].find(each => each.value === value)
        const params = { id }
        const body = { iod_id: iod?.id ?? '' }
        const { iods } = await a.api.call(campaignsApi.getCampaign, { params })
        if (iods.some(each => each.id === iod?.id)) await a.api.call(campaignsApi.removeIod, { params, body })
        else await a.api.call(campaignsApi.addIod, { params, body })
      }
      await share(a, any(), { published: chance(0.8) })
      await settle(a)
      for (const each of ours) await checkExports(a, each.id, marks)
    }
    await checkFeeds(a, ours, marks)
    for (const source of ours)
      for (const kind of ['taxii', 'misp'] as const) {
        const copy = await pull(a, source.id, b, kind, pick(TLP_LEVELS.filter(level => level !== 'red')))
        await checkExports(b, copy.id, marks)
        pulled += (await b.api.call(campaignsApi.getCampaign, { params: { id: copy.id } })).iods.length
        await share(b, copy.id, { tlp: anyLevel() })
        await share(b, copy.id, { published: true })
        await settle(b)
        await checkExports(b, copy.id, marks)
        await checkFeeds(b, [copy], marks)
        const back = await pull(b, copy.id, a, kind, 'amber+strict')
        await checkExports(a, back.id, marks)
      }
    for (const copy of [a, b])
      for (const name of ['publications', 'published', 'feed_events', 'feed_event_parts'])
        await copy.service.mongo.collection(name).deleteMany({})
  }
  expect(pulled).toBeGreaterThan(0)
}, 3_600_000)
