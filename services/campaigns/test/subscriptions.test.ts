import {
  authInternal,
  type Campaign,
  campaignsApi,
  DETAILS,
  foldIod,
  type Iod,
  importsApi,
  iodsInternal,
  keysInternal,
  LIMITS,
  type NewIod,
  personalDataInternal,
  type ResponseOf,
  type Subscription,
  secretsInternal,
  subscriptionsApi,
  subscriptionsInternal,
} from '@iodine/contracts'
import {
  feedSecretContext,
  HttpError,
  keyringOf,
  newSecretsKey,
  readConfig,
  reseal,
  type StoreService,
  seal,
  unseal,
} from '@iodine/service-kit'
import {
  type ApiClient,
  anIod,
  apiClient,
  beforeNext,
  type FixtureUser,
  newId,
  type ServiceFixture,
  startServiceFixture,
} from '@iodine/test-kit'
import { Types } from 'mongoose'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { campaignsConfigSchema, createApp } from '../src/index.js'
import { gate, workDone } from './work.js'

let fixture: ServiceFixture
let service: StoreService
let url: string
let admin: FixtureUser
let api: ApiClient
let other: ApiClient
let admins: Set<string>
let iods: Map<string, Iod>
let campaign: Campaign
/** Error of the scripted iods service when IODs are upserted. */
let refusal: HttpError | undefined

const keyOf = (iod: Pick<NewIod, 'category' | 'value'>) => `${iod.category} ${foldIod(iod)}`

beforeAll(async () => {
  fixture = await startServiceFixture()
  const env = { ...fixture.env, QUOTA_IMPORT_BYTES: '20000' }
  service = await createApp(readConfig(campaignsConfigSchema, env), fixture.deps)
  url = await fixture.listen(service)
})
afterAll(() => fixture?.stop())
beforeEach(async () => {
  for (const name of ['subscriptions', 'import_parts', 'brought'])
    await service.mongo.collection(name).deleteMany({})
  iods = new Map()
  refusal = undefined
  admin = await fixture.user(`adm${newId().slice(-8)}`)
  admins = new Set([admin.id])
  api = apiClient(url, admin.token)
  other = apiClient(url, (await fixture.user('other')).token)
  campaign = await api.call(campaignsApi.createCampaign, { body: { name: 'Lake' } })
  fixture.answer(authInternal.checkAdmin, ({ params }) => ({ is_admin: admins.has(params.id) }))
  fixture.answer(authInternal.sealFeedSecret, ({ body }) => ({
    sealed: seal(fixture.env.SECRETS_KEY ?? '', feedSecretContext(body.id, body.url), body.secret),
  }))
  fixture.answer(iodsInternal.findIods, ({ body }) => body.iods.map(iod => iods.get(keyOf(iod))?.id ?? null))
  fixture.answer(iodsInternal.upsertIods, ({ body }) => {
    if (refusal) throw refusal
    return body.iods.map(({ iod }) => {
      const before = iods.get(keyOf(iod))
      const made = before ?? anIod({ id: newId(), ...iod, source: iod.source ?? null, source_id: null })
      iods.set(keyOf(iod), made)
      return { id: made.id, created: !before }
    })
  })
  const all = () => [...iods.values()]
  fixture.answer(iodsInternal.getIods, ({ body }) => all().filter(({ id }) => body.ids.includes(id)))
  fixture.answer(iodsInternal.knownIods, ({ body }) =>
    body.ids.filter(id => all().some(iod => iod.id === id)),
  )
  fixture.answer(iodsInternal.stateIods, ({ body }) =>
    Object.fromEntries(
      all()
        .filter(({ id }) => body.ids.includes(id))
        .map(({ id, created_at }) => [id, { uid: id, confidence: null, since: created_at, tlp: null }]),
    ),
  )
})

const FEED = 'https://feed.example/api/collections/1/'
const create = (body: object = {}) =>
  api.call(subscriptionsApi.createSubscription, {
    body: { url: FEED, kind: 'taxii', campaign_id: campaign.id, every: 60, ...body },
  })
const look = async (id: string): Promise<Subscription> => {
  const all = await api.call(subscriptionsApi.listSubscriptions)
  return all.find(each => each.id === id) as Subscription
}
const answerOf = (promise: Promise<unknown>) =>
  promise.then(
    () => 'accepted',
    ({ status, detail }: { status: number; detail: unknown }) => [status, detail],
  )
type Pull = NonNullable<ResponseOf<typeof subscriptionsInternal.claimPull>['pull']>
const claim = async () => (await fixture.internal(subscriptionsInternal.claimPull)).pull
const mustClaim = async () => (await claim()) as Pull
const stage = ({ id, token }: Pull, cursor: string, more = false, withdrawn: string[] = []) =>
  fixture.internal(subscriptionsInternal.stagePull, {
    params: { id },
    body: { token, cursor, more, withdrawn },
  })
const store = ({ id, token }: Pull, file: string) =>
  fixture.internal(subscriptionsInternal.storePull, {
    params: { id },
    query: { token },
    body: new TextEncoder().encode(file) as Uint8Array<ArrayBuffer>,
  })
const fail = ({ id, token }: Pull, error: string, retry_ms: number | null = null) =>
  fixture.internal(subscriptionsInternal.failPull, { params: { id }, body: { token, error, retry_ms } })
const importOf = async (id: string) => {
  const doc = await service.mongo.collection('subscriptions').findOne({ _id: new Types.ObjectId(id) })
  return String(doc?.import_id)
}
/** Waits for the import of a subscription. */
const work = async (id: string) => workDone(service, 'import', await importOf(id))
/** Blocks the plan of the next import with indicators. */
const holdPlan = () => {
  const plan = gate()
  fixture.answer(iodsInternal.findIods, async ({ body }) => {
    await plan.pass()
    return body.iods.map(() => null)
  })
  return plan
}
const due = (id: string) => api.call(subscriptionsApi.runSubscription, { params: { id } })
/** Runs a pull that fetches a file. Resolves to the number of new objects. */
const pull = async (id: string, file: string, cursor = 'after', withdrawn: string[] = []) => {
  await due(id)
  const run = await mustClaim()
  await stage(run, cursor, false, withdrawn)
  const { objects } = await store(run, file)
  if (objects > 0) await work(id)
  return objects
}

const id = (type: string, n: number) => `${type}--00000000-0000-4000-8000-${String(n).padStart(12, '0')}`
const indicator = (n: number, value = `https://example.org/${n}`, day = 1, more = '') =>
  `{"type":"indicator", "id":"${id('indicator', n)}","modified":"2026-01-${String(day).padStart(2, '0')}T00:00:00.000Z","x":1.0,"pattern_type":"stix","pattern":"[url:value = '${value}']"${more}}`
const note = (n: number, more = '') =>
  `{"type":"x-note","id":"${id('x-note', n)}","big":9007199254740993${more}}`
const bundle = (...objects: string[]) => `{"type":"bundle","objects":[${objects.join(',\n')}]}`
const exported = async () => {
  const answer = await fetch(`${url}/api/v1/campaigns/${campaign.id}/export?format=stix`, {
    headers: { authorization: `Bearer ${admin.token}` },
  })
  return answer.text()
}
const members = async () =>
  (await api.call(campaignsApi.getCampaign, { params: { id: campaign.id } })).iods.map(({ value }) => value)

describe('administrators', () => {
  it('alone read, create, change, run and delete subscriptions; each call checks the account', async () => {
    const { id: made } = await create()
    const params = { id: made }
    const calls = (client: ApiClient) => [
      client.call(subscriptionsApi.listSubscriptions),
      client.call(subscriptionsApi.createSubscription, {
        body: { url: FEED, kind: 'taxii', campaign_id: campaign.id },
      }),
      client.call(subscriptionsApi.updateSubscription, { params, body: { every: 5 } }),
      client.call(subscriptionsApi.runSubscription, { params }),
      client.call(subscriptionsApi.deleteSubscription, { params }),
    ]
    const refused = [403, DETAILS.forbidden]
    expect(await Promise.all(calls(other).map(answerOf))).toEqual(Array(5).fill(refused))
    admins.clear()
    expect(await Promise.all(calls(api).map(answerOf))).toEqual(Array(5).fill(refused))
    admins.add(admin.id)
    expect(await look(made)).toMatchObject({ every: 60, state: 'waiting', paused: false })
    await api.call(subscriptionsApi.deleteSubscription, { params })
    expect(await api.call(subscriptionsApi.listSubscriptions)).toEqual([])
    expect(await answerOf(api.call(subscriptionsApi.deleteSubscription, { params }))).toEqual([
      404,
      DETAILS.notFound,
    ])
  })

  it.each([
    ['http://feed.example/', 'https'],
    ['https://ana:key@feed.example/', 'https'],
    ['https://feed.example/#x', 'https'],
    ['javascript:alert(1)', 'https'],
    ['https://', 'https'],
  ])('cannot subscribe to %s', async feed => {
    const [status] = (await answerOf(create({ url: feed }))) as [number]
    expect(status).toBe(422)
  })

  it('set a secret that is sealed for the subscription and its URL, and never returned', async () => {
    const made = await create({ secret: { user: 'reader', key: 'top-secret' } })
    expect(made).toMatchObject({ has_secret: true, username: admin.username, campaign_name: 'Lake' })
    const { sealed } = await mustClaim()
    const open = (context: string) => unseal(fixture.env.SECRETS_KEY ?? '', context, sealed ?? '')
    expect(JSON.parse(open(feedSecretContext(made.id, FEED)))).toEqual({ user: 'reader', key: 'top-secret' })
    expect(() => open(feedSecretContext(made.id, 'https://evil.example/'))).toThrow()
    expect(() => open(feedSecretContext(newId(), FEED))).toThrow()
    const stored = JSON.stringify(await service.mongo.collection('subscriptions').find().toArray())
    const items = await fixture.internal(personalDataInternal.exportUser, { params: { id: admin.id } })
    expect(JSON.stringify(items)).toContain(FEED)
    for (const text of [JSON.stringify([made, await look(made.id), items]), stored])
      expect(text).not.toContain('top-secret')
    expect(JSON.stringify(items)).not.toContain(sealed)
    const changed = await api.call(subscriptionsApi.updateSubscription, {
      params: { id: made.id },
      body: { secret: null },
    })
    expect(changed.has_secret).toBe(false)
  })

  it('keep their secrets during a key rotation, also with concurrent changes', {
    tags: 'long',
  }, async () => {
    const old = fixture.env.SECRETS_KEY ?? ''
    const keys = `${newSecretsKey()},${old}`
    const many: Subscription[] = []
    for (let n = 0; n < LIMITS.resealedAtOnce + 5; n++)
      many.push(await create({ secret: { user: 'reader', key: `key ${n}` } }))
    await create()
    const stored = service.mongo.collection('subscriptions')
    const at = (n: number) => ({ _id: new Types.ObjectId(many[n]?.id) })
    // The secret of another subscription, which no key opens.
    const foreign = (await stored.findOne(at(5)))?.sealed
    await stored.updateOne(at(4), { $set: { sealed: foreign } })
    fixture.answer(keysInternal.resealFeedSecrets, async ({ body }) => {
      // An administrator changes the secret before the response.
      if (body.values.some(({ id }) => id === many[1]?.id))
        await api.call(subscriptionsApi.updateSubscription, {
          params: { id: many[1]?.id ?? '' },
          body: { secret: { user: 'reader', key: 'changed' } },
        })
      return body.values.map(({ id, url, sealed }) => {
        try {
          return reseal(keys, feedSecretContext(id, url), sealed)
        } catch {
          return null
        }
      })
    })
    const count = () => fixture.internal(secretsInternal.countSealed)
    const [oldName, newName] = keyringOf(keys).ids.toReversed()
    expect((await count()).map(({ key, count }) => [key, count])).toEqual([
      [oldName, LIMITS.resealedAtOnce + 5],
    ])
    const resealed = async () => {
      await service.tasks.run('secrets')
      return (await count()).find(({ key }) => key === newName)?.count
    }
    expect(await resealed()).toBe(LIMITS.resealedAtOnce + 3)
    // The next run reseals the changed secret.
    fixture.answer(keysInternal.resealFeedSecrets, ({ body }) =>
      body.values.map(({ id, url, sealed }) =>
        id === many[4]?.id ? null : reseal(keys, feedSecretContext(id, url), sealed),
      ),
    )
    expect(await resealed()).toBe(LIMITS.resealedAtOnce + 4)
    for (const [n, { id }] of many.entries()) {
      const { sealed } = (await stored.findOne(at(n))) as unknown as { sealed: string }
      if (n === 4) expect(sealed).toBe(foreign)
      else
        expect(JSON.parse(unseal(keys.split(',')[0] ?? '', feedSecretContext(id, FEED), sealed)).key).toBe(
          n === 1 ? 'changed' : `key ${n}`,
        )
    }
    expect(await resealed()).toBe(LIMITS.resealedAtOnce + 4)
  })

  it('cannot exceed the maximum number of subscriptions', async () => {
    const { id: made } = await create()
    const doc = await service.mongo.collection('subscriptions').findOne({ _id: new Types.ObjectId(made) })
    const copies = Array.from({ length: LIMITS.subscriptionsMax - 1 }, () => ({
      ...doc,
      _id: new Types.ObjectId(),
    }))
    await service.mongo.collection('subscriptions').insertMany(copies)
    expect(await answerOf(create())).toEqual([409, DETAILS.subscriptionsFull])
  })
})

describe('a pull', () => {
  it('imports new objects once, in unchanged bytes, and nothing without changes', async () => {
    const { id: made } = await create()
    const objects = [indicator(1), indicator(2), note(1)]
    expect(await pull(made, bundle(...objects), 'c1')).toBe(3)
    const text = await exported()
    for (const object of objects) expect(text.split(object).length).toBe(2)
    expect(await members()).toEqual(['https://example.org/1', 'https://example.org/2'])
    expect(await look(made)).toMatchObject({
      state: 'waiting',
      kept: 3,
      last: { error: null, objects: 3, iods: 2 },
    })
    // A server without times returns the same objects again: none is new.
    expect(await pull(made, bundle(...objects), 'c2')).toBe(0)
    expect(await pull(made, '', 'c3')).toBe(0)
    expect(await exported()).toBe(text)
    expect(await look(made)).toMatchObject({ kept: 3, last: { error: null, objects: 0 } })
    await due(made)
    expect((await mustClaim()).cursor).toBe('c3')
  })

  it('adds only new objects to the same import', async () => {
    const { id: made } = await create()
    for (let n = 1; n <= 4; n++) {
      const all = Array.from({ length: n }, (_, each) => indicator(each + 1))
      expect(await pull(made, bundle(...all, note(n)), `c${n}`)).toBe(2)
    }
    const kept = await api.call(importsApi.getKept, { params: { id: campaign.id } })
    expect(kept).toMatchObject({ objects: 8, imports: [{ objects: 8, username: admin.username }] })
    const text = await exported()
    for (let n = 1; n <= 4; n++) expect(text).toContain(indicator(n))
  })

  it('moves the cursor once all objects are imported, and continues from there', async () => {
    const { id: made } = await create()
    const run = await mustClaim()
    expect(run.cursor).toBeNull()
    await stage(run, 'later', true)
    const plan = holdPlan()
    expect(await store(run, bundle(indicator(1)))).toEqual({ objects: 1 })
    await plan.reached
    // No worker can claim it during the import.
    expect(await look(made)).toMatchObject({ state: 'importing', next_at: null })
    expect(await claim()).toBeNull()
    expect(await answerOf(due(made))).toEqual([409, DETAILS.subscriptionBusy])
    plan.open()
    await work(made)
    // The feed has more, so the next run is due at once.
    expect((await mustClaim()).cursor).toBe('later')
  })

  it('belongs to one worker at a time, until its lease expires', async () => {
    const { id: made } = await create()
    const claims = await Promise.all(Array.from({ length: 5 }, claim))
    const [first, ...rest] = claims.filter(each => each !== null)
    expect(rest).toEqual([])
    const run = first as Pull
    await fixture.internal(subscriptionsInternal.extendPull, {
      params: { id: made },
      body: { token: run.token },
    })
    // The lease has expired.
    await service.mongo
      .collection('subscriptions')
      .updateOne({ _id: new Types.ObjectId(made) }, { $set: { 'lease.until': new Date(0) } })
    const next = await mustClaim()
    expect(next.id).toBe(made)
    const lost = [409, DETAILS.pullLost]
    const params = { id: made }
    const body = { token: run.token }
    expect(await answerOf(fixture.internal(subscriptionsInternal.extendPull, { params, body }))).toEqual(lost)
    expect(await answerOf(stage(run, 'x'))).toEqual(lost)
    expect(await answerOf(store(run, bundle(note(1))))).toEqual(lost)
    expect(await answerOf(fail(run, 'x'))).toEqual(lost)
    await stage(next, 'c')
    expect(await store(next, bundle(note(2)))).toEqual({ objects: 1 })
    // Storing the same run twice fails.
    expect(await answerOf(store(next, bundle(note(3))))).toEqual(lost)
    await work(made)
    const text = await exported()
    expect([text.includes(note(1)), text.includes(note(2)), text.includes(note(3))]).toEqual([
      false,
      true,
      false,
    ])
    expect(await service.mongo.collection('import_parts').countDocuments()).toBe(0)
  })

  it('leaves no parts when a crash interrupts its storage, and is repeated', async () => {
    const { id: made } = await create()
    const run = await mustClaim()
    await stage(run, 'c')
    const batch = new Types.ObjectId()
    const parts = service.mongo.collection('import_parts')
    await parts.insertOne({ import_id: batch, n: 0, first: 0, raw: Buffer.from('{}'), ends: [2] })
    await service.mongo
      .collection('subscriptions')
      .updateOne({ _id: new Types.ObjectId(made) }, { $set: { pending: batch, 'lease.until': new Date(0) } })
    const next = await mustClaim()
    expect(await parts.countDocuments()).toBe(0)
    expect(next.cursor).toBeNull()
    await stage(next, 'c')
    expect(await store(next, bundle(note(1)))).toEqual({ objects: 1 })
  })

  it('keeps its parts when the response to its commit is lost', async () => {
    const { id: made } = await create()
    const run = await mustClaim()
    await stage(run, 'c')
    const { mongo } = service
    const transaction = mongo.transaction.bind(mongo)
    vi.spyOn(mongo, 'transaction').mockImplementationOnce(async writes => {
      await transaction(writes)
      throw new Error('The answer is lost')
    })
    expect(await answerOf(store(run, bundle(note(1))))).toEqual([500, 'Something went wrong'])
    await work(made)
    expect(await look(made)).toMatchObject({ state: 'waiting', last: { objects: 1 } })
    expect(await service.mongo.collection('import_parts').countDocuments()).toBe(0)
  })

  it('removes parts that a crash left after the previous run', async () => {
    const { id: made } = await create()
    await pull(made, bundle(note(1)))
    const { batch } = (await service.mongo
      .collection('imports')
      .findOne({ _id: new Types.ObjectId(await importOf(made)) })) as unknown as { batch: Types.ObjectId }
    const parts = service.mongo.collection('import_parts')
    await parts.insertOne({ import_id: batch, n: 0, first: 0, raw: Buffer.from('{}'), ends: [2] })
    expect(await pull(made, bundle(note(2)))).toBe(1)
    expect(await parts.countDocuments()).toBe(0)
  })

  it('reports the reason of a failure, and is retried after the requested delay', async () => {
    const { id: made } = await create({ every: 5 })
    await fail(await mustClaim(), 'The host name is not known')
    const now = Date.now()
    const failed = await look(made)
    expect(failed).toMatchObject({
      state: 'waiting',
      last: { error: 'The host name is not known', objects: 0 },
    })
    expect(Date.parse(failed.next_at ?? '') - now).toBeGreaterThan(4 * 60_000)
    expect(await claim()).toBeNull()
    await due(made)
    await fail(await mustClaim(), 'Later', 1_000)
    expect(Date.parse((await look(made)).next_at ?? '') - now).toBeGreaterThan(59_000)
    await due(made)
    await fail(await mustClaim(), 'Later', 7_200_000)
    expect(Date.parse((await look(made)).next_at ?? '') - now).toBeGreaterThan(7_000_000)
  })

  it('reports skipped and refused objects with reasons, also without new objects', async () => {
    const { id: made } = await create()
    const listed = [{ place: 'Event 1', value: '', reason: 'The file is not UTF-8.' }]
    const skip = async (file: string) => {
      await due(made)
      const run = await mustClaim()
      await fixture.internal(subscriptionsInternal.stagePull, {
        params: { id: run.id },
        body: { token: run.token, cursor: 'c', more: false, withdrawn: [], skipped: { count: 2, listed } },
      })
      if ((await store(run, file)).objects > 0) await work(made)
      return (await look(made)).last
    }
    const technique =
      '{"type":"attack-pattern","id":"attack-pattern--1","external_references":[{"source_name":"DISARM","external_id":"T0001"}]}'
    expect(await skip(bundle(note(1), '7', indicator(1, ' '), technique))).toMatchObject({
      error: null,
      objects: 3,
      skipped: 3,
      refused: 1,
      invalid: [listed[0], { place: 'Object 2' }, { reason: 'The value is missing' }],
      unknown_techniques: ['T0001'],
    })
    expect(await skip('')).toMatchObject({ objects: 0, skipped: 2, refused: 0, invalid: listed })
    expect(await pull(made, '')).toBe(0)
    expect((await look(made)).last).toMatchObject({ skipped: 0, invalid: [], unknown_techniques: [] })
  })

  it('of an unreadable file changes nothing', async () => {
    await create()
    const run = await mustClaim()
    await stage(run, 'c')
    const [status] = (await answerOf(store(run, '{"objects":[}'))) as [number]
    expect(status).toBe(422)
    await fail(run, 'The file is not valid JSON')
    expect(await exported()).not.toContain('"x-note')
  })

  it('stops with the reason when a quota is full, and continues when the next run is due', async () => {
    const { id: made } = await create()
    refusal = new HttpError(413, 'IODs a day are used up')
    expect(await pull(made, bundle(indicator(1), note(1)), 'c1')).toBe(2)
    const stopped = await look(made)
    expect(stopped).toMatchObject({ state: 'stopped', last: { error: 'IODs a day are used up' } })
    expect(Date.parse(stopped.next_at ?? '')).toBeGreaterThan(Date.now())
    expect(await claim()).toBeNull()
    expect((await look(made)).state).toBe('stopped')
    refusal = undefined
    await due(made)
    // The workers claim every 15 s, and after each request to run.
    expect(await claim()).toBeNull()
    await work(made)
    expect(await look(made)).toMatchObject({ state: 'waiting', kept: 2, last: { error: null, objects: 2 } })
    await due(made)
    expect((await mustClaim()).cursor).toBe('c1')
  })

  it('that cannot continue does not block others', async () => {
    const { id: made } = await create()
    refusal = new HttpError(413, 'IODs a day are used up')
    await pull(made, bundle(indicator(1)))
    refusal = undefined
    const { id: next } = await create()
    await due(made)
    beforeNext(service.mongo, 'transaction', () => Promise.reject(new Error('gone')))
    expect((await mustClaim()).id).toBe(next)
    expect((await look(made)).state).toBe('stopped')
    expect(await claim()).toBeNull()
    await work(made)
    expect((await look(made)).state).toBe('waiting')
  })

  it('that stopped is completed when its user continues its import', async () => {
    const { id: made } = await create()
    refusal = new HttpError(413, 'IODs a day are used up')
    await pull(made, bundle(indicator(1)))
    expect((await look(made)).state).toBe('stopped')
    refusal = undefined
    await api.call(importsApi.applyImport, { params: { id: await importOf(made) }, body: {} })
    await work(made)
    expect(await look(made)).toMatchObject({ state: 'waiting', kept: 1, last: { error: null, objects: 1 } })
  })

  it('past its user’s quota imports nothing and leaves no parts', async () => {
    await create()
    const run = await mustClaim()
    await stage(run, 'c')
    const many = Array.from({ length: 200 }, (_, n) => note(n, `,"text":"${'x'.repeat(100)}"`))
    const [status, detail] = (await answerOf(store(run, bundle(...many)))) as [number, string]
    expect([status, detail]).toEqual([413, expect.stringContaining('20')])
    expect(await service.mongo.collection('import_parts').countDocuments()).toBe(0)
    await fail(run, detail)
  })

  it('never lowers the level of the campaign, neither by later objects nor by markings of earlier runs', async () => {
    const { id: made } = await create()
    const marking = id('marking-definition', 1)
    const definition = `{"type":"marking-definition","id":"${marking}","created":"2026-01-01T00:00:00Z","definition_type":"statement","definition":{"statement":"Copyright"}}`
    const red = 'marking-definition--5e57c739-391a-4eb3-b6be-7d15ca92d5ed'
    const sharing = () => api.call(campaignsApi.getSharing, { params: { id: campaign.id } })
    await pull(made, bundle(definition, note(1, `,"object_marking_refs":["${marking}"]`)))
    expect(await sharing()).toMatchObject({ tlp: 'green', least: 'clear' })
    // The previous run contained the definition: an unknown marking would count as red.
    await pull(made, bundle(note(2, `,"object_marking_refs":["${marking}"]`)))
    expect(await sharing()).toMatchObject({ tlp: 'green', least: 'clear' })
    await pull(made, bundle(indicator(1, 'https://example.org/red', 1, `,"object_marking_refs":["${red}"]`)))
    expect(await sharing()).toMatchObject({ tlp: 'red', least: 'red' })
    await pull(made, bundle(indicator(1, 'https://example.org/red', 2)))
    expect(await sharing()).toMatchObject({ tlp: 'red', least: 'red' })
  })
})

describe('an object that a feed revokes or changes', () => {
  it('removes its IOD if only this subscription has added it', async () => {
    const mine = anIod({ id: newId(), category: 'URL', value: 'https://example.org/2' })
    iods.set(keyOf(mine), mine)
    await api.call(campaignsApi.addIod, { params: { id: campaign.id }, body: { iod_id: mine.id } })
    const { id: made } = await create()
    await pull(made, bundle(indicator(1), indicator(2), indicator(3), indicator(4, 'https://example.org/3')))
    expect((await members()).sort()).toEqual([1, 2, 3].map(n => `https://example.org/${n}`))
    const revoked = [1, 2, 3].map(n => indicator(n, `https://example.org/${n}`, 2, ',"revoked":true'))
    expect(await pull(made, bundle(...revoked))).toBe(3)
    // 2 was a member before; another object still names 3.
    expect((await members()).sort()).toEqual([2, 3].map(n => `https://example.org/${n}`))
    const text = await exported()
    for (const object of revoked) expect(text).toContain(object)
    for (const n of [1, 2, 3]) expect(text).not.toContain(indicator(n))
    expect((await look(made)).kept).toBe(4)
    // The same objects and their previous versions add nothing.
    expect(await pull(made, bundle(...revoked, indicator(1), indicator(2)))).toBe(0)
    await pull(made, bundle(indicator(4, 'https://example.org/3', 2, ',"revoked":true')))
    expect(await members()).toEqual(['https://example.org/2'])
  })

  it('replaces its IOD when it names another one', async () => {
    const { id: made } = await create()
    await pull(made, bundle(indicator(1, 'https://example.org/old')))
    await pull(made, bundle(indicator(1, 'https://example.org/new', 2)))
    expect(await members()).toEqual(['https://example.org/new'])
    expect(await exported()).not.toContain('https://example.org/old')
  })

  it('keeps an IOD that an import of a user contains, too', { tags: 'long' }, async () => {
    const { id: made } = await create()
    await pull(made, bundle(indicator(1)))
    const { id: imported } = await api.call(importsApi.createImport, {
      query: { campaign_id: campaign.id, format: 'stix' },
      body: new TextEncoder().encode(
        bundle(indicator(7, 'https://example.org/1')),
      ) as Uint8Array<ArrayBuffer>,
    })
    await workDone(service, 'import', imported)
    await api.call(importsApi.applyImport, { params: { id: imported }, body: {} })
    await workDone(service, 'import', imported)
    await pull(made, bundle(indicator(1, 'https://example.org/1', 2, ',"revoked":true')))
    expect(await members()).toEqual(['https://example.org/1'])
  })
})

describe('a MISP feed', () => {
  const uuid = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`
  const attribute = (n: number, more = '') =>
    `{"uuid":"${uuid(100 + n)}", "type":"url","value":"https://example.org/${n}","timestamp":"1","x":1.0${more}}`
  const event = (n: number, timestamp: number, attributes: string[], more = '') =>
    `{"Event": {"uuid":"${uuid(n)}","info":"Event ${n}","timestamp":"${timestamp}"${more},"Attribute":[${attributes.join(' , ')}],"big":9007199254740993}}`
  const file = (...events: string[]) => `{"response":[${events.join(',')}]}`
  const exportedMisp = async () => {
    const answer = await fetch(`${url}/api/v1/campaigns/${campaign.id}/export?format=misp`, {
      headers: { authorization: `Bearer ${admin.token}` },
    })
    return answer.text()
  }

  it('is stored with unchanged bytes; a changed event is replaced, a withdrawn one is removed', async () => {
    const { id: made } = await create({ kind: 'misp', url: 'https://feed.example/misp/' })
    const first = event(1, 1, [attribute(1), attribute(2)])
    const other = event(2, 1, [attribute(3)])
    await pull(made, file(first, other))
    const text = await exportedMisp()
    for (const each of [attribute(1), attribute(2), attribute(3)]) expect(text.split(each).length).toBe(2)
    expect((await members()).sort()).toEqual([1, 2, 3].map(n => `https://example.org/${n}`))
    const { kept } = await look(made)

    // 1 remains, 2 is retracted, 4 is new.
    const changed = event(1, 2, [attribute(1), attribute(2, ',"deleted":true'), attribute(4)])
    await pull(made, file(changed))
    expect((await members()).sort()).toEqual([1, 3, 4].map(n => `https://example.org/${n}`))
    const later = await exportedMisp()
    for (const each of [attribute(1), attribute(3), attribute(4)]) expect(later.split(each).length).toBe(2)
    expect(later).not.toContain(`${attribute(2)}`)
    expect((await look(made)).kept).toBe(kept + 1)

    await pull(made, '', 'c', [uuid(2)])
    expect((await members()).sort()).toEqual([1, 4].map(n => `https://example.org/${n}`))
    expect(await exportedMisp()).not.toContain('Event 2')
    expect(await exportedMisp()).toContain(attribute(4))
    expect((await look(made)).state).toBe('waiting')
    // Events of later runs follow those of earlier runs.
    await pull(made, file(event(3, 3, [attribute(5)])))
    const all = await exportedMisp()
    for (const each of [attribute(1), attribute(4), attribute(5)]) expect(all.split(each).length).toBe(2)
    expect(() => JSON.parse(all)).not.toThrow()
  })

  it('never lowers the level of the campaign', async () => {
    const { id: made } = await create({ kind: 'misp', url: 'https://feed.example/misp/' })
    const sharing = () => api.call(campaignsApi.getSharing, { params: { id: campaign.id } })
    await pull(made, file(event(1, 1, [attribute(1)], ',"Tag":[{"name":"tlp:amber"}]')))
    expect(await sharing()).toMatchObject({ tlp: 'amber', least: 'amber' })
    await pull(made, file(event(1, 2, [attribute(1)])))
    expect(await sharing()).toMatchObject({ tlp: 'amber', least: 'amber' })
  })
})

describe('a subscription', () => {
  it('is paused once its user is no administrator; imports then belong to the user who resumes it', async () => {
    const { id: made } = await create()
    await pull(made, bundle(note(1)))
    await due(made)
    const next = await fixture.user(`adm${newId().slice(-8)}`)
    admins = new Set([next.id])
    expect(await claim()).toBeNull()
    api = apiClient(url, next.token)
    expect(await look(made)).toMatchObject({
      paused: true,
      next_at: null,
      last: { error: DETAILS.subscriptionOrphaned },
    })
    const params = { id: made }
    const resumed = await api.call(subscriptionsApi.updateSubscription, { params, body: { paused: false } })
    expect(resumed).toMatchObject({ paused: false, username: next.username })
    expect(await pull(made, bundle(note(1), note(2)))).toBe(1)
    const { imports } = await api.call(importsApi.getKept, { params: { id: campaign.id } })
    expect(imports).toMatchObject([{ objects: 2, username: next.username }])
    const bytesOf = async (user: string) =>
      (await service.mongo.collection('usage').findOne({ _id: user as never }))?.used.import_bytes
    const stored = await service.mongo
      .collection('imports')
      .findOne({ campaign_id: new Types.ObjectId(campaign.id) })
    expect(stored?.bytes).toBeGreaterThan(0)
    expect([await bytesOf(admin.id), await bytesOf(next.id)]).toEqual([0, stored?.bytes])
  })

  it('is paused when its user’s account is deleted, and its objects remain', async () => {
    const { id: made } = await create()
    await pull(made, bundle(note(1)))
    await due(made)
    const run = await mustClaim()
    await fixture.internal(personalDataInternal.eraseUser, { params: { id: admin.id } })
    expect(await answerOf(stage(run, 'x'))).toEqual([409, DETAILS.pullLost])
    const stored = await service.mongo.collection('subscriptions').findOne({})
    expect(stored).toMatchObject({ user_id: null, paused: true, state: 'waiting' })
    expect(await claim()).toBeNull()
    expect(await look(made)).toMatchObject({ username: null, kept: 1 })
  })

  it('is paused when its campaign is deleted, also during an import', { tags: 'long' }, async () => {
    const { id: made } = await create()
    await pull(made, bundle(note(1)))
    await due(made)
    const run = await mustClaim()
    await stage(run, 'c')
    const plan = holdPlan()
    await store(run, bundle(indicator(2)))
    await plan.reached
    await api.call(campaignsApi.deleteCampaign, { params: { id: campaign.id } })
    plan.open()
    await work(made)
    await due(made)
    expect(await claim()).toBeNull()
    expect(await look(made)).toMatchObject({
      paused: true,
      campaign_name: null,
      last: { error: DETAILS.subscriptionHomeless },
    })
  })

  it('is paused when its campaign is deleted before its objects are stored', async () => {
    const { id: made } = await create()
    const run = await mustClaim()
    await stage(run, 'c')
    await api.call(campaignsApi.deleteCampaign, { params: { id: campaign.id } })
    await store(run, bundle(note(1)))
    await work(made)
    const homeless = { paused: true, state: 'stopped', last: { error: DETAILS.subscriptionHomeless } }
    expect(await look(made)).toMatchObject(homeless)
  })

  it('stores nothing of a run during which it was paused', async () => {
    const { id: made } = await create()
    const run = await mustClaim()
    const params = { id: made }
    await api.call(subscriptionsApi.updateSubscription, { params, body: { paused: true } })
    expect(await answerOf(stage(run, 'x'))).toEqual([409, DETAILS.pullLost])
    expect(await claim()).toBeNull()
    expect(await answerOf(due(made))).toEqual([409, DETAILS.subscriptionBusy])
  })

  it('leaves its objects when it is deleted; they can be removed', async () => {
    const { id: made } = await create()
    await pull(made, bundle(note(1)))
    await api.call(subscriptionsApi.deleteSubscription, { params: { id: made } })
    const { imports } = await api.call(importsApi.getKept, { params: { id: campaign.id } })
    expect(imports).toMatchObject([{ removable: true }])
    await api.call(importsApi.deleteImport, { params: { id: imports[0]?.id ?? '' } })
    expect(await exported()).not.toContain('x-note--')
    expect(await service.mongo.collection('brought').countDocuments()).toBe(0)
  })

  it('reports that its objects were removed during their import, and pulls from the start', {
    tags: 'long',
  }, async () => {
    const { id: made } = await create()
    await pull(made, bundle(note(1)))
    await due(made)
    const run = await mustClaim()
    await stage(run, 'c2')
    const plan = holdPlan()
    await store(run, bundle(indicator(2)))
    await plan.reached
    await api.call(importsApi.deleteImport, { params: { id: await importOf(made) } })
    // The removal frees the subscription before the import's step ends.
    const freed = await look(made)
    plan.open()
    expect(freed).toMatchObject({
      state: 'waiting',
      kept: 0,
      last: { error: DETAILS.pullRemoved },
    })
    expect(await pull(made, bundle(note(1), note(2)))).toBe(2)
  })
})
