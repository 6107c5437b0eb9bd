import { communityApi, communityInternal, type DomainEvent, repairInternal } from '@iodine/contracts'
import { connectMongo, readConfig, type StoreService } from '@iodine/service-kit'
import {
  type ApiClient,
  apiClient,
  commandsOf,
  plansOf,
  type ServiceBed,
  startServiceBed,
} from '@iodine/test-kit'
import { Types } from 'mongoose'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { communityConfigSchema, createApp } from '../src/index.js'

let bed: ServiceBed
let service: StoreService
let api: ApiClient

/** A user as the version before names were searched by grams stored it. */
const ofBefore = (n: number, username: string | null = `Before_${n}`) => ({
  _id: new Types.ObjectId(),
  username,
  revision: 1,
  created_at: new Date(Date.UTC(2026, 0, 1, 0, 0, n)),
  deleted: false,
  public: username !== null,
  suffixes: Array.from(username ?? '', (_, at) => (username ?? '').toLowerCase().slice(at)),
  total_iods: 0,
  total_narratives: 0,
})
const BEFORE = 600
const [deleted, nameless] = [{ ...ofBefore(0, null), deleted: true }, ofBefore(0, null)]

beforeAll(async () => {
  bed = await startServiceBed({ monitorCommands: true })
  const { MONGODB_URI = '', MONGODB_PREFIX = '' } = bed.env
  const before = await connectMongo(MONGODB_URI, `${MONGODB_PREFIX}_community`)
  const users = before.collection('users')
  await users.createIndex({ suffixes: 1 })
  await users.insertMany([...Array.from({ length: BEFORE }, (_, n) => ofBefore(n)), deleted, nameless])
  const counts = before.collection<{ _id: string; n: number; changes?: number }>('counters')
  await counts.insertOne({ _id: 'public_users', n: BEFORE, changes: 0 })
  // An outdated count: a migration that was interrupted may leave one.
  await before.collection<{ _id: string; n: number }>('terms').insertOne({ _id: 'fore', n: 7 })
  await before.close()
  service = await createApp(readConfig(communityConfigSchema, bed.env), bed.deps)
  api = apiClient(await bed.listen(service), (await bed.user('reader')).token)
})
afterAll(() => bed?.stop())

const search = async (term: string) => {
  const { users, total } = await api.call(communityApi.listUsers, {
    query: { search: term, limit: '5' as never },
  })
  return { names: users.map(({ username }) => username), total }
}
const users = () => service.mongo.collection('users')
const apply = (event: DomainEvent) =>
  bed.internal(communityInternal.applyEvents, { body: { events: [event] } })
const rename = (id: Types.ObjectId, username: string, revision: number) =>
  apply({ type: 'user.renamed', data: { id: id.toHexString(), username, revision } })

it('users that the version before stored are found and counted after the start', async () => {
  expect(await search('FORE_599')).toEqual({ names: ['Before_599'], total: 1 })
  expect(await search('fore')).toEqual({
    names: [599, 598, 597, 596, 595].map(n => `Before_${n}`),
    total: BEFORE,
  })
  expect(await users().countDocuments({ suffixes: { $ne: [] } })).toBe(0)
  await rename(nameless._id, 'Before_all', 2)
  expect((await search('fore')).total).toBe(BEFORE + 1)
})

it('users that it stores meanwhile are found and counted after the next repair', async () => {
  const [late, renamed] = [ofBefore(900), await users().findOne({ username: 'Before_5' })]
  const { total } = await search('before')
  await users().insertOne(late)
  // It gave a name to a user of before, whom this version had named too.
  await users().updateOne(
    { _id: renamed?._id },
    { $set: { username: 'Other', suffixes: ['other', 'ther', 'her', 'er', 'r'] } },
  )
  await service.mongo.collection('terms').updateMany({}, { $inc: { n: 1 } })
  expect(await search('before_900')).toEqual({ names: [], total: 0 })
  expect(await bed.internal(repairInternal.repair)).toEqual({ repaired: 1 })
  expect(await bed.internal(repairInternal.repair)).toEqual({ repaired: 0 })
  expect(await search('before_900')).toEqual({ names: ['Before_900'], total: 1 })
  expect(await search('OTHER')).toEqual({ names: ['Other'], total: 1 })
  expect(await search('before_5')).not.toMatchObject({ names: expect.arrayContaining(['Other']) })
  expect((await search('before')).total).toBe(total)
})

it('a repair writes nothing where nothing is owed', async () => {
  await bed.internal(repairInternal.repair)
  const { all, writes } = await commandsOf(service.mongo, () => bed.internal(repairInternal.repair))
  expect([all.includes('find users'), writes]).toEqual([true, []])
})

it('a page of a search reads what it shows, in the order of the index', async () => {
  const plans = await plansOf(service.mongo, 'users', async () =>
    expect((await search('fore_')).total).toBeGreaterThan(500),
  )
  expect(plans).toEqual([{ stages: ['FETCH', 'IXSCAN'], returned: 6, docsExamined: 6 }])
})
