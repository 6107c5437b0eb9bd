import { Decimal128, Double, Long, MongoClient, MongoServerError, ObjectId } from 'mongodb'
import mongoose from 'mongoose'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type EmbeddedMongo, startEmbeddedMongo } from '../src/index.js'

let server: EmbeddedMongo
let client: MongoClient

/** Casts an id of another type to the ObjectId of the driver's types. */
const id = (value: number) => value as unknown as ObjectId

beforeAll(async () => {
  server = await startEmbeddedMongo()
  client = await new MongoClient(server.uri).connect()
})
afterAll(async () => {
  await client.close()
  await server.stop()
})

const fresh = () => client.db('driver').collection(`c${new ObjectId().toHexString()}`)

test('the driver stores, finds, changes and removes documents', async () => {
  const c = fresh()
  await c.insertMany(
    Array.from({ length: 250 }, (_, i) => ({ _id: id(i), n: i % 10, tags: [`t${i % 3}`, 'all'] })),
  )
  expect(await c.countDocuments({ n: 3 })).toBe(25)
  expect(await c.estimatedDocumentCount()).toBe(250)
  expect((await c.find({}).toArray()).length).toBe(250)
  expect((await c.find({ tags: 't1' }).sort({ _id: -1 }).limit(2).toArray()).map(one => one._id)).toEqual([
    247, 244,
  ])
  expect(
    await c.updateMany(
      { n: 3 },
      { $inc: { n: 100 }, $push: { tags: { $each: ['x'], $position: 0 } as never } },
    ),
  ).toMatchObject({ matchedCount: 25, modifiedCount: 25 })
  expect(await c.findOne({ n: 103 })).toEqual({ _id: id(3), n: 103, tags: ['x', 't0', 'all'] })
  expect(await c.deleteMany({ n: { $gte: 100 } })).toMatchObject({ deletedCount: 25 })
  expect(await c.distinct('tags')).toEqual(expect.arrayContaining(['t0', 't1', 't2', 'all']))
  expect(
    await c.findOneAndUpdate({ _id: id(999) }, { $set: { a: 1 } }, { upsert: true, returnDocument: 'after' }),
  ).toEqual({ _id: id(999), a: 1 })
  const groups = await c
    .aggregate([
      { $match: { _id: { $lt: id(20) } } },
      { $group: { _id: '$n', many: { $sum: 1 } } },
      { $sort: { _id: id(1) } },
    ])
    .toArray()
  expect(groups[0]).toEqual({ _id: id(0), many: 2 })
})

test('preserves BSON types', async () => {
  const c = fresh()
  const doc = {
    _id: id(1),
    d: new Double(5),
    l: Long.fromString('9007199254740993'),
    dec: Decimal128.fromString('1.10'),
    '7': 1,
    '3': 2,
  }
  await c.insertOne(doc)
  await c.updateOne({ _id: id(1) }, { $set: { z: 1 } })
  const back = await c.findOne({ _id: id(1) }, { promoteValues: false })
  expect(back?.d).toBeInstanceOf(Double)
  expect(back?.l.toString()).toBe('9007199254740993')
  expect(back?.dec.toString()).toBe('1.10')
})

test('unique indexes reject duplicates with key pattern and key value', async () => {
  const c = fresh()
  await c.createIndex({ email: 1 }, { unique: true })
  await c.insertOne({ email: 'a@b' })
  const error = await c.insertOne({ email: 'a@b' }).catch(e => e)
  expect(error).toBeInstanceOf(MongoServerError)
  expect(error.code).toBe(11000)
  expect(error.keyPattern).toEqual({ email: 1 })
  expect(error.keyValue).toEqual({ email: 'a@b' })
  const explained = await c.find({ email: 'a@b' }).explain()
  expect(explained.queryPlanner.winningPlan.inputStage.indexName).toBe('email_1')
  expect((await c.indexes()).map(one => one.name)).toEqual(['_id_', 'email_1'])
})

test('bulk writes', async () => {
  const c = fresh()
  const result = await c.bulkWrite([
    { insertOne: { document: { _id: id(1) } } },
    { updateOne: { filter: { _id: id(1) }, update: { $set: { a: 1 } } } },
    { updateOne: { filter: { _id: id(2) }, update: { $set: { a: 1 } }, upsert: true } },
    { deleteOne: { filter: { _id: id(1) } } },
  ])
  expect(result).toMatchObject({ insertedCount: 1, modifiedCount: 1, upsertedCount: 1, deletedCount: 1 })
  const both = await client.bulkWrite([
    { namespace: c.namespace, name: 'insertOne', document: { _id: id(5) } },
    { namespace: c.namespace, name: 'updateOne', filter: { _id: id(5) }, update: { $set: { x: 1 } } },
  ])
  expect(both).toMatchObject({ insertedCount: 1, modifiedCount: 1 })
})

test('transactions: mongoose and sessions', async () => {
  const connection = await mongoose.createConnection(server.uriFor('goose')).asPromise()
  const Thing = connection.model(
    'Thing',
    new mongoose.Schema({ name: { type: String, unique: true }, n: Number }, { timestamps: true }),
  )
  await Thing.init()
  await connection.transaction(async session => {
    await Thing.create([{ name: 'a', n: 1 }], { session })
    await Thing.updateOne({ name: 'a' }, { $inc: { n: 1 } }, { session })
    expect(await Thing.findOne({ name: 'a' })).toBeNull()
  })
  expect((await Thing.findOne({ name: 'a' }))?.n).toBe(2)
  await expect(
    connection.transaction(async session => {
      await Thing.create([{ name: 'b' }], { session })
      throw new Error('no')
    }),
  ).rejects.toThrow('no')
  expect(await Thing.countDocuments()).toBe(1)
  await expect(Thing.create({ name: 'a' })).rejects.toMatchObject({ code: 11000 })
  const [one, two] = [connection.getClient().startSession(), connection.getClient().startSession()]
  one.startTransaction()
  two.startTransaction()
  const raw = connection.collection('things')
  await raw.findOne({ name: 'a' }, { session: one })
  await raw.findOne({ name: 'a' }, { session: two })
  await raw.updateOne({ name: 'a' }, { $inc: { n: 1 } }, { session: one })
  const error = await raw.updateOne({ name: 'a' }, { $inc: { n: 1 } }, { session: two }).catch(e => e)
  expect(error.code).toBe(112)
  expect(error.hasErrorLabel('TransientTransactionError')).toBe(true)
  await one.commitTransaction()
  await one.endSession()
  await two.endSession()
  await connection.close()
})
