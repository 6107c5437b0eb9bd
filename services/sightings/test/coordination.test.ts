import {
  coordinationApi,
  LIMITS,
  personalDataInternal,
  type RunParameters,
  type SightingRecord,
} from '@iodine/contracts'
import { HttpError } from '@iodine/service-kit'
import { apiClient, type FixtureUser, newId } from '@iodine/test-kit'
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { startTestServer, type TestServer } from './test-server.js'

let server: TestServer
let ana: FixtureUser
let bo: FixtureUser

beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server?.stop())
beforeEach(async () => {
  server.sharing.clear()
  ;[ana, bo] = [await server.fixture.user('ana'), await server.fixture.user('bo')]
})

const api = (user: FixtureUser) => apiClient(server.url, user.token)
const ask = (question: Partial<RunParameters> = {}): RunParameters => ({
  kinds: ['link'],
  window_s: 60,
  min_participation: 1,
  scope: 'own',
  ...question,
})
const begin = (user: FixtureUser, question?: Partial<RunParameters>) =>
  api(user).call(coordinationApi.createRun, { body: ask(question) })
const until = (check: () => unknown) => vi.waitFor(check, 30_000)
const outbox = () => server.service.mongo.collection('outbox')
/** Waits until a run's outbox entry is complete. */
const finish = (id: string) => until(async () => expect(await outbox().countDocuments({ key: id })).toBe(0))
const stateOf = async (user: FixtureUser, id: string) =>
  (await api(user).call(coordinationApi.getRun, { params: { id } })).state
/** Makes each run of scope `shared` wait for its release. */
const holdRuns = async () => {
  await server.put(bo, posted('held', 5, { ...link(1), shared: 'username' }))
  const held: (() => void)[] = []
  let isHolding = true
  server.onOpen = () => isHolding && new Promise<void>(resolve => held.push(resolve))
  const releaseAll = () => {
    isHolding = false
    for (const release of held.splice(0)) release()
    server.onOpen = () => {}
  }
  onTestFinished(async () => {
    releaseAll()
    await until(async () => expect(await outbox().countDocuments()).toBe(0))
  })
  return { held, releaseAll }
}
const run = async (user: FixtureUser, question?: Partial<RunParameters>) => {
  const { id } = await begin(user, question)
  await finish(id)
  const done = await api(user).call(coordinationApi.getRun, { params: { id } })
  const network = await api(user).call(coordinationApi.getNetwork, { params: { id } })
  return { ...done, ...network }
}
const sharesOf = (user: FixtureUser, id: string, a: string, b: string) =>
  api(user).call(coordinationApi.getShares, { params: { id }, query: { a, b } })

const at = (seconds: number) => new Date(Date.UTC(2026, 2, 1, 10) + seconds * 1_000).toISOString()
const posted = (account: string, seconds: number, given: Partial<SightingRecord> = {}) => ({
  account,
  posted_at: at(seconds),
  ...given,
})
const link = (n: number) => ({ links: [`https://www.example.org/story/${n}?utm_source=x#top`] })
const ends = ({ edges }: { edges: { a: string; b: string; weight: number }[] }) =>
  edges.map(({ a, b, weight }) => [a, b, weight])

describe('a run', () => {
  it('finds accounts that share the same links regardless of tracking, with both posts of a pair', async () => {
    const [first, second] = await server.put(
      ana,
      posted('Left', 0, { ...link(1), text: 'Look at this' }),
      posted('right', 20, { links: ['http://example.org/story/1/'], text: 'Unbelievable' }),
      posted('left', 500, link(2)),
      posted('right', 510, link(2)),
      posted('late', 900, link(2)),
      { account: 'nobody knows when', posted_at: null, ...link(1) },
      posted(null as never, 3, link(1)),
    )
    const found = await run(ana)
    expect(found).toMatchObject({
      state: 'done',
      progress: 1,
      problem: null,
      totals: {
        posts: 5,
        without_time: 1,
        without_account: 1,
        shares: 5,
        pairs: 2,
        accounts: 2,
        edges: 1,
      },
      truncated: { shares: false, objects: 0, edges: false },
    })
    expect(found.edges).toEqual([
      expect.objectContaining({
        a: 'telegram left',
        b: 'telegram right',
        weight: 2,
        avg_delta_s: 15,
        symmetry: 1,
        p_value: expect.any(Number),
        q_value: expect.any(Number),
      }),
    ])
    expect(found.nodes).toEqual([
      { id: 'telegram left', source: 'telegram', account: 'left', pairs: 2 },
      { id: 'telegram right', source: 'telegram', account: 'right', pairs: 2 },
    ])
    const evidence = await sharesOf(ana, found.id, 'telegram right', 'telegram left')
    expect(evidence.total).toBe(2)
    expect(evidence.pairs.find(({ delta_s }) => delta_s === 20)).toMatchObject({
      kind: 'link',
      object: 'example.org/story/1',
      older: { id: first, account: 'Left', posted_at: at(0), excerpt: 'Look at this' },
      newer: { id: second, account: 'right', posted_at: at(20), excerpt: 'Unbelievable' },
    })
  })

  it('finds identical texts, near-identical texts, pictures and hashtags, by requested kind', async () => {
    const text = 'The ministry secretly poured silver dust into the reservoir above the valley'
    await server.put(
      ana,
      posted('a', 0, { text }),
      posted('b', 5, { text: text.toUpperCase() }),
      posted('c', 9, { text: `${text} last night` }),
      posted('d', 12, { text: 'Wake up #SilverDust', media: [{ sha256: 'a'.repeat(64), phash: null }] }),
      posted('e', 14, { text: 'Nothing to see #silverdust' }),
      posted('f', 18, { text: 'Look', media: [{ sha256: 'a'.repeat(64), phash: null }] }),
    )
    const pairs = async (...kinds: RunParameters['kinds']) =>
      ends(await run(ana, { kinds })).map(([a, b]) => `${a}–${b}`.replaceAll('telegram ', ''))
    expect(await pairs('text')).toEqual(['a–b'])
    expect((await pairs('near')).sort()).toEqual(['a–b', 'a–c', 'b–c'])
    expect((await pairs('near', 'text')).sort()).toEqual(['a–b', 'a–c', 'b–c'])
    expect(await pairs('hashtag')).toEqual(['d–e'])
    expect(await pairs('media')).toEqual(['d–f'])
  })

  it('normalizes share links of a post, and hashtags of any sign and case', {
    tags: 'long',
  }, async () => {
    const video = 'https://www.tiktok.com/@Lena/video/7423000000000000101'
    await server.put(
      ana,
      posted('one', 0, { text: '＃ΟΔΟΣ now', links: [`${video}?_r=1&_t=ZS`] }),
      posted('two', 5, { text: 'then #οδος', links: ['https://m.tiktok.com/v/7423000000000000101.html'] }),
      posted('three', 9, { text: '#می\u200cخواهم', links: [video.toLowerCase()] }),
      posted('four', 14, { text: 'و ＃می\u200cخواهم\u200f' }),
    )
    expect(ends(await run(ana, { kinds: ['hashtag'] })).sort()).toEqual([
      ['telegram four', 'telegram three', 1],
      ['telegram one', 'telegram two', 1],
    ])
    expect(ends(await run(ana, { kinds: ['link'] }))).toHaveLength(3)
  })

  it('counts a post with several URLs once', async () => {
    const url = 'https://t.me/channel/5'
    await server.put(
      ana,
      posted('one', 0, { url, ...link(1) }),
      posted('one', 0, { url: 'https://telegram.me/s/Channel/5?single', ...link(1) }),
    )
    expect((await run(ana)).totals).toMatchObject({ posts: 1, shares: 1 })
  })

  it('restricts the posts to claims or to a post, and lists the own posts that it left out', async () => {
    const CLAIM = 'The siren of the valley was switched off before the water rose'
    await server.put(
      ana,
      posted('a', 0, { ...link(20), text: CLAIM }),
      posted('b', 5, { ...link(20), text: `They say: ${CLAIM}!` }),
      posted('c', 8, { ...link(20), text: 'Bread and cheese at the market' }),
      posted('d', 100, { ...link(21), text: 'Apples' }),
      posted('e', 103, { ...link(21), text: 'Pears' }),
    )
    const [undated, unnamed] = await server.put(
      ana,
      { account: 'f', posted_at: null, text: CLAIM },
      posted(null as never, 5, { text: CLAIM }),
      { account: 'g', posted_at: null, text: 'Bread' },
    )
    const about = { name: 'the siren', values: [CLAIM] }
    const found = await run(ana, { about })
    expect(ends(found)).toEqual([['telegram a', 'telegram b', 1]])
    expect(found).toMatchObject({ about, totals: { posts: 2, without_time: 1, without_account: 1 } })
    const left = await api(ana).call(coordinationApi.getLeftOut, { params: { id: found.id } })
    expect(left.posts.toSorted((one, other) => other.why.localeCompare(one.why))).toMatchObject([
      { id: undated, account: 'f', why: 'time', excerpt: CLAIM },
      { id: unnamed, account: null, why: 'account', excerpt: CLAIM },
    ])
    const both = { name: 'a campaign', values: [CLAIM, 'https://example.org/story/21'] }
    expect(ends(await run(ana, { about: both })).sort()).toEqual([
      ['telegram a', 'telegram b', 1],
      ['telegram d', 'telegram e', 1],
    ])
    const record = { name: 'a post', record_id: undated as string }
    expect(ends(await run(ana, { about: record }))).toEqual([['telegram a', 'telegram b', 1]])
    await server.remove(ana, undated as string)
    const { posts } = await api(ana).call(coordinationApi.getLeftOut, { params: { id: found.id } })
    expect(posts.map(({ id }) => id)).toEqual([unnamed])
    for (const [status, wrong] of [
      [404, { name: 'x', record_id: newId() }],
      [422, { name: 'x' }],
      [422, { name: 'x', values: [] }],
      [422, { name: 'x', values: ['a'], record_id: newId() }],
    ] as const)
      expect((await api(ana).send('POST', '/coordination/runs', ask({ about: wrong as never }))).status).toBe(
        status,
      )
    expect((await api(bo).send('GET', `/coordination/runs/${found.id}/left-out`)).status).toBe(404)
    const ofAna = ask({ about: { name: 'x', record_id: unnamed as string } })
    expect((await api(bo).send('POST', '/coordination/runs', ofAna)).status).toBe(404)
  })

  it('restricts the posts to the requested time', async () => {
    await server.put(ana, posted('a', 0, link(7)), posted('b', 5, link(7)), posted('c', 10, link(7)))
    expect(ends(await run(ana, { since: at(3), until: at(10) }))).toEqual([['telegram b', 'telegram c', 1]])
    expect((await run(ana, { since: at(11) })).edges).toEqual([])
  })

  it('is rejected with an invalid window, participation or kinds', async () => {
    for (const body of [
      ask({ window_s: 0 }),
      ask({ window_s: 86_401 }),
      ask({ min_participation: 0 }),
      ask({ kinds: [] }),
      ask({ kinds: ['link', 'link'] }),
    ]) {
      expect((await api(ana).send('POST', '/coordination/runs', body)).status).toBe(422)
    }
  })

  it('continues in another process after its process was killed', { tags: 'long' }, async () => {
    await server.put(ana, posted('a', 0, link(1)), posted('b', 5, link(1)))
    const { id, edges } = await run(ana)
    // The state after a process was killed.
    const killed = { state: 'running', progress: 0.5, totals: null, place: 0 }
    await server.service.mongo.model('Run').updateOne({ _id: id }, { $set: killed })
    const lost = { kind: 'run', key: id, payload: { id }, attempts: 1, lease: 'of a dead one' }
    await outbox().insertOne({ ...lost, due_at: new Date(), created_at: new Date() })
    server.service.outbox.wake()
    await finish(id)
    const params = { id }
    expect(await api(ana).call(coordinationApi.getRun, { params })).toMatchObject({
      state: 'done',
      progress: 1,
      totals: { edges: 1 },
    })
    expect((await api(ana).call(coordinationApi.getNetwork, { params })).edges).toEqual(edges)
  })

  it('waits while the collector is down, and completes once it is up', async () => {
    await holdRuns()
    await server.put(ana, posted('a', 0, link(1)))
    server.onOpen = () => {
      throw new HttpError(503, 'down')
    }
    const { id } = await begin(ana, { scope: 'shared' })
    await until(async () => expect(await outbox().findOne({ key: id })).toMatchObject({ attempts: 2 }))
    expect(['queued', 'running']).toContain(await stateOf(ana, id))
    server.onOpen = () => {}
    await finish(id)
    const { edges } = await api(ana).call(coordinationApi.getNetwork, { params: { id } })
    expect(ends({ edges })).toEqual([['telegram a', 'telegram held', 1]])
  })

  it('fails on a permanent error of the collector', async () => {
    await holdRuns()
    await server.put(ana, posted('a', 0, link(1)))
    server.onOpen = () => {
      throw new HttpError(422, 'refused')
    }
    const { id } = await begin(ana, { scope: 'shared' })
    await finish(id)
    expect(await stateOf(ana, id)).toBe('failed')
  })

  it('stores nothing if it is removed while it is under way', async () => {
    const { held, releaseAll } = await holdRuns()
    await server.put(ana, posted('a', 0, link(1)))
    const { id } = await begin(ana, { scope: 'shared' })
    await until(() => expect(held).toHaveLength(1))
    await api(ana).call(coordinationApi.deleteRun, { params: { id } })
    releaseAll()
    await finish(id)
    expect(await server.service.mongo.model('Run').exists({ _id: id })).toBeNull()
    expect(await server.service.mongo.model('Edge').countDocuments({ run: id })).toBe(0)
  })
})

describe('limits', () => {
  it('allows three concurrent runs per user, and another once one is done', {
    tags: 'long',
  }, async () => {
    const { held } = await holdRuns()
    const scope = 'shared'
    await Promise.all([begin(ana, { scope }), begin(ana, { scope }), begin(ana, { scope })])
    expect((await api(ana).send('POST', '/coordination/runs', ask())).status).toBe(409)
    await begin(bo)
    await until(() => expect(held).toHaveLength(2))
    held.shift()?.()
    await until(async () =>
      expect(
        (await api(ana).call(coordinationApi.getRuns)).filter(({ state }) => state === 'done'),
      ).toHaveLength(1),
    )
    await begin(ana, { scope })
    expect((await api(ana).send('POST', '/coordination/runs', ask())).status).toBe(409)
  })

  it('executes two runs at once; the others queue in order', {
    tags: 'long',
  }, async () => {
    const { held } = await holdRuns()
    const cleo = await server.fixture.user('cleo')
    const users = [ana, cleo, ana, cleo]
    const ids: string[] = []
    for (const user of users) ids.push((await begin(user, { scope: 'shared' })).id)
    const states = () => Promise.all(users.map((user, n) => stateOf(user, ids[n] ?? '')))
    await until(() => expect(held).toHaveLength(2))
    expect(await states()).toEqual(['running', 'running', 'queued', 'queued'])
    held.shift()?.()
    await until(() => expect(held).toHaveLength(2))
    const now = await states()
    expect(now.slice(0, 2).sort()).toEqual(['done', 'running'])
    expect(now.slice(2)).toEqual(['running', 'queued'])
  })

  it('stores the latest runs, with their expiry', { tags: 'long' }, async () => {
    const all: string[] = []
    for (let n = 0; n < LIMITS.coordinationRunsKept + 2; n++) {
      const { id, created_at, expires_at } = await begin(ana)
      expect(Date.parse(expires_at) - Date.parse(created_at)).toBe(30 * 86_400_000)
      all.push(id)
      await finish(id)
    }
    const kept = await api(ana).call(coordinationApi.getRuns)
    expect(kept.length).toBeLessThanOrEqual(LIMITS.coordinationRunsKept)
    expect(kept[0]?.id).toBe(all.at(-1))
    expect(kept.some(({ id }) => id === all[0])).toBe(false)
  })

  it('returns the requested number of edges, the heaviest first', async () => {
    await server.put(
      ana,
      ...[1, 2].flatMap(n => [posted('a', n * 1_000, link(n)), posted('b', n * 1_000 + 1, link(n))]),
      posted('c', 5_000, link(3)),
      posted('a', 5_001, link(3)),
    )
    const { id } = await run(ana)
    const one = await api(ana).call(coordinationApi.getNetwork, { params: { id }, query: { limit: 1 } })
    expect(ends(one)).toEqual([['telegram a', 'telegram b', 2]])
  })
})

describe('visibility', () => {
  it('hides runs from other users', async () => {
    await server.put(ana, posted('a', 0, link(1)), posted('b', 5, link(1)))
    const { id } = await run(ana)
    for (const [method, path] of [
      ['GET', ''],
      ['GET', '/graph'],
      ['GET', '/shares?a=telegram%20a&b=telegram%20b'],
      ['DELETE', ''],
    ] as const) {
      expect((await api(bo).send(method, `/coordination/runs/${id}${path}`)).status).toBe(404)
    }
    expect(await api(bo).call(coordinationApi.getRuns)).toEqual([])
    expect((await api(ana).send('GET', `/coordination/runs/${newId()}`)).status).toBe(404)
  })

  it('shows other users’ records only while they are shared', async () => {
    const [mine] = await server.put(ana, posted('a', 0, link(1)))
    const [shared] = await server.put(bo, posted('b', 5, { ...link(1), shared: 'username' }))
    await server.put(bo, posted('secret', 6, link(1)))
    expect((await run(ana)).edges).toEqual([])
    const { id, edges } = await run(ana, { scope: 'shared' })
    expect(ends({ edges })).toEqual([['telegram a', 'telegram b', 1]])
    const pairOf = async () => (await sharesOf(ana, id, 'telegram a', 'telegram b')).pairs
    expect(await pairOf()).toMatchObject([{ older: { id: mine }, newer: { id: null, account: 'b' } }])
    // Unshared at the collector; the index is not updated yet.
    server.sharing.delete(shared as string)
    expect(await pairOf()).toEqual([])
    expect((await run(ana, { scope: 'shared' })).edges).toEqual([])
    await server.remove(bo, shared as string)
    const after = await api(ana).call(coordinationApi.getNetwork, { params: { id } })
    expect(after).toEqual({ nodes: [], edges: [] })
  })

  it('removes a deleted account’s runs, and its records from other users’ runs', async () => {
    await server.put(ana, posted('a', 0, link(1)), posted('a2', 1, link(1)))
    await server.put(bo, posted('b', 5, { ...link(1), shared: 'anonymous' }))
    const { id } = await run(ana, { scope: 'shared' })
    const { id: own } = await run(bo)
    await server.fixture.internal(personalDataInternal.eraseUser, { params: { id: bo.id } })
    const left = await api(ana).call(coordinationApi.getNetwork, { params: { id } })
    expect(ends(left)).toEqual([['telegram a', 'telegram a2', 1]])
    const [runs, edges] = ['Run', 'Edge'].map(name => server.service.mongo.model(name))
    expect(await runs?.countDocuments({ owner: bo.id })).toBe(0)
    expect(await edges?.countDocuments({ $or: [{ owner: bo.id }, { owners: bo.id }, { run: own }] })).toBe(0)
  })

  it('removes the edges with the run', async () => {
    await server.put(ana, posted('a', 0, link(1)), posted('b', 5, link(1)))
    const { id } = await run(ana)
    await api(ana).call(coordinationApi.deleteRun, { params: { id } })
    expect((await api(ana).send('GET', `/coordination/runs/${id}`)).status).toBe(404)
    expect(await server.service.mongo.model('Edge').countDocuments({ run: id })).toBe(0)
  })
})
