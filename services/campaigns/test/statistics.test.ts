import {
  CATEGORIES,
  type CampaignStatistics,
  campaignsApi,
  DETAILS,
  iodsInternal,
  SOURCE_TYPES,
} from '@iodine/contracts'
import { HttpError, readConfig, type StoreService } from '@iodine/service-kit'
import {
  type ApiClient,
  anIod,
  apiClient,
  newId,
  runs,
  type ServiceFixture,
  seededRandom,
  startServiceFixture,
} from '@iodine/test-kit'
import { Types } from 'mongoose'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { campaignsConfigSchema, createApp } from '../src/index.js'

interface Stored {
  category: (typeof CATEGORIES)[number]
  source_type: (typeof SOURCE_TYPES)[number]
  votes: number
  comments: number
}

let fixture: ServiceFixture
/** Two replicas of the service on one database. */
let services: StoreService[]
let urls: [string, string]
let clients: [ApiClient, ApiClient]
/** IODs of the scripted iods service, and the number of ids in each request to count. */
let iods: Map<string, Stored>
let counted: number[]

beforeAll(async () => {
  fixture = await startServiceFixture()
  services = await Promise.all(
    [0, 1].map(() => createApp(readConfig(campaignsConfigSchema, fixture.env), fixture.deps)),
  )
  const { token } = await fixture.user('ana')
  const [one = '', two = ''] = await Promise.all(services.map(service => service.listen()))
  urls = [one, two]
  clients = [apiClient(one, token), apiClient(two, token)]
})
afterAll(async () => {
  await Promise.all((services ?? []).map(service => service.close()))
  await fixture?.stop()
})
beforeEach(() => {
  iods = new Map()
  counted = []
  fixture.answer(iodsInternal.knownIods, ({ body }) => body.ids.filter(id => iods.has(id)))
  fixture.answer(iodsInternal.getIods, ({ body }) =>
    body.ids.flatMap(id => {
      const { category, source_type } = iods.get(id) ?? {}
      return category && source_type ? anIod({ id, value: id, description: '', category, source_type }) : []
    }),
  )
  fixture.answer(iodsInternal.countIods, ({ body: { ids } }) => {
    counted.push(ids.length)
    return fromScratch(ids)
  })
})

const fromScratch = (ids: Iterable<string>) => {
  const counts: Omit<CampaignStatistics, 'iod_count'> = {
    categories: {},
    source_types: {},
    votes: 0,
    comments: 0,
  }
  for (const id of ids) {
    const { category, source_type, votes, comments } = iods.get(id) as Stored
    counts.categories[category] = (counts.categories[category] ?? 0) + 1
    counts.source_types[source_type] = (counts.source_types[source_type] ?? 0) + 1
    counts.votes += votes
    counts.comments += comments
  }
  return counts
}
const iod = (fields: Partial<Stored> = {}): string => {
  const id = newId()
  iods.set(id, { category: 'URL', source_type: 'BLOG', votes: 0, comments: 0, ...fields })
  return id
}
const create = async (ids: string[] = []): Promise<string> => {
  const { id } = await clients[0].call(campaignsApi.createCampaign, { body: { name: 'Counted' } })
  await services[0]?.mongo
    .collection('campaigns')
    .updateOne(
      { _id: new Types.ObjectId(id) },
      { $set: { iod_ids: ids.map(each => new Types.ObjectId(each)), iod_count: ids.length } },
    )
  return id
}
const statistics = (id: string, client = clients[0]) =>
  client.call(campaignsApi.getStatistics, { params: { id } })
const add = (id: string, iod_id: string, client = clients[0]) =>
  client.call(campaignsApi.addIod, { params: { id }, body: { iod_id } })
const remove = (id: string, iod_id: string, client = clients[0]) =>
  client.call(campaignsApi.removeIod, { params: { id }, body: { iod_id } })
const expectUnknown = async (id: string) =>
  expect(await clients[0].send('GET', `/campaigns/${id}/statistics`)).toMatchObject({
    status: 404,
    body: { detail: DETAILS.notFound },
  })
const expectExact = async (id: string) => {
  const { iods: members } = await clients[0].call(campaignsApi.getCampaign, { params: { id } })
  const expected = { ...fromScratch(members.map(each => each.id)), iod_count: members.length }
  for (const client of clients) expect(await statistics(id, client)).toEqual(expected)
}

describe('statistics', () => {
  it('count categories, source types, votes and comments, also of an empty campaign', async () => {
    const id = await create()
    expect(await statistics(id)).toEqual({
      iod_count: 0,
      categories: {},
      source_types: {},
      votes: 0,
      comments: 0,
    })
    await add(id, iod({ votes: 2, comments: 5 }))
    await add(id, iod({ source_type: 'MANUAL', votes: 1 }))
    await add(id, iod({ category: 'HASH' }))
    expect(await statistics(id.toUpperCase())).toEqual({
      iod_count: 3,
      categories: { URL: 2, HASH: 1 },
      source_types: { BLOG: 2, MANUAL: 1 },
      votes: 3,
      comments: 5,
    })
  })

  it('are readable by every member, and answer 404 for an unknown campaign', async () => {
    const id = await create()
    const bo = await fixture.user('bo')
    const collector = await fixture.token({ id: bo.id, scope: 'collector' })
    for (const [token, status] of [
      [bo.token, 200],
      [collector, 403],
      [undefined, 401],
    ] as const)
      expect((await apiClient(urls[1], token).send('GET', `/campaigns/${id}/statistics`)).status).toBe(status)
    for (const unknown of [newId(), 'my', '0']) await expectUnknown(unknown)
  })
  it('equal a count from scratch, at any time, during concurrent changes by two processes', {
    tags: 'long',
    timeout: 600_000,
  }, async () => {
    for (let round = 0; round < runs(2); round++) {
      const random = seededRandom(round)
      const below = (n: number) => Math.floor(random() * n)
      const oneOf = <T>(items: readonly T[]): T => items[below(items.length)] ?? expect.unreachable()
      const someIod = () =>
        iod({
          category: oneOf(CATEGORIES.slice(0, 3)),
          source_type: oneOf(SOURCE_TYPES),
          votes: below(3),
        })
      const all = Array.from({ length: 400 }, someIod)
      const id = await create(all.slice(0, 250))
      const vote = () => {
        const voted = iods.get(oneOf(all))
        if (voted) voted.votes++
      }
      const work = [
        async () => vote(),
        async () => vote(),
        () => add(id, oneOf(all), oneOf(clients)),
        () => remove(id, oneOf(all), oneOf(clients)),
        () => remove(id, oneOf(all), oneOf(clients)),
        () => statistics(id, oneOf(clients)),
        () => statistics(id, oneOf(clients)),
        () => {
          const iod_ids = Array.from({ length: 1 + below(80) }, () => oneOf(all))
          return oneOf(clients).call(campaignsApi.addIods, { params: { id }, body: { iod_ids } })
        },
      ]
      for (let step = 0; step < 20; step++) {
        await Promise.all(Array.from({ length: 1 + below(8) }, () => oneOf(work)()))
        await expectExact(id)
      }
    }
  })

  it('request counts in batches', async () => {
    const members = Array.from({ length: 1_200 }, () => iod())
    const id = await create(members)
    const asked = async () => {
      counted = []
      expect(await statistics(id)).toMatchObject({ iod_count: iods.size })
      return counted
    }
    expect(await asked()).toEqual([1_000, 200])
    await add(id, iod())
    expect(await asked()).toEqual([1_000, 201])
  })

  it('include additions before the request, also among concurrent requests', {
    tags: 'long',
  }, async () => {
    const id = await create(Array.from({ length: 30 }, () => iod()))
    const earlier: Promise<unknown>[] = []
    for (let n = 31; n <= 50; n++) {
      earlier.push(statistics(id), statistics(id))
      await add(id, iod())
      expect(await statistics(id)).toMatchObject({ iod_count: n, categories: { URL: n } })
    }
    await Promise.all(earlier)
  })

  it('answer 503 while the iods service is down', async () => {
    const id = await create([iod()])
    fixture.answer(iodsInternal.countIods, () => {
      throw new HttpError(503, DETAILS.unavailable)
    })
    expect(await clients[0].send('GET', `/campaigns/${id}/statistics`)).toMatchObject({
      status: 503,
      body: { detail: DETAILS.unavailable },
    })
  })
})
