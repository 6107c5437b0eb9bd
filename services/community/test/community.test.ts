import { communityApi, communityInternal, type DomainEvent } from '@iodine/contracts'
import { readConfig, type StoreService } from '@iodine/service-kit'
import {
  type ApiClient,
  apiClient,
  internalClient,
  newId,
  plansOf,
  runs,
  type ServiceFixture,
  seededRandom,
  startServiceFixture,
} from '@iodine/test-kit'
import { Types } from 'mongoose'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { communityConfigSchema, createApp } from '../src/index.js'
import { searchFields } from '../src/models/user.js'

let fixture: ServiceFixture
let service: StoreService
let url: string
let api: ApiClient

beforeAll(async () => {
  fixture = await startServiceFixture()
  service = await createApp(readConfig(communityConfigSchema, fixture.env), fixture.deps)
  url = await fixture.listen(service)
  api = apiClient(url, (await fixture.user('reader')).token)
})
afterAll(() => fixture?.stop())
beforeEach(async () => {
  for (const name of ['users', 'contributions', 'counters', 'terms'])
    await service.mongo.collection(name).deleteMany({})
})

const apply = (...events: DomainEvent[]) =>
  fixture.internal(communityInternal.applyEvents, { body: { events } })

const start = Date.UTC(2026, 0, 1)
const time = (n: number) => new Date(start + n * 1000).toISOString()
const userCreated = (id: string, username: string | null, n = 0): DomainEvent => ({
  type: 'user.created',
  data: { id, username, created_at: time(n) },
})
const userRenamed = (id: string, username: string, revision: number): DomainEvent => ({
  type: 'user.renamed',
  data: { id, username, revision },
})
const iodCreated = (id: string, user_id: string, n = 0, more = {}): DomainEvent => ({
  type: 'iod.created',
  data: { id, user_id, value: `v${n}`, category: 'URL', description: `d${n}`, created_at: time(n), ...more },
})
const narrativeCreated = (
  id: string,
  user_id: string,
  n = 0,
  text = `Text ${n}`,
  triplets = 2,
  restored?: number,
): DomainEvent => ({
  type: 'narrative.created',
  data: { id, user_id, text, triplets, created_at: time(n), restored },
})
const narrativeRestored = (id: string, user_id: string, n: number, restored: number): DomainEvent =>
  narrativeCreated(id, user_id, n, `Text ${n}`, 2, restored)
const narrativeDeleted = (id: string, user_id: string, restored?: number): DomainEvent => ({
  type: 'narrative.deleted',
  data: { id, user_id, restored },
})
const userDeleted = (id: string): DomainEvent => ({ type: 'user.deleted', data: { id } })

/** Stores public users `NAME_0`, `NAME_1` …. Returns their ids. */
const addCrowd = async (name: string, size: number): Promise<string[]> => {
  const ids = Array.from({ length: size }, () => newId())
  await apply(userCreated(ids[0] ?? '', `${name}_0`))
  const first = await service.mongo.collection('users').findOne({})
  await service.mongo.collection('users').insertMany(
    ids.slice(1).map((id, n) => {
      const username = `${name}_${n + 1}`
      return { ...first, _id: new Types.ObjectId(id), username, ...searchFields({ username, public: true }) }
    }),
  )
  await service.mongo.collection('counters').updateOne({}, { $inc: { n: size - 1 } })
  return ids
}

const users = (query: Record<string, string> = {}) => api.call(communityApi.listUsers, { query })
const profile = (id: string, query = '') => api.send('GET', `/community/users/${id}${query}`)
const missing = { status: 404, body: { detail: 'Not found' } }

describe('profiles', () => {
  it('are public once they have a username', async () => {
    const [ana, bo, carla] = [newId(), newId(), newId()]
    await apply(userCreated(ana, 'ana', 1), userCreated(bo, null, 2), userRenamed(carla, 'carla', 1))
    expect(await users()).toEqual({
      users: [
        { id: ana, username: 'ana', created_at: time(1), total_contributions: 0, recent_contributions: [] },
      ],
      total: 1,
    })
    for (const id of [bo, carla, newId(), 'nonsense']) expect(await profile(id)).toMatchObject(missing)
    await apply(userRenamed(bo, 'bo', 1), userCreated(carla, null, 3))
    expect((await users()).users.map(user => user.username)).toEqual(['carla', 'bo', 'ana'])
    expect((await users()).total).toBe(3)
    expect((await profile(carla)).body).toEqual({
      username: 'carla',
      created_at: time(3),
      total_iods: 0,
      total_narratives: 0,
      all_contributions: [],
    })
  })

  it('apply renames in any order, and disappear with the account', async () => {
    const ana = newId()
    await apply(userRenamed(ana, 'third', 3), userRenamed(ana, 'second', 2), userCreated(ana, 'first'))
    expect((await users()).users.map(user => user.username)).toEqual(['third'])
    expect((await users({ search: 'second' })).total).toBe(0)
    await apply(userDeleted(ana), userRenamed(ana, 'fourth', 4), userCreated(ana, 'first'))
    expect(await users()).toEqual({ users: [], total: 0 })
    expect((await users({ search: 'third' })).total).toBe(0)
    expect(await profile(ana)).toMatchObject(missing)
    const stored = await service.mongo.collection('users').find().toArray()
    expect(JSON.stringify(stored)).not.toMatch(/third|first/)
    expect(stored).toMatchObject([{ search: '', grams: [] }])
  })

  it('are listed newest first in pages', async () => {
    const ids = Array.from({ length: 45 }, newId)
    for (const [n, id] of ids.entries()) await apply(userCreated(id, `user_${n}`, n >> 1))
    const seen = await Promise.all([0, 20, 40].map(skip => users({ skip: String(skip) })))
    expect(seen.map(page => page.users.length)).toEqual([20, 20, 5])
    expect(new Set(seen.flatMap(page => page.users.map(user => user.id))).size).toBe(45)
    const order = seen.flatMap(page => page.users.map(user => `${user.created_at} ${user.id}`))
    expect(order).toEqual([...order].sort().reverse())
    expect((await users({ skip: '1000' })).users).toEqual([])
    expect((await users({ limit: '100' })).users).toHaveLength(45)
  })

  it('are found by a literal part of the name, in any case', async () => {
    const names = ['Anna_B', 'banana', 'ANNA', 'bob_1', 'a_nna']
    for (const [n, name] of names.entries()) await apply(userCreated(newId(), name, n))
    const found = async (search: string, more = {}) => {
      const { users: page, total } = await users({ search, ...more })
      return [page.map(user => user.username), total]
    }
    expect(await found('anna')).toEqual([['ANNA', 'Anna_B'], 2])
    expect(await found('AN')).toEqual([['ANNA', 'banana', 'Anna_B'], 3])
    expect(await found('an', { skip: '1', limit: '1' })).toEqual([['banana'], 3])
    expect(await found('_')).toEqual([['a_nna', 'bob_1', 'Anna_B'], 3])
    expect(await found('')).toEqual([['a_nna', 'bob_1', 'ANNA', 'banana', 'Anna_B'], 5])
    for (const hostile of ['.', '.*', '(a+)+$', '[', '\\', '$ne', '^', 'ann a', '\u202e', 'x'.repeat(100)])
      expect(await found(hostile)).toEqual([[], 0])
    expect(await found('n')).toEqual([['a_nna', 'ANNA', 'banana', 'Anna_B'], 4])
    expect(await found('a', { limit: '2' })).toEqual([['a_nna', 'ANNA'], 4])
    expect(await found('anna', { skip: '2' })).toEqual([[], 2])
  })

  it('are found regardless of the encoding of accents', async () => {
    const names = ['E\u0301LAN', 'elan', '\u00e9t\u00e9', '\u{1f600}\u{1f601}']
    for (const [n, name] of names.entries()) await apply(userCreated(newId(), name, n))
    const found = async (search: string) => (await users({ search })).users.map(user => user.username)
    expect(await found('e\u0301')).toEqual(['\u00e9t\u00e9', 'E\u0301LAN'])
    expect(await found('\u00c9LA')).toEqual(['E\u0301LAN'])
    expect(await found('e')).toEqual(['elan'])
    expect(await found('\u0301')).toEqual([])
    expect(await found('\u{1f601}')).toEqual(['\u{1f600}\u{1f601}'])
  })

  it('are found like by a scan, for random names and terms', { tags: 'long' }, async () => {
    const next = seededRandom(11)
    const letters = ['a', 'b', 'A', '_', '1', '.', '\u00e9']
    const word = (longest: number) =>
      Array.from({ length: 1 + Math.floor(next() * longest) }, () => letters[Math.floor(next() * 7)]).join('')
    const names = Array.from({ length: 50 }, () => word(12))
    for (const [n, name] of names.entries()) await apply(userCreated(newId(), name, n))
    for (let n = 0; n < 60; n++) {
      const search = word(5)
      const matches = names.filter(name => name.toLowerCase().includes(search.toLowerCase())).reverse()
      const page = await users({ search, limit: '10', skip: String(n % 3) })
      expect([search, page.users.map(({ username }) => username), page.total]).toEqual([
        search,
        matches.slice(n % 3, (n % 3) + 10),
        matches.length,
      ])
    }
  })

  it('are read from the index, only as many as the page shows', async () => {
    await addCrowd('Lake', 600)
    const plans = await plansOf(service.mongo, 'users', async () =>
      expect((await users({ search: 'ake_', limit: '5' })).total).toBe(600),
    )
    expect(plans).toEqual([{ stages: ['FETCH', 'IXSCAN'], returned: 6, docsExamined: 6 }])
  })

  it('are counted exactly under a common term during concurrent changes', async () => {
    const crowd = await addCrowd('Lake', 620)
    const [first, second, third, fourth] = crowd as [string, string, string, string]
    const total = async (search: string) => (await users({ search, limit: '1' })).total
    const late = newId()
    const [atFirst] = await Promise.all([
      total('lAKE_'),
      apply(userRenamed(first, 'river', 1), userRenamed(second, 'lake_lake_2', 1)),
      apply(userCreated(late, 'my_lake_', 1), userDeleted(third)),
      total('ake_'),
    ])
    expect(atFirst).toBeGreaterThanOrEqual(618)
    expect(atFirst).toBeLessThanOrEqual(621)
    expect(await total('lake_')).toBe(619)
    expect(await total('ake_')).toBe(619)
    const kept = await service.mongo.collection('terms').find().sort({ _id: 1 }).toArray()
    expect(kept.map(({ _id, n }) => [_id, n])).toEqual([
      ['ake_', 619],
      ['lake_', 619],
    ])
    await apply(userRenamed(fourth, 'pond', 1), userRenamed(first, 'lake_again', 2))
    expect(await total('LAKE_')).toBe(619)
    expect((await users({ search: 'lake_', limit: '2' })).users.map(({ username }) => username)).toEqual([
      'my_lake_',
      expect.stringMatching(/^[Ll]ake_/),
    ])
  })

  it('are paged by cursor without repetition or omission during concurrent changes', async () => {
    const ids = Array.from({ length: 9 }, newId)
    for (const [n, id] of ids.entries()) await apply(userCreated(id, `walker_${n}`, n))
    const page = async (cursor: string) => {
      const { status, body, headers } = await api.send(
        'GET',
        `/community/users?limit=3&search=walker&cursor=${cursor}`,
      )
      expect(status).toBe(200)
      const next = headers.get('x-next-cursor')
      return { names: body.users.map((user: { username: string }) => user.username), next }
    }
    const start = await api.send('GET', '/community/users?limit=3')
    const next = start.headers.get('x-next-cursor') ?? ''
    await apply(userCreated(newId(), 'walker_new', 100), userDeleted(ids[8] as string))
    const second = await page(next)
    await apply(userDeleted(ids[5] as string))
    const third = await page(second.next ?? '')
    expect([second.names, third.names, third.next]).toEqual([
      ['walker_5', 'walker_4', 'walker_3'],
      ['walker_2', 'walker_1', 'walker_0'],
      null,
    ])
    for (const path of ['/community/users', `/community/users/${ids[0]}`])
      expect(await api.send('GET', `${path}?cursor=nonsense`)).toMatchObject({
        status: 422,
        body: { detail: ['cursor: is malformed'] },
      })
  })

  it.each(['limit=0', 'limit=101', 'limit=x', 'skip=-1', 'skip=1e3', 'search[$ne]=1', 'role=admin'])(
    'reject the query %s',
    async query => {
      expect((await api.send('GET', `/community/users?${query}`)).status).toBe(422)
    },
  )

  it('contain no e-mail address or role', async () => {
    const id = newId()
    await apply(userCreated(id, 'ana'))
    const shown = JSON.stringify([await users(), (await profile(id)).body])
    expect(shown).not.toMatch(/@|mail|admin|scope/)
    for (const path of ['/community/users', `/community/users/${id}`])
      expect((await apiClient(url).send('GET', path)).status).toBe(401)
  })
})

describe('contributions', () => {
  it('are listed newest first, by type, in pages, with exact totals', async () => {
    const ana = newId()
    await apply(userCreated(ana, 'ana'))
    const ids = Array.from({ length: 130 }, newId)
    for (const [n, id] of ids.entries())
      await apply(n % 3 ? iodCreated(id, ana, n >> 1) : narrativeCreated(id, ana, n >> 1))
    const first = (await profile(ana)).body
    expect(first).toMatchObject({ username: 'ana', total_iods: 86, total_narratives: 44 })
    expect(first.all_contributions).toHaveLength(50)
    const seen: { id: string; type: string }[] = []
    for (let skip = 0; skip < 130; skip += 50)
      seen.push(...(await profile(ana, `?skip=${skip}`)).body.all_contributions)
    expect(seen).toHaveLength(130)
    expect(new Set(seen.map(({ id }) => id))).toEqual(new Set(ids))
    let cursor: string | null = ''
    const byCursor: unknown[] = []
    while (cursor !== null) {
      const answer = await profile(ana, `?limit=60${cursor && `&cursor=${cursor}`}`)
      byCursor.push(...answer.body.all_contributions)
      cursor = answer.headers.get('x-next-cursor')
    }
    expect(byCursor).toEqual(seen)
    const narratives = (await profile(ana, '?contribution_type=NARRATIVE&limit=100')).body
    expect(narratives.all_contributions).toHaveLength(44)
    expect(narratives.all_contributions).toEqual(seen.filter(({ type }) => type === 'NARRATIVE'))
    expect(narratives.total_iods).toBe(86)
    const [user] = (await users()).users
    expect(user).toMatchObject({
      total_contributions: 130,
      recent_contributions: seen.slice(0, 3).map(({ type, id }) => ({ type, id, title: expect.any(String) })),
    })
    expect((await profile(ana, '?contribution_type=VOTE')).status).toBe(422)
    expect((await profile(ana, '?limit=101')).status).toBe(422)
  })

  it('show the value and description of an IOD, or the first line and an excerpt of a narrative', async () => {
    const ana = newId()
    const text = `  A first line that is rather long, so long that it does not fit into the eighty characters\nSecond   line ${'x'.repeat(300)}`
    await apply(
      userCreated(ana, 'ana'),
      iodCreated(newId(), ana, 1, { value: `<b>😀${'v'.repeat(600)}`, description: '' }),
      narrativeCreated(newId(), ana, 2, text, 1),
      narrativeCreated(newId(), ana, 3, 'Short', 0),
    )
    const [short, long, iod] = (await profile(ana)).body.all_contributions
    expect(short).toMatchObject({ type: 'NARRATIVE', title: 'Short', description: 'Short · 0 triplets' })
    expect(long.title).toBe('A first line that is rather long, so long that it does not fit into the eighty…')
    expect(long.description).toMatch(/^A first line .* eighty characters Second line… · 1 triplet$/)
    expect(iod).toMatchObject({ type: 'IOD', description: '', created_at: time(1) })
    expect(iod.title.length).toBeLessThanOrEqual(500)
    expect(iod.title).toMatch(/^<b>😀v+…$/)
  })

  it('stay deleted in any order of events, and count once', async () => {
    const [ana, early, late] = [newId(), newId(), newId()]
    await apply(
      narrativeDeleted(early, ana),
      narrativeCreated(early, ana, 1),
      narrativeCreated(late, ana, 2),
      narrativeCreated(late, ana, 2),
      userCreated(ana, 'ana'),
    )
    expect((await profile(ana)).body).toMatchObject({
      total_narratives: 1,
      all_contributions: [{ id: late }],
    })
    await apply(narrativeDeleted(late, ana), narrativeDeleted(late, ana), narrativeCreated(late, ana, 2))
    expect((await profile(ana)).body).toMatchObject({ total_narratives: 0, all_contributions: [] })
    expect((await users()).users).toMatchObject([{ total_contributions: 0, recent_contributions: [] }])
  })

  it('are restored and deleted again according to revisions, in any order of events', async () => {
    const [ana, id] = [newId(), newId()]
    const events = [
      narrativeCreated(id, ana, 1),
      narrativeDeleted(id, ana),
      narrativeRestored(id, ana, 1, 1),
      narrativeDeleted(id, ana, 1),
      narrativeRestored(id, ana, 1, 2),
    ]
    await apply(userCreated(ana, 'ana'))
    const total = async () => (await profile(ana)).body.total_narratives
    const counts: number[] = []
    for (const event of events) {
      await apply(event)
      counts.push(await total())
    }
    expect(counts).toEqual([1, 0, 1, 0, 1])
    await apply(...events.toReversed())
    expect((await profile(ana)).body).toMatchObject({
      total_narratives: 1,
      all_contributions: [{ id, title: 'Text 1' }],
    })
    await apply(narrativeDeleted(id, ana, 2), ...events)
    expect((await profile(ana)).body).toMatchObject({ total_narratives: 0, all_contributions: [] })
  })

  it('are deleted with the account, also if they arrive before, after or at the same time', async () => {
    const [ana, bo] = [newId(), newId()]
    await apply(userCreated(bo, 'bo'), iodCreated(newId(), bo))
    const [before, after] = [newId(), newId()]
    await apply(userCreated(ana, 'ana'), iodCreated(before, ana), narrativeCreated(newId(), ana))
    await Promise.all([
      apply(userDeleted(ana)),
      ...Array.from({ length: 10 }, (_, n) => apply(iodCreated(newId(), ana, n))),
    ])
    await apply(
      narrativeCreated(after, ana),
      narrativeDeleted(after, ana),
      userRenamed(ana, 'ana_again', 5),
      userDeleted(ana),
    )
    const { mongo } = service
    expect(await mongo.collection('contributions').countDocuments({ user_id: { $ne: null } })).toBe(1)
    const left = await mongo.collection('users').findOne({ deleted: true })
    expect(left).toMatchObject({ username: null, created_at: null, total_iods: 0, total_narratives: 0 })
    expect((await users()).users).toMatchObject([{ username: 'bo', total_contributions: 1 }])
  })

  it('count exactly under 20 concurrent duplicates, and under 20 concurrent events of a new user', {
    tags: 'long',
  }, async () => {
    const [ana, bo, one] = [newId(), newId(), newId()]
    await Promise.all(Array.from({ length: 20 }, () => apply(iodCreated(one, ana))))
    await Promise.all([
      ...Array.from({ length: 20 }, (_, n) => apply(iodCreated(newId(), bo, n))),
      ...Array.from({ length: 5 }, () => apply(userCreated(bo, 'bo'))),
      apply(userCreated(ana, 'ana')),
    ])
    expect((await profile(ana)).body).toMatchObject({ total_iods: 1, all_contributions: [{ id: one }] })
    const { body } = await profile(bo)
    expect(body).toMatchObject({ total_iods: 20, total_narratives: 0 })
    expect(body.all_contributions).toHaveLength(20)
    expect((await users()).total).toBe(2)
  })
})

describe('IODs created together', () => {
  it('count once under repetition and concurrency, also as single events', async () => {
    const [ana, bo] = [newId(), newId()]
    const events = Array.from({ length: 20 }, (_, n) => iodCreated(newId(), n % 5 === 0 ? bo : ana, n))
    await Promise.all([
      ...Array.from({ length: 4 }, (_, n) => apply(...events.slice(0, 5 * (n + 1)))),
      ...events.slice(0, 4).map(event => apply(event)),
      apply(userCreated(ana, 'ana'), userCreated(bo, 'bo')),
    ])
    await apply(...events, ...events)
    const totals = async (id: string) => (await api.call(communityApi.getUser, { params: { id } })).total_iods
    expect([await totals(ana), await totals(bo)]).toEqual([16, 4])
    const stored = service.mongo.collection('contributions')
    expect(await stored.countDocuments({ deleted: false, type: 'IOD' })).toBe(20)
  })

  it('are not stored for a deleted account', async () => {
    const [ana, bo] = [newId(), newId()]
    await apply(userCreated(bo, 'bo'), { type: 'user.deleted', data: { id: ana } })
    await apply(iodCreated(newId(), ana), iodCreated(newId(), bo))
    expect(await service.mongo.collection('contributions').countDocuments()).toBe(1)
  })
})

describe('a random history', () => {
  it.each(Array.from({ length: runs(6) }, (_, n) => n + 1))(
    'with duplicates, in random order and concurrently, results in the expected state (seed %i)',
    { tags: 'long' },
    async seed => {
      const next = seededRandom(seed)
      const pick = <T>(items: T[]) => items[Math.floor(next() * items.length)] as T
      const truth = new Map<
        string,
        {
          name: string | null
          revision: number
          alive: boolean
          iods: Set<string>
          narratives: Set<string>
          gone: Set<string>
        }
      >()
      const restored = new Map<string, number>()
      const events: DomainEvent[] = []
      for (let n = 0; n < 8; n++) {
        const id = newId()
        const name = next() < 0.5 ? `start_${seed}_${n}` : null
        truth.set(id, {
          name,
          revision: 0,
          alive: true,
          iods: new Set(),
          narratives: new Set(),
          gone: new Set(),
        })
        events.push(userCreated(id, name, n))
      }
      for (let n = 0; n < 60; n++) {
        const [id, user] = pick([...truth].filter(([, { alive }]) => alive))
        const dice = next()
        if (dice < 0.4) {
          const iod = newId()
          user.iods.add(iod)
          events.push(iodCreated(iod, id, n))
        } else if (dice < 0.7) {
          const narrative = newId()
          user.narratives.add(narrative)
          events.push(narrativeCreated(narrative, id, n))
        } else if (dice < 0.8 && user.narratives.size > 0) {
          const narrative = pick([...user.narratives])
          user.narratives.delete(narrative)
          user.gone.add(narrative)
          events.push(narrativeDeleted(narrative, id, restored.get(narrative)))
        } else if (dice < 0.9 && user.gone.size > 0) {
          const narrative = pick([...user.gone])
          user.gone.delete(narrative)
          user.narratives.add(narrative)
          restored.set(narrative, (restored.get(narrative) ?? 0) + 1)
          events.push(narrativeRestored(narrative, id, n, restored.get(narrative) ?? 0))
        } else if (dice < 0.98) {
          user.name = `name_${seed}_${n}`
          events.push(userRenamed(id, user.name, ++user.revision))
        } else if ([...truth.values()].filter(({ alive }) => alive).length > 2) {
          user.alive = false
          events.push(userDeleted(id))
        }
      }
      const [id, { narratives: kept }] = pick([...truth].filter(([, { alive }]) => alive))
      const back = newId()
      kept.add(back)
      events.push(narrativeCreated(back, id), narrativeDeleted(back, id), narrativeRestored(back, id, 0, 1))
      const delivered = [...events, ...events.filter(() => next() < 0.4)]
        .map(event => ({ event, at: next() }))
        .sort((a, b) => a.at - b.at)
      const queue = delivered.map(({ event }) => event)
      const deliver = async () => {
        for (let event = queue.shift(); event; event = queue.shift()) await apply(event)
      }
      await Promise.all(Array.from({ length: 8 }, deliver))

      const shown = [...truth].filter(([, { alive, name }]) => alive && name !== null)
      const listed = await users({ limit: '100' })
      expect(listed.total).toBe(shown.length)
      expect(new Map(listed.users.map(user => [user.id, user.username]))).toEqual(
        new Map(shown.map(([id, { name }]) => [id, name])),
      )
      for (const [id, { name, alive, iods, narratives }] of truth) {
        const answer = await profile(id, '?limit=100')
        if (!alive || name === null) {
          expect(answer).toMatchObject(missing)
          continue
        }
        expect(answer.body).toMatchObject({
          username: name,
          total_iods: iods.size,
          total_narratives: narratives.size,
        })
        const contributions = answer.body.all_contributions.map((each: { id: string }) => each.id)
        expect(new Set(contributions)).toEqual(new Set([...iods, ...narratives]))
      }
    },
  )
})

describe('the internal route', () => {
  it('rejects requests without the service key, and invalid events', async () => {
    const event = userCreated(newId(), 'x')
    await expect(
      internalClient(url, 'guess')(communityInternal.applyEvents, { body: { events: [event] } }),
    ).rejects.toMatchObject({ status: 404 })
    for (const wrong of [
      { type: 'user.promoted', data: { id: newId() } },
      { type: 'user.deleted', data: { id: 'x' } },
      { ...event, email: 'a@b.c' },
    ])
      await expect(apply(wrong as DomainEvent)).rejects.toMatchObject({ status: 422 })
  })
})
