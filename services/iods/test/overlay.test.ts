import { randomInt } from 'node:crypto'
import {
  API_BASE,
  CATEGORIES,
  type Iod,
  iodsApi,
  type NewIod,
  personalDataInternal,
  type VoteType,
} from '@iodine/contracts'
import {
  decodeOverlay,
  mergeRows,
  OVERLAY_ROW_BYTES,
  type Overlay,
  type OverlayEntry,
  OverlayRows,
  valueKey,
} from '@iodine/known-iods'
import { type Connection, readConfig, type StoreService } from '@iodine/service-kit'
import {
  type ApiClient,
  apiClient,
  deferred,
  type FixtureUser,
  iodInput,
  NO_LIMITS,
  newId,
  runs,
  type ServiceFixture,
  seededRandom,
  startServiceFixture,
} from '@iodine/test-kit'
import { type PipelineStage, Types } from 'mongoose'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { createApp, iodsConfigSchema } from '../src/index.js'
import type { IodModel } from '../src/iods/models/iod.js'
import { createOverlay } from '../src/overlay/queries/overlay.js'
import type { CovoteBuildDoc, CovoteDoc } from '../src/votes/models/covote.js'

let fixture: ServiceFixture
let service: StoreService
let url: string
let mongo: Connection
let ana: FixtureUser
let api: ApiClient

beforeAll(async () => {
  fixture = await startServiceFixture()
  service = await createApp(
    readConfig(iodsConfigSchema, { ...fixture.env, ...NO_LIMITS, ROLE: 'api' }),
    fixture.deps,
  )
  url = await fixture.listen(service)
  mongo = service.mongo
  ana = await fixture.user('ana')
  api = apiClient(url, ana.token)
})
afterAll(() => fixture?.stop())

const create = (fields: Partial<NewIod> = {}, client = api): Promise<Iod> =>
  client.call(iodsApi.createIod, { body: iodInput(fields) })
const vote = async ({ id }: Pick<Iod, 'id'>, vote_type: VoteType = 'POSITIVE', client?: ApiClient) =>
  (client ?? apiClient(url, (await fixture.user()).token)).call(iodsApi.voteIod, {
    params: { id },
    body: { vote_type },
  })
const forget = (id: string) => fixture.internal(personalDataInternal.eraseUser, { params: { id } })

/** Returns the model of IODs with a wrapped `aggregate`, which reads the batches of all IODs. */
const aggregatingBy = (run: (aggregate: () => unknown) => Promise<unknown>): IodModel =>
  new Proxy(mongo.model('Iod') as IodModel, {
    get: (model, name) =>
      name === 'aggregate'
        ? (pipeline: PipelineStage[]) => {
            const aggregate = () => model.aggregate(pipeline)
            return pipeline.some(stage => '$limit' in stage) ? run(aggregate) : aggregate()
          }
        : Reflect.get(model, name),
  })

type Options = Parameters<typeof createOverlay>[1]
const modelsWith = (iods: IodModel) => ({
  mongo,
  iods,
  covotes: mongo.model<CovoteDoc>('Covote'),
  covoteBuilds: mongo.model<CovoteBuildDoc>('CovoteBuild'),
})
/** Creates the overlay of a replica, which reads changes before each answer by default. */
const replica = (options: Options = {}) =>
  createOverlay(modelsWith(mongo.model('Iod') as IodModel), { refreshMs: 0, snapshotMs: 0, ...options })
type Ask = ReturnType<typeof replica>

/** Returns the decoded answer. */
const answerOf = async (ask: Ask, since = 0) => {
  const { bytes, etag } = await (await ask(since)).make()
  return { bytes, etag, ...(await decodeOverlay(bytes as Uint8Array<ArrayBuffer>)) }
}
const entriesOf = ({ rows }: Pick<Overlay, 'rows'>): OverlayEntry[] => {
  const read = new OverlayRows(rows)
  return Array.from({ length: read.count }, (_, n) => read.entryAt(n))
}
const votesOf = (overlay: Pick<Overlay, 'rows'>, { id }: Pick<Iod, 'id'>) =>
  entriesOf(overlay)
    .filter(entry => entry.id === id)
    .map(({ votes_for, votes_against }) => [votes_for, votes_against])

/** Requests the overlay over HTTP. */
const get = (query = '', headers: Record<string, string> = {}, token = ana.token, base = url) =>
  fetch(`${base}${API_BASE}/iods/overlay${query}`, {
    headers: { authorization: `Bearer ${token}`, ...headers },
    cache: 'no-store',
  })
const read = async (response: Response) => {
  const bytes = new Uint8Array(await response.arrayBuffer())
  return { bytes, ...(await decodeOverlay(bytes)) }
}

/** Returns the document of an IOD that changed long ago, without search texts. */
const stored = <F extends object>(fields: F = {} as F) => ({
  _id: new Types.ObjectId(),
  value: `Stored ${newId()}`,
  category: 'TITLE',
  description: '',
  source_type: 'BLOG',
  source: null,
  source_id: null,
  created_by: null,
  created_at: new Date(Date.UTC(2026, 0, 1)),
  votes: [] as object[],
  votes_total: 0,
  votes_disputed: 0,
  fold_key: newId(),
  search: '',
  ngrams: [],
  revision: new Date(Date.UTC(2026, 0, 1)),
  ...fields,
})
const aVote = (vote_type: VoteType) => ({
  _id: new Types.ObjectId(),
  user_id: new Types.ObjectId(),
  vote_type,
  created_at: new Date(),
})

/** Deletes all IODs. Only for tests with new replicas, as the service's replicas keep all IODs in memory. */
const empty = () => mongo.collection('iods').deleteMany({})
const startService = () =>
  createApp(readConfig(iodsConfigSchema, { ...fixture.env, ...NO_LIMITS, ROLE: 'api' }), fixture.deps)

it('is empty without IODs', async () => {
  const overlay = await answerOf(replica())
  expect(overlay).toMatchObject({ revision: 0, since: 0, rows: new Uint8Array(), etag: '"0-0-0"' })
})

describe('over HTTP', () => {
  it('contains every IOD with its key and votes, equal for all users and replicas', async () => {
    await mongo.collection('iods').insertOne(stored({ value: ' \u200b ' }))
    const old = stored({ votes: [aVote('POSITIVE')] })
    await mongo.collection('iods').insertOne(old)
    const iods = await Promise.all(CATEGORIES.map(category => create({ category })))
    await vote(iods[0] as Iod)
    await vote(iods[0] as Iod, 'NEGATIVE')
    await vote(iods[0] as Iod, 'NEGATIVE')
    const expected = [
      ...iods.map(({ id, value, category }, n) => ({
        id,
        category,
        votes_for: n === 0 ? 1 : 0,
        votes_against: n === 0 ? 2 : 0,
        independent: undefined,
        key: valueKey({ value, category }),
      })),
      {
        id: old._id.toHexString(),
        category: 'TITLE',
        votes_for: 1,
        votes_against: 0,
        independent: undefined,
        key: valueKey({ value: old.value, category: 'TITLE' }),
      },
    ].sort((a, b) => (a.id < b.id ? -1 : 1))

    const other = await startService()
    try {
      const otherUrl = await other.listen()
      const ben = await fixture.user('ben')
      const collector = await fixture.token({ id: ben.id, scope: 'collector' })
      const answers = await Promise.all([
        get(),
        get('', {}, ben.token),
        get('?since=0', {}, collector, otherUrl),
        get('', {}, ana.token, otherUrl),
      ])
      const headers = answers.map(answer =>
        ['etag', 'content-type', 'cache-control'].map(name => answer.headers.get(name)),
      )
      for (const each of headers)
        expect(each).toEqual([headers[0]?.[0], 'application/octet-stream', 'private, no-cache'])
      const overlays = await Promise.all(answers.map(read))
      const overlay = overlays[0] as Overlay
      for (const each of overlays) expect(each).toEqual(overlay)
      expect(entriesOf(overlay)).toEqual(expected)
      expect(overlay.since).toBe(0)

      const since = `?since=${overlay.revision - 1}`
      const deltas = await Promise.all([get(since), get(since, {}, collector, otherUrl)])
      const [delta, otherDelta] = await Promise.all(deltas.map(read))
      expect(delta?.since).toBe(overlay.revision - 1)
      expect(delta?.bytes).toEqual(otherDelta?.bytes)
      expect(entriesOf(delta as Overlay)).toEqual(expected.filter(({ id }) => id !== old._id.toHexString()))
    } finally {
      await other.close()
    }
  })

  it('continues from a revision, and answers 304 without changes', async () => {
    const first = await create()
    const start = await vi.waitFor(async () => {
      const answer = await get('?since=1')
      const overlay = await read(answer)
      expect(entriesOf(overlay).map(({ id }) => id)).toContain(first.id)
      return { ...overlay, etag: answer.headers.get('etag') ?? '' }
    }, 30_000)
    const next = (etag: string) => get(`?since=${start.revision}`, { 'if-none-match': etag })
    const same = await next(start.etag)
    expect([same.status, same.headers.get('etag'), same.headers.get('cache-control')]).toEqual([
      304,
      start.etag,
      'private, no-cache',
    ])
    expect(await same.text()).toBe('')
    await vote(first, 'NEGATIVE')
    await vi.waitFor(async () => {
      const changed = await next(start.etag)
      expect(changed.status).toBe(200)
      expect(changed.headers.get('etag')).not.toBe(start.etag)
      const delta = await read(changed)
      expect(delta.revision).toBeGreaterThan(start.revision)
      expect(votesOf(delta, first)).toEqual([[0, 1]])
    }, 30_000)
  })

  it.each([
    '-1',
    '1.5',
    'x',
    '',
    '1e3',
    '0x1',
    ' 1',
    '8640000000000001',
    '9'.repeat(400),
    '1&since=2',
    '1&more=2',
    '[1]',
    'null',
  ])('rejects since=%s', async since => {
    const answer = await api.send('GET', `/iods/overlay?since=${since}`)
    expect([answer.status, Array.isArray(answer.body.detail)]).toEqual([422, true])
  })

  it('returns all IODs for a future revision', async () => {
    const { since, rows } = await read(await get('?since=8640000000000000'))
    expect(since).toBe(0)
    expect(rows.length).toBeGreaterThanOrEqual(CATEGORIES.length * OVERLAY_ROW_BYTES)
  })

  it('is limited to sessions of members and of the collector', async () => {
    expect((await get('', {}, 'x')).status).toBe(401)
    expect((await fetch(`${url}${API_BASE}/iods/overlay`)).status).toBe(401)
    const collector = await fixture.token({ id: ana.id, scope: 'collector' })
    expect((await get('', {}, collector)).status).toBe(200)
  })

  it('exposes revisions in no other response', async () => {
    const iod = await create()
    const voter = await fixture.user()
    expect(Object.keys(await vote(iod, 'POSITIVE', apiClient(url, voter.token)))).not.toContain('revision')
    expect(await mongo.collection('iods').findOne({ value: iod.value })).toHaveProperty('revision')
    const lists = [
      await api.send('GET', '/iods'),
      await api.send('GET', '/iods?limit=5'),
      await api.send('GET', `/iods/${iod.id}`),
      await api.send('POST', '/iods/lookup', { values: [iod.value] }),
    ]
    for (const { body } of lists) expect(JSON.stringify(body)).not.toContain('revision')
    for (const { id } of [ana, voter]) {
      const personal = await fixture.internal(personalDataInternal.exportUser, { params: { id } })
      expect(personal).not.toEqual([])
      expect(JSON.stringify(personal)).not.toContain('revision')
    }
  })

  it('the client rejects a damaged or truncated answer', async () => {
    await create()
    const bytes = new Uint8Array(await (await get()).arrayBuffer())
    for (const at of [0, 5, 8, 24, 40, bytes.length - 1]) {
      const damaged = bytes.map((byte, n) => (n === at ? byte ^ 1 : byte))
      await expect(decodeOverlay(damaged)).rejects.toThrow(RangeError)
    }
    for (const length of [0, 31, bytes.length - OVERLAY_ROW_BYTES, bytes.length - 1])
      await expect(decodeOverlay(bytes.slice(0, length))).rejects.toThrow(RangeError)
  })
})

describe('a delta', () => {
  beforeEach(empty)

  it('contains new, voted and anonymized IODs since, in each repeated request', async () => {
    const carla = await fixture.user('carla')
    const dora = await fixture.user('dora')
    const hers = await create({}, apiClient(url, carla.token))
    const votedOn = await create({}, apiClient(url, dora.token))
    await vote(votedOn, 'NEGATIVE', apiClient(url, carla.token))
    // Simulates changes an hour ago.
    const old = new Date(Date.now() - 3_600_000)
    await mongo.collection('iods').updateMany({}, { $set: { revision: old } })
    const since = Date.now() - 600_000
    const last = stored({ revision: new Date(since) })
    await mongo.collection('iods').insertOne(last)
    const ask = replica()
    const start = await answerOf(ask)
    expect([start.revision, entriesOf(start).length]).toEqual([since, 3])
    const idsSince = async (since: number) => {
      const delta = await answerOf(ask, since)
      expect(delta.since).toBe(since)
      return entriesOf(delta)
        .map(({ id }) => id)
        .sort()
    }
    // An up-to-date client receives the last changes again, as others may become visible late.
    expect(await idsSince(since)).toEqual([last._id.toHexString()])
    expect(await idsSince(old.getTime())).toHaveLength(3)

    const fresh = await create()
    expect(await idsSince(since)).toContain(fresh.id)
    await vote(hers)
    expect(await idsSince(since)).toContain(hers.id)
    expect(await idsSince(since)).not.toContain(votedOn.id)
    const kept = await answerOf(ask, since)
    await forget(carla.id)
    expect(await idsSince(since)).toContain(votedOn.id)
    const forgotten = await answerOf(ask, since)
    expect(forgotten.revision).toBeGreaterThan(kept.revision)
    expect(votesOf(forgotten, votedOn)).toEqual([[0, 1]])
    expect(votesOf(forgotten, hers)).toEqual([[1, 0]])
    expect(await answerOf(ask, since)).toEqual(forgotten)
    // A repeated erasure changes nothing.
    await forget(carla.id)
    expect(await answerOf(ask, since)).toEqual(forgotten)
  })

  it('contains a creation that became visible after a later one', async () => {
    const ask = replica()
    const session = await mongo.startSession()
    session.startTransaction()
    const late = stored({ revision: new Date() })
    await mongo.collection('iods').insertOne(late, { session })
    await expect.poll(() => Date.now()).toBeGreaterThan(late.revision.getTime())
    const known = await create()
    const start = await answerOf(ask)
    expect(entriesOf(start).map(({ id }) => id)).toEqual([known.id])
    expect(start.revision).toBeGreaterThan(late.revision.getTime())
    await session.commitTransaction()
    await session.endSession()
    const next = await answerOf(ask, start.revision)
    expect(next.revision).toBe(start.revision)
    expect(next.etag).not.toBe(start.etag)
    expect(entriesOf(next).map(({ id }) => id)).toContain(late._id.toHexString())
  })

  it('contains a vote that became visible after a later one, with another ETag', async () => {
    const ask = replica()
    const [one, two] = [await create(), await create()]
    await vote(two)
    const start = await answerOf(ask)
    const { _id } = (await mongo.collection('iods').findOne({ value: one.value })) ?? expect.unreachable()
    const revision = new Date(start.revision - 1)
    await mongo
      .collection('iods')
      .updateOne({ _id }, { $set: { votes: [aVote('NEGATIVE')], revision } } as never)
    const next = await answerOf(ask, start.revision)
    expect([next.revision, votesOf(next, one)]).toEqual([start.revision, [[0, 1]]])
    expect(next.etag).not.toBe(start.etag)
  })

  it('two votes at the same time have two revisions', async () => {
    const ask = replica()
    const iod = await create()
    const future = new Date(Date.now() + 3_600_000)
    await mongo.collection('iods').updateOne({ value: iod.value }, { $set: { revision: future } })
    await vote(iod)
    await vote(iod)
    expect((await answerOf(ask)).revision).toBe(future.getTime() + 2)
  })
})

describe('with many IODs', () => {
  beforeEach(empty)
  const insertMany = async (count: number) => {
    const revision = new Date()
    const docs = Array.from({ length: count }, () => stored({ revision }))
    await mongo.collection('iods').insertMany(docs)
    return { docs, revision: revision.getTime() }
  }

  it('returns all IODs instead of a large delta, encoded once for concurrent requests', async () => {
    const { docs, revision } = await insertMany(600)
    const ask = replica({ snapshotMs: 60_000, deltaMax: 599 })
    const made = await Promise.all(
      Array.from({ length: 20 }, async (_, n) => (await ask(n % 2 ? revision : 0)).make()),
    )
    for (const { bytes, etag } of made) {
      expect(bytes).toBe(made[0]?.bytes)
      expect(etag).toBe(made[0]?.etag)
    }
    const overlay = await answerOf(ask, revision)
    expect([overlay.since, overlay.revision]).toEqual([0, revision])
    expect(entriesOf(overlay).map(({ id }) => id)).toEqual(docs.map(({ _id }) => _id.toHexString()).sort())
    // A delta contains changes that the snapshot lacks.
    const fresh = await create()
    expect((await answerOf(ask)).etag).toBe(overlay.etag)
    await mongo
      .collection('iods')
      .updateMany({ revision: new Date(revision) }, { $set: { revision: new Date(revision - 90_000) } })
    const other = replica({ deltaMax: 599 })
    expect(entriesOf(await answerOf(other, revision)).map(({ id }) => id)).toEqual([fresh.id])
    // A client with a later revision does not receive the older snapshot.
    const later = (await answerOf(other)).revision
    await mongo.collection('iods').updateMany({}, { $set: { revision: new Date(later + 1) } })
    const again = await answerOf(ask, later)
    expect([again.since, again.revision]).toEqual([0, later + 1])
  })

  it('answers 503 until the first full read', async () => {
    await insertMany(600)
    const held = deferred()
    const ask = createOverlay(modelsWith(aggregatingBy(async aggregate => held.promise.then(aggregate))), {
      refreshMs: 0,
      firstMs: 20,
    })
    for (let n = 0; n < 3; n++)
      await expect(ask(0)).rejects.toMatchObject({ status: 503, headers: { 'retry-after': '5' } })
    held.resolve()
    await vi.waitFor(
      async () => expect((await answerOf(ask)).rows.length).toBe(600 * OVERLAY_ROW_BYTES),
      30_000,
    )
  })

  it('serves one request of a member at a time, and other members at once', { tags: 'long' }, async () => {
    await insertMany(4_000)
    const [eve, fred] = [await fixture.user('eve'), await fixture.user('fred')]
    const own = await startService()
    const held = deferred()
    // Her clients do not read their responses yet.
    own.app.addHook('onSend', async ({ headers }, reply) => {
      if (headers.authorization?.endsWith(eve.token) && reply.statusCode === 200) await held.promise
    })
    try {
      const ownUrl = await own.listen()
      const ask = async ({ token }: FixtureUser) => {
        const answer = await get('', {}, token, ownUrl)
        return { status: answer.status, bytes: Buffer.from(await answer.arrayBuffer()) }
      }
      // The service answers 503 until the first full read.
      await vi.waitFor(async () => expect((await ask(fred)).status).toBe(200), 30_000)
      const answers: Awaited<ReturnType<typeof ask>>[] = []
      for (let n = 0; n < 30; n++) void ask(eve).then(answer => answers.push(answer))
      await vi.waitFor(() => expect(answers).toHaveLength(28), 30_000)
      for (const { status } of answers) expect(status).toBe(429)
      const other = await ask(fred)
      expect((await decodeOverlay(new Uint8Array(other.bytes))).rows.length).toBe(4_000 * OVERLAY_ROW_BYTES)
      expect(answers).toHaveLength(28)
      held.resolve()
      await vi.waitFor(() => expect(answers).toHaveLength(30), 30_000)
      for (const answer of answers.slice(28)) expect(answer).toEqual(other)
    } finally {
      held.resolve()
      await own.close()
    }
  })
})

it('reads all IODs again after a day, as a restored database may have fewer', async () => {
  await empty()
  const ask = replica({ maxAgeMs: 0 })
  const [gone, left] = [await create(), await create()]
  expect(entriesOf(await answerOf(ask))).toHaveLength(2)
  await mongo.collection('iods').deleteOne({ value: gone.value })
  await expect.poll(async () => entriesOf(await answerOf(ask)).map(({ id }) => id)).toEqual([left.id])
})

it('a failed read fails one answer', async () => {
  await empty()
  await create()
  let failures = 1
  const iods = aggregatingBy(async aggregate => {
    if (failures-- > 0) throw new Error('broken')
    return aggregate()
  })
  const ask = createOverlay(modelsWith(iods), { refreshMs: 60_000 })
  await expect(ask(0)).rejects.toThrow('broken')
  expect(entriesOf(await answerOf(ask))).toHaveLength(1)
})

it(`clients that continue from their revision have all IODs, in ${runs(8)} runs of random changes`, {
  tags: 'long',
}, async () => {
  const seed = Number(process.env.SEED ?? randomInt(2 ** 31))
  console.log(`SEED=${seed}`)
  const random = seededRandom(seed)
  const upTo = (count: number) => Math.floor(random() * count)
  const members = await Promise.all(Array.from({ length: 6 }, () => fixture.user()))
  const clientOf = ({ token }: FixtureUser) => apiClient(url, token)
  const member = () => members[upTo(members.length)] as FixtureUser
  const replicas = [replica(), replica({ refreshMs: 20 }), replica({ snapshotMs: 50 })]
  const clients = Array.from({ length: 4 }, () => ({ revision: 0, rows: new Uint8Array() as Uint8Array }))
  const iods: Iod[] = []
  await empty()

  const change = async () => {
    const [what, iod] = [random(), iods[upTo(iods.length)]]
    if (!iod || what < 0.4) iods.push(await create({}, clientOf(member())))
    else if (what < 0.95) {
      const answer = await clientOf(member()).send('POST', `/iods/${iod.id}/vote`, {
        vote_type: random() < 0.5 ? 'POSITIVE' : 'NEGATIVE',
      })
      expect([200, 409]).toContain(answer.status)
    } else {
      const at = upTo(members.length)
      await forget((members[at] as FixtureUser).id)
      members[at] = await fixture.user()
    }
  }
  const goOn = async (client: (typeof clients)[number], ask: Ask) => {
    const { since, revision, rows } = await answerOf(ask, client.revision)
    expect([0, client.revision]).toContain(since)
    client.rows = since === 0 ? rows : mergeRows(client.rows, rows)
    client.revision = revision
  }

  for (let run = 0; run < runs(8); run++) {
    await Promise.all([
      ...Array.from({ length: 3 }, async () => {
        for (let n = 0; n < 12; n++) await change()
      }),
      ...clients.map(async client => {
        for (let n = upTo(6); n > 0; n--) await goOn(client, replicas[upTo(3)] as Ask)
      }),
    ])
    const all = await answerOf(replica())
    expect(entriesOf(all)).toHaveLength(iods.length)
    for (const client of clients) {
      await goOn(client, replicas[0] as Ask)
      expect(Buffer.compare(client.rows, all.rows)).toBe(0)
    }
    const listed = await api.call(iodsApi.listIods)
    for (const { id, votes_for, votes_against } of entriesOf(all)) {
      const votes = listed.find(iod => iod.id === id)?.votes ?? []
      const positive = votes.filter(({ vote_type }) => vote_type === 'POSITIVE').length
      expect([votes_for, votes_against]).toEqual([positive, votes.length - positive])
    }
  }
})

it('rows contain the weight of votes by independence, from two votes on', async () => {
  await empty()
  const [disputed, once] = [await create(), await create()]
  for (const type of ['POSITIVE', 'POSITIVE', 'POSITIVE', 'NEGATIVE'] as const) await vote(disputed, type)
  await vote(once)
  const { covoteBuilds } = modelsWith(mongo.model('Iod') as IodModel)
  await covoteBuilds.deleteMany({})
  const worth = async () =>
    entriesOf(await answerOf(replica())).flatMap(({ id, independent }) =>
      id === disputed.id ? [independent] : [],
    )
  // No weight is known before a build is live.
  expect(await worth()).toEqual([undefined])
  await covoteBuilds.create({ _id: 1, begun_at: new Date(), up_to: new Date(0), batch: null, live: true })
  // New accounts count 1 together.
  expect(await worth()).toEqual([{ for: 1, against: 1 }])
  const [{ independent } = {}] = entriesOf(await answerOf(replica())).filter(({ id }) => id === once.id)
  expect(independent).toBeUndefined()
  await covoteBuilds.deleteMany({})
})
