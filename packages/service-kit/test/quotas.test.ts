import { commandsOf, startTestMongo, type TestServer, uniquePrefix } from '@iodine/test-kit'
import { type ClientSession, Types } from 'mongoose'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Connection, connectMongo, createQuotas, QuotaExceeded } from '../src/index.js'
import { prepareModels } from '../src/stores/mongo.js'

type Name = 'iods' | 'iods_today' | 'iod_bytes'
const LIMIT = 3

let server: TestServer
let mongo: Connection
beforeAll(async () => {
  server = await startTestMongo()
  mongo = await connectMongo(`${server.url}&monitorCommands=true`, uniquePrefix())
})
afterAll(async () => {
  await mongo?.close()
  await server?.stop()
})
beforeEach(async () => {
  mongo.deleteModel(/.*/)
  await mongo.dropDatabase()
})

const { signal } = new AbortController()
const things = () => mongo.collection('things')
const usageOf = (owner: Types.ObjectId | string) =>
  mongo.collection('usage').findOne({ _id: owner.toString() as never })

/** Quotas of the documents in `things`, and a function that adds one. */
const counted = async () => {
  const quotas = createQuotas<Name>({
    mongo,
    limits: { iods: LIMIT, iods_today: 10 },
    daily: 'iods_today',
    async count(owner, session) {
      const iods = await things().countDocuments({ owner }, { session })
      return { iods, iods_today: iods, iod_bytes: 10 * iods }
    },
    owners: async () => (await things().distinct('owner')) as (Types.ObjectId | null)[],
  })
  await prepareModels(mongo)
  const delta = { iods: 1, iods_today: 1, iod_bytes: 10 }
  const add = (owner: Types.ObjectId) =>
    quotas.change(owner, delta, async (session: ClientSession) => {
      await things().insertOne({ owner }, { session })
    })
  return { quotas, add }
}

describe('quotas', () => {
  it('start from a count, and refuse the change that exceeds a limit', async () => {
    const owner = new Types.ObjectId()
    const { quotas, add } = await counted()
    await things().insertMany([{ owner }, { owner }])
    expect(await quotas.used(owner)).toEqual({ iods: 2, iods_today: 2, iod_bytes: 20 })
    await add(owner)
    const error = await add(owner).catch(error => error)
    expect(error).toBeInstanceOf(QuotaExceeded)
    expect(error).toMatchObject({ status: 413, used: { iods: LIMIT }, own: {} })
    expect(await things().countDocuments({ owner })).toBe(LIMIT)
    expect(await quotas.usage(owner)).toEqual({
      iods: { used: LIMIT, limit: LIMIT },
      iods_today: { used: LIMIT, limit: 10 },
    })
  })

  it('count exactly what concurrent changes of one owner store, in two processes', async () => {
    const owner = new Types.ObjectId()
    const { quotas, add } = await counted()
    const { add: addElsewhere } = await counted()
    const ended = await Promise.allSettled(
      Array.from({ length: 8 }, (_, n) => (n % 2 ? add(owner) : addElsewhere(owner))),
    )
    expect(ended.filter(({ status }) => status === 'fulfilled')).toHaveLength(LIMIT)
    expect(await quotas.used(owner)).toMatchObject({ iods: LIMIT })
    expect(await things().countDocuments({ owner })).toBe(LIMIT)
  })

  it('repeat no transaction of concurrent changes in one process', async () => {
    const owner = new Types.ObjectId()
    const { quotas, add } = await counted()
    await quotas.used(owner)
    const { writes } = await commandsOf(mongo, () =>
      Promise.all(Array.from({ length: LIMIT }, () => add(owner))),
    )
    const usageFirst = ['findAndModify usage', 'insert things', 'commitTransaction']
    expect(writes).toEqual(Array.from({ length: LIMIT }, () => usageFirst).flat())
  })

  it('apply a user’s own limits, of the newest revision', async () => {
    const owner = new Types.ObjectId()
    const { quotas, add } = await counted()
    await quotas.setOwn(owner, { iods: 1 }, 2)
    await quotas.setOwn(owner, { iods: 9 }, 1)
    expect(await quotas.own(owner)).toEqual({ iods: 1 })
    await add(owner)
    await expect(add(owner)).rejects.toMatchObject({ status: 413, own: { iods: 1 } })
  })

  it('reset the daily amount on the next day', async () => {
    const owner = new Types.ObjectId()
    const { quotas, add } = await counted()
    await add(owner)
    await mongo
      .collection('usage')
      .updateOne({ _id: owner.toHexString() as never }, { $set: { day: '2020-01-01' } })
    expect(await quotas.used(owner)).toEqual({ iods: 1, iods_today: 0, iod_bytes: 10 })
    await add(owner)
    expect(await quotas.used(owner)).toEqual({ iods: 2, iods_today: 1, iod_bytes: 20 })
  })

  it('add the usage of a deleted user to that of unowned content', async () => {
    const [one, other, gone] = [new Types.ObjectId(), new Types.ObjectId(), new Types.ObjectId()]
    const { quotas, add } = await counted()
    const leave = async (owner: Types.ObjectId) => {
      await add(owner)
      await things().updateMany({ owner }, { $set: { owner: null } })
      await quotas.forget(owner, { left: true })
      expect(await usageOf(owner)).toBeNull()
    }
    await leave(one)
    expect((await usageOf('unowned'))?.used).toMatchObject({ iods: 1 })
    await leave(other)
    expect((await usageOf('unowned'))?.used).toMatchObject({ iods: 2, iod_bytes: 20 })
    await add(gone)
    await quotas.forget(gone)
    expect(await usageOf(gone)).toBeNull()
    expect((await usageOf('unowned'))?.used).toMatchObject({ iods: 2 })
  })

  it('count owners without a usage, and correct a wrong one that was counted a day ago', async () => {
    const [fresh, wrong] = [new Types.ObjectId(), new Types.ObjectId()]
    const { quotas, add } = await counted()
    await add(wrong)
    await things().insertMany([{ owner: fresh }, { owner: null }])
    const long = new Date(Date.now() - 25 * 3_600_000)
    await mongo
      .collection('usage')
      .updateOne({ _id: wrong.toHexString() as never }, { $set: { 'used.iods': 2, checked_at: long } })
    expect(await quotas.recount(signal)).toBe(1)
    for (const owner of [fresh, wrong, 'unowned'])
      expect((await usageOf(owner))?.used).toMatchObject({ iods: 1 })
    expect(await quotas.recount(signal)).toBe(0)
    expect(await quotas.totals()).toEqual({ iods: 3, iods_today: 3, iod_bytes: 30 })
  })
})
